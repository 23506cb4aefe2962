package import SQLite

/// A host that a run throttled, because it asked for less, slowed down or failed again and again.
package struct HostThrottle: Sendable, Equatable {
    /// Scheme, name and port, as `https://example.org`.
    package let host: String
    /// Replies 429 and 503.
    package let refusals: Int64
    /// How often its share was cut.
    package let cuts: Int64
    /// The fewest requests at a time and a second; `nil` where they were not limited.
    package let leastConcurrency: Int64?
    package let leastRate: Double?
    /// Microseconds for which it was paused.
    package let held: Int64
    /// How often it was paused because it failed again and again, and the items that ended because of that.
    package let pauses: Int64
    package let givenUp: Int64

    /// The hosts of a run, those that refused and failed most first. None in a catalog from before there was such a table.
    package static func all(ofRun run: Int64, from connection: Connection) throws -> [HostThrottle] {
        let tables = try connection.value("SELECT count(*) FROM sqlite_schema WHERE name = 'throttle'", as: Int.self)
        guard tables == 1 else { return [] }
        return try connection.rows(
            """
            SELECT host, refusals, cuts, least_concurrency, least_rate, held_us, pauses, given_up FROM throttle
            WHERE run_id = ? ORDER BY given_up DESC, refusals DESC, held_us DESC, host
            """, run
        ) { row in
            HostThrottle(
                host: try row[0], refusals: try row[1], cuts: try row[2], leastConcurrency: try row[3],
                leastRate: try row[4], held: try row[5], pauses: try row[6], givenUp: try row[7])
        }
    }
}
