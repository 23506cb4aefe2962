import Core
import Reports
import SQLite

/// What of the catalog may stand on a command line. Where there is no catalog, or it can't be read, that is nothing.
struct CompletionCatalog {
    /// The value of `--database` as it was typed.
    let database: String?
    let environment: [String: String]

    /// More of them help nobody who looks for one.
    private static let limit = 500

    /// The names of the jobs, with their files.
    func jobs() -> [Candidates.Word] {
        read { connection in
            try connection.rows("SELECT name, file FROM job ORDER BY name LIMIT ?", Self.limit) { row in
                Candidates.Word(try row[0], try row[1])
            }
        }
    }

    /// The latest runs, with what they are.
    func runs() -> [Candidates.Word] {
        read { connection in
            try connection.rows(
                "SELECT id, job, started_at, outcome, pid, host FROM run ORDER BY id DESC LIMIT 20"
            ) { row in
                let (id, job): (Int64, String) = (try row[0], try row[1])
                let outcome = RunLiveness.outcome(
                    try row[3], job: job, processID: try row[4], host: try row[5], catalog: connection.path)
                return Candidates.Word("\(id)", "\(job), \(localTimeText(try row[2])), \(outcome)")
            }
        }
    }

    /// The keys of a job's collections, with their titles.
    func collections(of job: String) -> [Candidates.Word] {
        read { connection in
            try connection.rows(
                "SELECT key, title FROM collection WHERE job = ? ORDER BY position, id LIMIT ?", job, Self.limit
            ) { row in Candidates.Word(try row[0], try row[1]) }
        }
    }

    private func read(_ body: (Connection) throws -> [Candidates.Word]) -> [Candidates.Word] {
        var file = database
        // The shell replaces it only when the line is run.
        if let home = environment["HOME"], let typed = file, typed.hasPrefix("~/") { file = home + typed.dropFirst() }
        do {
            let path = try CatalogLocation.path(flag: file, environment: environment)
            let connection = try CatalogLocation.openForReading(path)
            defer { connection.close() }
            return try body(connection)
        } catch {
            // Words on stderr would end up in the middle of what is being typed.
            return []
        }
    }
}
