internal import SQLite

/// The rows of one table of a report, in the order in which they are shown.
///
/// Only the ids are held, eight bytes a row. The rows are read in short transactions, with the output in between: a slow
/// reader of a long report keeps neither the memory nor the catalog's write-ahead log growing. A row that is deleted
/// meanwhile is passed over.
struct ReportRows {
    let ids: [Int64]
    /// Gives one row: the first parameter is the run, the second the id.
    let sql: String
    let run: Int64

    private static let rowsPerTransaction = 256

    /// `list` is a query for the ids, with the run as its one parameter.
    init(list: String, sql: String, run: Int64, from connection: Connection) throws {
        ids = try connection.rows(list, run) { row in try row[0] as Int64 }
        self.sql = sql
        self.run = run
    }

    init(ids: [Int64], sql: String, run: Int64) {
        self.ids = ids
        self.sql = sql
        self.run = run
    }

    var isEmpty: Bool { ids.isEmpty }

    /// Hands each row to `body`, and calls `flush` often, outside of any transaction.
    func forEach(
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
    /// The items of a run, by collection and section.
    static func items(of run: RunReport, columns: String, from connection: Connection) throws -> ReportRows {
        try findLastDownloads(before: run, on: connection)
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
            run: run.id, from: connection)
    }

    /// The failed items of a run, those that failed alike together, the most frequent failure first.
    static func failures(of run: RunReport, columns: String, from connection: Connection) throws -> ReportRows {
        try ReportRows(
            list: """
                SELECT item_id FROM transfer JOIN item ON item.id = item_id
                WHERE run_id = ? AND outcome = 'failed'
                ORDER BY count(*) OVER (PARTITION BY transfer.failure, status) DESC, transfer.failure, status,
                    item.position, item.id
                """,
            sql: transferOfItem(columns), run: run.id, from: connection)
    }

    /// The transfers of a run that took longest, at most `limit`.
    static func slowest(
        _ limit: Int, of run: RunReport, columns: String, from connection: Connection
    ) throws -> ReportRows {
        try ReportRows(
            list: """
                SELECT item_id FROM transfer WHERE run_id = ? AND attempts > 0 AND total_us IS NOT NULL
                ORDER BY total_us DESC, item_id LIMIT \(limit)
                """,
            sql: transferOfItem(columns), run: run.id, from: connection)
    }

    /// The transfers of these items in a run.
    static func transfers(_ ids: [Int64], of run: RunReport, columns: String) -> ReportRows {
        ReportRows(ids: ids, sql: transferOfItem(columns), run: run.id)
    }

    private static func transferOfItem(_ columns: String) -> String {
        """
        SELECT \(columns) FROM item
        JOIN transfer ON transfer.run_id = ? AND transfer.item_id = item.id WHERE item.id = ?
        """
    }
}

/// Hands the collections that have an item in a run to `body`, in the order of the source, with the run's sums.
///
/// Collections are few: they are read in one transaction.
func forEachCollection(
    of run: RunReport, columns: String, from connection: Connection, _ body: (borrowing Row) throws -> Void
) throws {
    try connection.forEach(
        """
        SELECT \(columns) FROM collection JOIN (
            SELECT collection_id, sum(outcome = 'downloaded') AS downloaded, sum(outcome = 'unchanged') AS unchanged,
                sum(outcome = 'fresh') AS fresh, sum(outcome = 'evicted') AS evicted, sum(outcome = 'failed') AS failed,
                sum(outcome = 'cancelled') AS cancelled,
                CAST(total(wire_bytes) AS INTEGER) AS wire_bytes, CAST(total(body_bytes) AS INTEGER) AS body_bytes
            FROM transfer JOIN item ON item.id = item_id WHERE run_id = ? GROUP BY collection_id
        ) AS sums ON sums.collection_id = collection.id
        ORDER BY collection.position, collection.id
        """, run.id, read: body)
}
