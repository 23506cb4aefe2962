import HTTP
package import Model
package import SQLite

/// The rows of the `transfer` table, and what else a run writes of how it went.
package enum TransferRows {
    /// How many rows one statement writes: it opens tables and indexes once for them.
    package static let rowsAtOnce = 16

    /// The texts of the statements that write a row, and so many.
    private struct Insertion {
        let one: String
        let several: String

        init(_ columns: [String]) {
            func text(_ count: Int) -> String {
                let row = "(\(Array(repeating: "?", count: columns.count).joined(separator: ", ")))"
                return "INSERT INTO transfer (\(columns.joined(separator: ", "))) VALUES "
                    + Array(repeating: row, count: count).joined(separator: ", ")
            }
            one = text(1)
            several = text(rowsAtOnce)
        }

        static let unasked = Insertion(unaskedColumns)
        static let asked = Insertion(
            unaskedColumns + [
                "started_at", "queue_us", "dns_us", "connect_us", "tls_us", "wait_us", "receive_us", "total_us",
                "store_us", "elapsed_us", "wire_bytes", "body_bytes", "http_version", "connection_reused", "address",
            ])
        private static let unaskedColumns = [
            "run_id", "item_id", "outcome", "attempts", "status", "failure", "detail",
        ]
    }

    /// Writes the rows of items that were not asked for: short ones. Most rows are such in a run that finds everything
    /// fresh.
    package static func insertUnasked(
        _ transfers: [(item: Int64, record: TransferRecord)], run: Int64, on catalog: Connection
    ) throws {
        try insert(.unasked, transfers.count, on: catalog) { index, values in
            addOutcome(transfers[index].record, of: transfers[index].item, run, to: &values)
        }
    }

    /// Writes the rows of items.
    package static func insert(
        _ transfers: [(item: Int64, record: TransferRecord)], run: Int64, on catalog: Connection
    ) throws {
        try insert(.asked, transfers.count, on: catalog) { index, values in
            add(transfers[index].record, of: transfers[index].item, run, to: &values)
        }
    }

    private static func insert(
        _ insertion: Insertion, _ count: Int, on catalog: Connection, _ add: (Int, inout Parameters) -> Void
    ) throws {
        var start = 0
        while start < count {
            let isOne = count - start < rowsAtOnce
            let end = start + (isOne ? 1 : rowsAtOnce)
            try catalog.run(isOne ? insertion.one : insertion.several) { values in
                for index in start..<end { add(index, &values) }
            }
            start = end
        }
    }

    private static func addOutcome(
        _ record: TransferRecord, of item: Int64, _ run: Int64, to values: inout Parameters
    ) {
        values.add(run)
        values.add(item)
        values.add(record.outcome.rawValue)
        values.add(record.attempts)
        values.add(record.status)
        values.add(record.failure?.rawValue)
        values.add(record.detail)
    }

    private static func add(_ record: TransferRecord, of item: Int64, _ run: Int64, to values: inout Parameters) {
        addOutcome(record, of: item, run, to: &values)
        let timings = record.timings
        values.add(record.startedAt)
        values.add(timings?.queue)
        values.add(timings?.dns)
        values.add(timings?.connect)
        values.add(timings?.tls)
        values.add(timings?.wait)
        values.add(timings?.receive)
        values.add(timings?.total)
        values.add(timings?.store)
        values.add(timings?.elapsed)
        values.add(record.wireBytes)
        values.add(record.bodyBytes)
        values.add(record.httpVersion)
        values.add(record.isConnectionReused)
        values.add(record.address)
    }

    /// How an item ended in a run, and whether its failure is a permanent one.
    package static func ending(
        of item: Int64, inRun run: Int64, on catalog: Connection
    ) throws -> (record: TransferRecord, isPermanent: Bool)? {
        try catalog.first(
            """
            SELECT outcome, status, transfer.failure, detail, asked_again_at IS NOT NULL
            FROM transfer JOIN item ON item.id = transfer.item_id WHERE run_id = ? AND item_id = ?
            """, run, item
        ) { row in
            var record = TransferRecord(outcome: try row[0], failure: try row[2], detail: try row[3])
            record.status = try row[1]
            return (record, try row[4])
        }
    }

    /// The end of an item as an event; nil where the item has no row.
    package static func finished(
        _ item: Int64, _ record: TransferRecord, run: Int64, job: String, on catalog: Connection, now: Int64
    ) throws -> ItemFinished? {
        try catalog.first(
            """
            SELECT item.key, item.title, item.url, item.path, item.media_type, item.size, collection.key
            FROM item JOIN collection ON collection.id = item.collection_id WHERE item.id = ?
            """, item
        ) { row in
            ItemFinished(
                run: run, job: job, at: now, item: item, key: try row[0], collection: try row[6], title: try row[1],
                url: try row[2], path: try row[3], mediaType: try row[4], size: try row[5], transfer: record)
        }
    }

    // MARK: Once more

    /// An item that failed or was cancelled in a run.
    package struct Unsuccessful: Sendable {
        package let item: Int64
        package let collection: Int64
        package let outcome: TransferOutcome
        package let wireBytes: Int64
    }

    /// What failed in a run; or which of these items failed or were cancelled. Those without a URL that can be asked are
    /// left out.
    package static func unsuccessful(
        _ items: Set<Int64>?, inRun run: Int64, on catalog: Connection
    ) throws -> [Unsuccessful] {
        let query = """
            SELECT item_id, collection_id, outcome, coalesce(wire_bytes, 0) FROM transfer
            JOIN item ON item.id = item_id
            WHERE run_id = ?1 AND outcome IN ('failed', 'cancelled') AND state NOT IN ('gone', 'removed') AND stem <> ''
            """
        func read(_ row: borrowing Row) throws -> Unsuccessful {
            Unsuccessful(item: try row[0], collection: try row[1], outcome: try row[2], wireBytes: try row[3])
        }
        guard let items else {
            return try catalog.rows(query + " AND outcome = 'failed' ORDER BY item_id", run) { try read($0) }
        }
        return try items.sorted().compactMap { item in
            try catalog.first(query + " AND item_id = ?2", run, item) { try read($0) }
        }
    }

    package static func delete(_ item: Int64, run: Int64, on catalog: Connection) throws {
        try catalog.run("DELETE FROM transfer WHERE run_id = ? AND item_id = ?", run, item)
    }
}
