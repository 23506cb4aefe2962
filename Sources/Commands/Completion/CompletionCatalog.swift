import Catalog
import Reports
import SQLite
import System

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
                """
                SELECT collection.key, title FROM collection JOIN job ON job.name = job WHERE ? IN (job.name, job.file)
                ORDER BY position, id LIMIT ?
                """, name(of: job), Self.limit
            ) { row in Candidates.Word(try row[0], try row[1]) }
        }
    }

    /// The keys of a job's items that begin with what was typed, with their titles.
    func items(of job: String, _ typed: String) -> [Candidates.Word] {
        read { connection in
            try connection.rows(
                """
                SELECT item.key, title FROM item JOIN job ON job.name = job
                WHERE ? IN (job.name, job.file) AND substr(item.key, 1, ?) = ? AND state NOT IN ('gone', 'removed')
                ORDER BY position, item.id LIMIT ?
                """, name(of: job), typed.unicodeScalars.count, typed, Self.limit
            ) { row in Candidates.Word(try row[0], try row[1]) }
        }
    }

    /// A job's name as it is, its file as the catalog has it.
    private func name(of job: String) -> String {
        job.contains("/") || job.hasSuffix(".yaml") || job.hasSuffix(".yml") ? FilePath.absolute(job) : job
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
