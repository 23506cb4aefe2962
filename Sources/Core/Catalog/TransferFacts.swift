package import SQLite

/// What the catalog has of one transfer and its item, for programs that draw or convert it.
///
/// A catalog may have been written by anybody: durations and sizes are clamped to 0 … 2^52, so that sums of a few cannot
/// overflow and every number is exact in JavaScript.
package struct TransferFacts: Sendable {
    package let item: Int64
    package let key: String
    package let title: String
    /// As the catalog writes it, secrets as `${NAME}`.
    package let url: String
    /// The title of the item's collection.
    package let collection: String
    package let mediaType: String?
    /// Of the stored file.
    package let size: Int64?
    package let outcome: String
    package let attempts: Int64
    package let status: Int64?
    package let failure: String?
    package let detail: String?
    /// Of the first attempt, microseconds since 1970 UTC; nil where nothing was asked.
    package let startedAt: Int64?
    /// Microseconds, as the columns of the same names.
    package let queue: Int64?
    package let dns: Int64?
    package let connect: Int64?
    package let tls: Int64?
    package let wait: Int64?
    package let receive: Int64?
    package let total: Int64?
    package let store: Int64?
    package let elapsed: Int64?
    package let wireBytes: Int64?
    package let bodyBytes: Int64?
    package let httpVersion: String?
    package let isReused: Bool?
    package let address: String?

    private static let columns = """
        item_id, item.key, item.title, item.url, collection.title, media_type, size, outcome, attempts, status,
        transfer.failure, detail, started_at, queue_us, dns_us, connect_us, tls_us, wait_us, receive_us, total_us,
        store_us, elapsed_us, wire_bytes, body_bytes, http_version, connection_reused, address
        """

    private static let source = """
        transfer CROSS JOIN item ON item.id = item_id CROSS JOIN collection ON collection.id = collection_id
        """

    private init(_ row: borrowing Row) throws {
        (item, key, title) = (try row[0], try row[1], try row[2])
        (url, collection, mediaType) = (try row[3], try row[4], try row[5])
        size = try Self.number(row, 6)
        (outcome, attempts, status) = (try row[7], try row[8], try row[9])
        (failure, detail) = (try row[10], try row[11])
        startedAt = try Self.number(row, 12)
        (queue, dns, connect, tls) = (
            try Self.number(row, 13), try Self.number(row, 14), try Self.number(row, 15), try Self.number(row, 16)
        )
        (wait, receive, total, store) = (
            try Self.number(row, 17), try Self.number(row, 18), try Self.number(row, 19), try Self.number(row, 20)
        )
        (elapsed, wireBytes, bodyBytes) = (try Self.number(row, 21), try Self.number(row, 22), try Self.number(row, 23))
        (httpVersion, isReused, address) = (try row[24], try row[25], try row[26])
    }

    private static func number(_ row: borrowing Row, _ column: Int) throws -> Int64? {
        let value: Int64? = try row[column]
        return value.map { min(max($0, 0), 1 << 52) }
    }

    /// Hands the transfers of these items in a run to `body`, in their order; one that was deleted is passed over.
    package static func forEach(
        _ items: [Int64], ofRun run: Int64, from connection: Connection, _ body: (TransferFacts) throws -> Void,
        flush: () throws -> Void = {}
    ) throws {
        let statement = try connection.statement("SELECT \(columns) FROM \(source) WHERE run_id = ? AND item_id = ?")
        var start = 0
        while start < items.count {
            let end = min(start + rowsPerPage, items.count)
            let page = try connection.transaction(.deferred) {
                try items[start..<end].compactMap { try statement.first(run, $0) { row in try TransferFacts(row) } }
            }
            for facts in page { try body(facts) }
            try flush()
            start = end
        }
    }

    private static let rowsPerPage = 256
}
