package import SQLite

/// A run that is at work.
package struct LiveRun: Sendable, Hashable {
    package let id: Int64
    package let job: String
    package let pid: Int64

    /// All of them, by their ids.
    package static func all(from catalog: Connection) throws -> [LiveRun] {
        let alive = try RunLiveness.running(on: catalog)
        return try catalog.rows("SELECT id, job, pid FROM run WHERE outcome = 'running' ORDER BY id") { row in
            LiveRun(id: try row[0], job: try row[1], pid: try row[2])
        }.filter { alive.contains($0.id) }
    }
}
