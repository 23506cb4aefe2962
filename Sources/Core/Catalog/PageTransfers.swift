package import SQLite

/// Transfers of a run, for plots.
package struct PageTransfer: Sendable {
    package let item: Int64
    package let title: String
    package let url: String
    package let outcome: String
    package let failure: String?
    /// In the order of ``numbers``.
    package let values: [Int64?]

    package static let numbers = [
        "status", "started_at", "queue_us", "dns_us", "connect_us", "tls_us", "wait_us", "receive_us", "store_us",
        "elapsed_us", "body_bytes",
    ]

    /// Those that began: all of them, or of more than `limit` an even part, by the items' ids; and how many there are.
    package static func sample(
        ofRun run: Int64, limit: Int, from catalog: Connection
    ) throws -> (rows: [PageTransfer], total: Int64) {
        let total: Int64 =
            try catalog.value(
                "SELECT count(*) FROM transfer WHERE run_id = ? AND started_at IS NOT NULL", run) ?? 0
        let step = max(1, (total + Int64(limit) - 1) / Int64(max(limit, 1)))
        let rows = try catalog.statement(
            """
            SELECT item_id, title, url, outcome, sampled.failure, \(numbers.joined(separator: ", "))
            FROM (SELECT *, row_number() OVER (ORDER BY item_id) AS number FROM transfer
                WHERE run_id = ?1 AND started_at IS NOT NULL) AS sampled
            JOIN item ON item.id = item_id WHERE number % ?2 = 0 ORDER BY item_id
            """
        ).rows(run, step) { row in
            var values: [Int64?] = []
            for column in numbers.indices { values.append(try row[5 + column]) }
            return PageTransfer(
                item: try row[0], title: try row[1], url: try row[2], outcome: try row[3], failure: try row[4],
                values: values)
        }
        return (rows, total)
    }
}
