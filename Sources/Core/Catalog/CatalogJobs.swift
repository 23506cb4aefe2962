package import SQLite

/// The names of the jobs in the catalog, in order.
package func jobNames(on connection: Connection) throws -> [String] {
    try connection.rows("SELECT name FROM job ORDER BY name") { row in try row[0] as String }
}

/// The file of a job as the catalog has it; nil for a job that it does not have.
package func jobFile(of job: String, on connection: Connection) throws -> String? {
    try connection.value("SELECT file FROM job WHERE name = ?", job, as: String.self)
}

/// Files that a job has stored, and their bytes.
package struct StoredSum: Hashable, Sendable {
    package let files: Int64
    package let bytes: Int64

    /// By the names of the jobs. One pass over the items as they lie: in the order of an index each row would be looked up.
    package static func all(of jobs: [String], from connection: Connection) throws -> [String: StoredSum] {
        guard !jobs.isEmpty else { return [:] }
        let only = jobs.count == 1 ? jobs.first : nil
        var sums: [String: StoredSum] = [:]
        try connection.forEach(
            """
            SELECT job, count(*), CAST(total(size) AS INTEGER) FROM item
            WHERE size IS NOT NULL AND state IN ('stored', 'gone') AND (?1 IS NULL OR +job = ?1) GROUP BY +job
            """, only
        ) { row in sums[try row[0]] = StoredSum(files: try row[1], bytes: try row[2]) }
        return sums
    }
}
