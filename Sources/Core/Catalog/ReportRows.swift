package import SQLite

/// The rows of one table of a report, in the order in which they are shown, with the columns of a document.
///
/// Only the ids are held, eight bytes a row. The rows are read in short transactions, with the output in between: a slow
/// reader of a long report keeps neither the memory nor the catalog's write-ahead log growing. A row that is deleted
/// meanwhile is passed over.
package struct ReportRows {
    package let ids: [Int64]
    /// Gives one row: the first parameter is the run, the second the id.
    private let sql: String
    private let run: Int64

    static let rowsPerTransaction = 256

    /// `list` is a query for the ids, with the run as its one parameter.
    fileprivate init(list: String, sql: String, run: Int64, from connection: Connection) throws {
        ids = try connection.rows(list, run) { row in try row[0] as Int64 }
        self.sql = sql
        self.run = run
    }

    /// Hands each row to `body`, and calls `flush` often, outside of any transaction.
    package func forEach(
        from connection: Connection, _ body: (borrowing Row) throws -> Void, flush: () throws -> Void
    ) throws {
        let statement = try connection.statement(sql)
        var start = 0
        while start < ids.count {
            let end = min(start + ReportRows.rowsPerTransaction, ids.count)
            try connection.transaction(.deferred) {
                for id in ids[start..<end] {
                    _ = try statement.first(run, id, read: body)
                }
            }
            try flush()
            start = end
        }
    }
}

// MARK: - The tables

extension ReportRows {
    /// The items of a run, by collection and section, with the last download of those that the run did not download.
    package static func items(ofRun run: Int64, job: String, from connection: Connection) throws -> ReportRows {
        try items(itemColumns, ofRun: run, job: job, from: connection)
    }

    fileprivate static func items(
        _ columns: String, ofRun run: Int64, job: String, from connection: Connection
    ) throws -> ReportRows {
        try findLastDownloads(before: run, ofJob: job, on: connection)
        return try ReportRows(
            list: """
                SELECT item_id FROM transfer JOIN item ON item.id = item_id
                JOIN collection ON collection.id = item.collection_id
                WHERE run_id = ? ORDER BY collection.position, collection.id, item.section, item.position, item.id
                """,
            sql: """
                SELECT \(columns) FROM item
                JOIN collection ON collection.id = item.collection_id
                JOIN transfer ON transfer.run_id = ? AND transfer.item_id = item.id
                LEFT JOIN last_download ON last_download.item_id = item.id AND transfer.outcome <> 'downloaded'
                LEFT JOIN transfer AS last ON last.run_id = last_download.run_id AND last.item_id = item.id
                LEFT JOIN download AS pruned ON pruned.item_id = last_download.item_id
                    AND pruned.run_id = last_download.run_id
                WHERE item.id = ?
                """,
            run: run, from: connection)
    }

    /// The failed items of a run, those that failed alike together, the most frequent failure first.
    package static func failures(ofRun run: Int64, from connection: Connection) throws -> ReportRows {
        try ReportRows(
            list: """
                SELECT item_id FROM transfer JOIN item ON item.id = item_id
                WHERE run_id = ? AND outcome = 'failed'
                ORDER BY count(*) OVER (PARTITION BY transfer.failure, status) DESC, transfer.failure, status,
                    item.position, item.id
                """,
            sql: transferOfItem(failureColumns), run: run, from: connection)
    }

    /// The transfers of a run that took longest, at most `limit`.
    package static func slowest(_ limit: Int, ofRun run: Int64, from connection: Connection) throws -> ReportRows {
        try ReportRows(
            list: """
                SELECT item_id FROM transfer WHERE run_id = ? AND attempts > 0 AND total_us IS NOT NULL
                ORDER BY total_us DESC, item_id LIMIT \(limit)
                """,
            sql: transferOfItem(slowestColumns), run: run, from: connection)
    }

    private static func transferOfItem(_ columns: String) -> String {
        """
        SELECT \(columns) FROM item
        JOIN transfer ON transfer.run_id = ? AND transfer.item_id = item.id WHERE item.id = ?
        """
    }

    /// Hands the collections that have an item in a run to `body`, in the order of the source, with the run's sums.
    ///
    /// Collections are few: they are read in one transaction.
    package static func forEachCollection(
        ofRun run: Int64, from connection: Connection, _ body: (borrowing Row) throws -> Void
    ) throws {
        try connection.forEach(
            """
            SELECT \(collectionColumns) FROM collection JOIN (
                SELECT collection_id, sum(outcome = 'downloaded') AS downloaded, sum(outcome = 'unchanged') AS unchanged,
                    sum(outcome = 'fresh') AS fresh, sum(outcome = 'evicted') AS evicted, sum(outcome = 'failed') AS failed,
                    sum(outcome = 'cancelled') AS cancelled,
                    CAST(total(wire_bytes) AS INTEGER) AS wire_bytes, CAST(total(body_bytes) AS INTEGER) AS body_bytes
                FROM transfer JOIN item ON item.id = item_id WHERE run_id = ? GROUP BY collection_id
            ) AS sums ON sums.collection_id = collection.id
            ORDER BY collection.position, collection.id
            """, run, read: body)
    }

    private static let collectionColumns = """
        collection.id, key, title, subtitle, section, latitude, longitude, position, expected,
        downloaded, unchanged, fresh, evicted, failed, cancelled, wire_bytes, body_bytes
        """

    private static let timingColumns = """
        transfer.queue_us, transfer.dns_us, transfer.connect_us, transfer.tls_us, transfer.wait_us,
        transfer.receive_us, transfer.total_us, transfer.store_us, transfer.elapsed_us,
        transfer.wire_bytes, transfer.body_bytes, transfer.http_version, transfer.connection_reused, transfer.address
        """

    /// What the last download of an item that this run did not download comes after: the columns of an object.
    private static let itemColumns = """
        item.id, item.collection_id, collection.key AS collection, item.key, item.position, item.url, item.title,
        item.description, item.section, item.metadata, item.thumbnail_url, item.path, item.media_type, item.size,
        item.sha256, item.stored_url, item.etag, item.last_modified, item.expires_at, item.stored_at, item.state,
        transfer.outcome, transfer.attempts, transfer.status, transfer.failure, transfer.detail, transfer.started_at,
        \(timingColumns),
        last_download.run_id, coalesce(last.started_at, pruned.started_at) AS started_at,
        coalesce(last.total_us, pruned.total_us) AS total_us,
        coalesce(last.elapsed_us, pruned.elapsed_us) AS elapsed_us,
        coalesce(last.wire_bytes, pruned.wire_bytes) AS wire_bytes,
        coalesce(last.body_bytes, pruned.body_bytes) AS body_bytes
        """
    /// So many columns at the end of ``items(ofRun:job:from:)`` are of the last download.
    package static let lastDownloadColumnCount = 6

    private static let failureColumns = """
        item.id, item.collection_id, item.key, item.title, item.url, transfer.failure, transfer.status,
        transfer.attempts, transfer.detail, transfer.started_at, transfer.elapsed_us
        """

    private static let slowestColumns = """
        item.id, item.collection_id, item.key, item.title, item.url, transfer.outcome, transfer.attempts,
        transfer.status, transfer.started_at, \(timingColumns)
        """
}

// MARK: - Lines for people

/// An item of a run in a few words.
package struct ItemLine: Sendable, Hashable {
    package let outcome: String
    package let size: Int64?
    /// Of this run's download, else of the last one, in microseconds.
    package let time: Int64?
    package let title: String
    package let collectionSection: String?
    package let collection: String
    package let section: String?

    private static let columns = """
        transfer.outcome, coalesce(CASE transfer.outcome WHEN 'downloaded' THEN transfer.body_bytes END, item.size),
        CASE transfer.outcome WHEN 'downloaded' THEN transfer.total_us ELSE coalesce(last.total_us, pruned.total_us) END,
        item.title, collection.section, collection.title, item.section
        """

    /// Hands the items of a run to `body`, by collection and section, and calls `flush` outside of any transaction.
    package static func forEach(
        ofRun run: Int64, job: String, from connection: Connection, _ body: (ItemLine) throws -> Void,
        flush: () throws -> Void
    ) throws {
        let rows = try ReportRows.items(columns, ofRun: run, job: job, from: connection)
        try rows.forEach(from: connection) { row in
            try body(
                ItemLine(
                    outcome: try row[0], size: try row[1], time: try row[2], title: try row[3],
                    collectionSection: try row[4], collection: try row[5], section: try row[6]))
        } flush: {
            try flush()
        }
    }

    /// Whether the items of a run are in several collections or sections.
    package static func areGrouped(inRun run: Int64, from connection: Connection) throws -> Bool {
        let groups = try connection.value(
            """
            SELECT count(*) FROM (SELECT DISTINCT collection_id, section
            FROM transfer JOIN item ON item.id = item_id WHERE run_id = ? LIMIT 2)
            """, run, as: Int.self)
        return groups == 2
    }
}
