import Model
package import SQLite

/// A run as its row has it, for those who look for it from outside.
package struct CatalogRun: Sendable, Hashable {
    package let id: Int64
    package let job: String
    package let processID: Int64
    package let startedAt: Int64
    /// nil while it goes on.
    package let finishedAt: Int64?
    /// With `interrupted` for a run whose process has died.
    package let outcome: String
    package let downloaded: Int
    package let unchanged: Int
    package let fresh: Int
    package let failed: Int
    package let cancelled: Int

    /// Whether a process works on it now.
    package var isAtWork: Bool { outcome == RunOutcome.running.rawValue }

    /// Whether shards carry it, and no process of this machine.
    package var isCarried: Bool { isAtWork && processID == ShardRows.noProcess }

    private static let columns = """
        id, job, pid, host, started_at, finished_at, outcome, downloaded, unchanged, fresh, failed, cancelled
        """

    private init(_ row: borrowing Row, catalog: String) throws {
        id = try row[0]
        job = try row[1]
        processID = try row[2]
        startedAt = try row[4]
        finishedAt = try row[5]
        outcome = RunLiveness.outcome(
            try row[6], job: try row[1], processID: try row[2], host: try row[3], catalog: catalog)
        downloaded = try row[7]
        unchanged = try row[8]
        fresh = try row[9]
        failed = try row[10]
        cancelled = try row[11]
    }

    /// The runs that are at work, the oldest first.
    package static func atWork(on catalog: Connection) throws -> [CatalogRun] {
        try catalog.rows("SELECT \(columns) FROM run WHERE outcome = 'running' ORDER BY id") { row in
            try CatalogRun(row, catalog: catalog.path)
        }.filter(\.isAtWork)
    }

    /// A run by its id; nil where there is none.
    package static func one(_ id: Int64, on catalog: Connection) throws -> CatalogRun? {
        try catalog.first("SELECT \(columns) FROM run WHERE id = ?", id) { row in
            try CatalogRun(row, catalog: catalog.path)
        }
    }

    /// The last run of each job, by the jobs' names.
    package static func last(on catalog: Connection) throws -> [CatalogRun] {
        try catalog.rows(
            "SELECT \(columns) FROM run WHERE id IN (SELECT max(id) FROM run GROUP BY job) ORDER BY job"
        ) { row in try CatalogRun(row, catalog: catalog.path) }
    }

    /// The names of all jobs.
    package static func jobs(on catalog: Connection) throws -> [String] {
        try CatalogJob.names(on: catalog)
    }
}

/// What a word on the command line means in a job: a collection, or an item.
package enum SteeringTarget: Sendable, Hashable {
    case collection(key: String)
    case item(id: Int64)

    /// Why a word means nothing that can be steered.
    package enum Fault: Error, Hashable, Sendable {
        case unknown
        /// Several items have that name: their keys.
        case ambiguous([String])
    }

    /// - Parameter word: the key of a collection, or the key, URL, title or path of an item.
    package static func find(_ word: String, of job: String, on catalog: Connection) throws -> SteeringTarget {
        let isCollection: Bool? = try catalog.value(
            "SELECT EXISTS (SELECT 1 FROM collection WHERE job = ? AND key = ?)", job, word)
        if isCollection == true { return .collection(key: word) }
        let items = try ItemLookup.items(word, of: job, on: catalog)
        guard let item = items.first else { throw Fault.unknown }
        guard items.count == 1 else { throw Fault.ambiguous(items.map(\.key)) }
        return .item(id: item.id)
    }
}
