package import SQLite

/// When a transfer of a run began and how long it took: what is drawn of it where the rest is not needed.
package struct TransferSpan: Sendable, Hashable {
    package let item: Int64
    /// Microseconds since 1970 UTC.
    package let start: Int64
    /// Microseconds, from the first attempt to the final outcome.
    package let length: Int64
    /// Of the last attempt.
    package let total: Int64
    package let receive: Int64
    package let wireBytes: Int64
    package let isFailed: Bool

    package init(
        item: Int64, start: Int64, length: Int64, total: Int64 = 0, receive: Int64 = 0, wireBytes: Int64 = 0,
        isFailed: Bool = false
    ) {
        self.item = item
        self.start = start
        self.length = length
        self.total = total
        self.receive = receive
        self.wireBytes = wireBytes
        self.isFailed = isFailed
    }

    package var end: Int64 { start + length }

    /// The transfers of a run for which something was asked, in the order in which they began.
    package static func all(ofRun run: Int64, from connection: Connection) throws -> [TransferSpan] {
        try connection.rows(
            """
            SELECT item_id, started_at, max(coalesce(elapsed_us, 0), coalesce(total_us, 0)), coalesce(total_us, 0),
                coalesce(receive_us, 0), coalesce(wire_bytes, 0), outcome = 'failed'
            FROM transfer WHERE run_id = ? AND attempts > 0 AND started_at IS NOT NULL ORDER BY started_at, item_id
            """, run
        ) { row in
            TransferSpan(
                item: try row[0], start: clamped(try row[1]), length: clamped(try row[2]), total: clamped(try row[3]),
                receive: clamped(try row[4]), wireBytes: clamped(try row[5]), isFailed: try row[6])
        }
    }

    private static func clamped(_ value: Int64) -> Int64 { min(max(value, 0), 1 << 52) }
}

/// An item of a run for which nothing was asked.
package struct QuietTransfer: Sendable, Hashable {
    package let item: Int64
    package let isFailed: Bool

    package init(item: Int64, isFailed: Bool) {
        self.item = item
        self.isFailed = isFailed
    }

    /// In the order of the items.
    package static func all(ofRun run: Int64, from connection: Connection) throws -> [QuietTransfer] {
        try connection.rows(
            """
            SELECT item_id, outcome = 'failed' FROM transfer
            WHERE run_id = ? AND NOT (attempts > 0 AND started_at IS NOT NULL) ORDER BY item_id
            """, run
        ) { row in QuietTransfer(item: try row[0], isFailed: try row[1]) }
    }
}

/// A small picture of an item, as a file below its job's folder.
package struct ItemThumbnail: Sendable, Hashable {
    package let title: String
    /// Absolute.
    package let file: String
    package let width: Int64
    package let height: Int64

    /// The first thumbnail of items of a run, in the order of the list, at most `limit`.
    package static func all(ofRun run: Int64, limit: Int, from connection: Connection) throws -> [ItemThumbnail] {
        try connection.rows(
            """
            SELECT item.title, directory || '/' || picture.path, width, height
            FROM transfer JOIN item ON item.id = transfer.item_id JOIN job ON job.name = item.job
                JOIN picture ON picture.item_id = item.id AND kind = 'thumbnail'
                    AND picture.position = (SELECT min(position) FROM picture AS first
                        WHERE first.item_id = item.id AND first.kind = 'thumbnail')
            WHERE run_id = ? ORDER BY item.position, item.id LIMIT ?
            """, run, limit
        ) { row in ItemThumbnail(title: try row[0], file: try row[1], width: try row[2], height: try row[3]) }
    }
}
