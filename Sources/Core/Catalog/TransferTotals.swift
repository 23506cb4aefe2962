package import SQLite

/// A measured part of a transfer; the raw value is its column in the catalog.
package enum Phase: String, CaseIterable, Sendable {
    case queue = "queue_us"
    case dns = "dns_us"
    case connect = "connect_us"
    case tls = "tls_us"
    case wait = "wait_us"
    case receive = "receive_us"
    case total = "total_us"
    case store = "store_us"

    /// The column without its unit.
    package var name: String { String(rawValue.dropLast(3)) }

    /// How long it took in the transfers of a run for which the network was used, in microseconds, in ascending order.
    package func durations(ofRun run: Int64, from connection: Connection) throws -> [Int64] {
        var durations = try connection.rows(
            "SELECT \(rawValue) FROM transfer WHERE run_id = ? AND attempts > 0 AND \(rawValue) IS NOT NULL", run
        ) { row in try row[0] as Int64 }
        durations.sort()
        return durations
    }
}

/// Counts over the transfers of a run for which the network was used: those with `attempts` above 0.
package struct TransferTotals: Sendable {
    package let transfers: Int64
    /// How many of them found a connection open.
    package let reused: Int64
    /// How many used which version of HTTP, the most used one first.
    package let versions: [(version: String, count: Int64)]

    package init(ofRun run: Int64, from connection: Connection) throws {
        (transfers, reused) =
            try connection.first(
                """
                SELECT count(*), coalesce(sum(connection_reused), 0) FROM transfer WHERE run_id = ? AND attempts > 0
                """, run
            ) { row in (try row[0], try row[1]) } ?? (0, 0)
        versions = try connection.rows(
            """
            SELECT http_version, count(*) FROM transfer
            WHERE run_id = ? AND attempts > 0 AND http_version IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1
            """, run
        ) { row in (version: try row[0], count: try row[1]) }
    }
}
