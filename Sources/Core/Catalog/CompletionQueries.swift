package import Model
package import SQLite

/// What completions of a command line offer of the catalog.
package enum CompletionQueries {
    /// A name, with what a person knows it by.
    package struct Name: Sendable {
        package let name: String
        package let meaning: String
    }

    package struct Run: Sendable {
        package let id: Int64
        package let job: String
        /// Microseconds since 1970 UTC.
        package let startedAt: Int64
        package let outcome: RunOutcome
    }

    /// The names of the jobs, with their files.
    package static func jobs(limit: Int, on catalog: Connection) throws -> [Name] {
        try catalog.rows("SELECT name, file FROM job ORDER BY name LIMIT ?", limit) {
            try Name(name: $0[0], meaning: $0[1])
        }
    }

    /// The latest runs, the last one first.
    package static func runs(limit: Int, on catalog: Connection) throws -> [Run] {
        try catalog.rows(
            "SELECT id, job, started_at, outcome, pid, host FROM run ORDER BY id DESC LIMIT ?", limit
        ) { row in
            let job: String = try row[1]
            let outcome = RunLiveness.outcome(
                try row[3], job: job, processID: try row[4], host: try row[5], catalog: catalog.path)
            return Run(
                id: try row[0], job: job, startedAt: try row[2], outcome: RunOutcome(rawValue: outcome) ?? .interrupted)
        }
    }

    /// The keys of a job's collections, with their titles, in the order of the list.
    ///
    /// - Parameter job: its name or its file.
    package static func collections(ofJob job: String, limit: Int, on catalog: Connection) throws -> [Name] {
        try catalog.rows(
            """
            SELECT collection.key, title FROM collection JOIN job ON job.name = job WHERE ? IN (job.name, job.file)
            ORDER BY position, id LIMIT ?
            """, job, limit
        ) { try Name(name: $0[0], meaning: $0[1]) }
    }

    /// The keys of a job's listed items that begin with a text, with their titles, in the order of the list.
    ///
    /// - Parameter job: its name or its file.
    package static func items(
        ofJob job: String, beginningWith text: String, limit: Int, on catalog: Connection
    ) throws -> [Name] {
        try catalog.rows(
            """
            SELECT item.key, title FROM item JOIN job ON job.name = job
            WHERE ? IN (job.name, job.file) AND substr(item.key, 1, ?) = ? AND state NOT IN ('gone', 'removed')
            ORDER BY position, item.id LIMIT ?
            """, job, text.unicodeScalars.count, text, limit
        ) { try Name(name: $0[0], meaning: $0[1]) }
    }
}
