import Model
package import SQLite

/// An item that a run met for the first time, or that failed although it had not when it was last tried.
package struct NewInRun: Sendable, Hashable {
    package enum Kind: String, Sendable {
        case item, failure
    }

    package let kind: Kind
    package let item: Int64
    package let key: String
    package let title: String
    package let url: String
    package let outcome: String
    package let failure: String?
    package let status: Int64?
    package let detail: String?

    /// What is new in a run, items before failures, each in the order of the list. An item that is new and failed is both.
    ///
    /// - Returns: nil for the first run of a job that the catalog has: all of it is new.
    package static func all(ofRun run: Int64, job: String, from connection: Connection) throws -> [NewInRun]? {
        guard let earlier = try earlier(than: run, job: job, from: connection) else { return nil }
        let items = try connection.rows(
            "\(select) AND item_id > ? ORDER BY position, item_id", run, earlier.highestItem
        ) { row in try NewInRun(.item, row) }
        let failed = try connection.rows(
            "\(select) AND outcome = 'failed' ORDER BY position, item_id", run
        ) { row in try NewInRun(.failure, row) }
        let isNew = try newFailures(than: earlier, job: job, run: run, from: connection)
        return items + (try failed.filter { try isNew($0.item, $0.detail) })
    }

    /// How many items and failures of a run are new, and the run before it; nil for the first run of a job.
    package static func counts(
        ofRun run: Int64, job: String, from connection: Connection
    ) throws -> (previous: Int64, items: Int64, failures: Int64)? {
        guard let earlier = try earlier(than: run, job: job, from: connection) else { return nil }
        let items: Int64? = try connection.value(
            "SELECT count(*) FROM transfer WHERE run_id = ? AND item_id > ?", run, earlier.highestItem)
        let failed = try connection.rows(
            "SELECT item_id, detail FROM transfer WHERE run_id = ? AND outcome = 'failed'", run
        ) { row in (item: try row[0] as Int64, detail: try row[1] as String?) }
        let isNew = try newFailures(than: earlier, job: job, run: run, from: connection)
        let failures = try failed.reduce(into: Int64(0)) { count, failure in
            if try isNew(failure.item, failure.detail) { count += 1 }
        }
        return (earlier.run, items ?? 0, failures)
    }

    private typealias Earlier = (run: Int64, highestItem: Int64)

    /// The run before one, and the highest item of all before it. Rows of items are made as they are listed first: a new one
    /// has a higher id than all that were in a run before.
    private static func earlier(than run: Int64, job: String, from connection: Connection) throws -> Earlier? {
        let found = try connection.first(
            """
            SELECT max(id), max((SELECT item_id FROM transfer WHERE run_id = run.id ORDER BY item_id DESC LIMIT 1))
            FROM run WHERE job = ? AND id < ?
            """, job, run
        ) { row in (run: try row[0] as Int64?, item: try row[1] as Int64?) }
        return found.flatMap { found in found.run.map { ($0, found.item ?? 0) } }
    }

    /// Tells whether the failure of an item is new: the server was asked, and the item had not failed when it was last
    /// tried.
    private static func newFailures(
        than earlier: Earlier, job: String, run: Int64, from connection: Connection
    ) throws -> (_ item: Int64, _ detail: String?) throws -> Bool {
        let last = try connection.statement(
            """
            SELECT transfer.outcome = 'failed' FROM run CROSS JOIN transfer ON run_id = run.id AND item_id = ?
            WHERE job = ? AND run.id < ? ORDER BY run.id DESC LIMIT 1
            """)
        return { item, detail in
            guard KnownFailure(detail: detail) == nil else { return false }
            return try item > earlier.highestItem || last.first(item, job, run) { row in try row[0] as Bool } != true
        }
    }

    private static let select = """
        SELECT item_id, key, title, url, outcome, transfer.failure, status, detail
        FROM transfer JOIN item ON item.id = item_id WHERE run_id = ?
        """

    private init(_ kind: Kind, _ row: borrowing Row) throws {
        self.kind = kind
        (item, key, title, url) = (try row[0], try row[1], try row[2], try row[3])
        (outcome, failure, status, detail) = (try row[4], try row[5], try row[6], try row[7])
    }
}
