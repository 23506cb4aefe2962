internal import JSON
internal import SQLite

/// A host that a run went easy on, because it asked for less, slowed down or failed again and again.
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
    /// Microseconds for which it was left alone.
    package let held: Int64
    /// How often it was left alone because it failed again and again, and the items that ended of that.
    package let pauses: Int64
    package let givenUp: Int64
}

extension HostThrottle {
    /// The hosts of a run, those that refused and failed most first. None in a catalog from before there was such a table.
    static func all(ofRun run: Int64, from connection: Connection) throws -> [HostThrottle] {
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

    /// What was done, for people.
    var clause: String {
        var parts: [String] = []
        if refusals > 0 { parts.append("refused \(countText(refusals)) \(refusals == 1 ? "request" : "requests")") }
        var least = leastConcurrency.map { "\($0) at a time" }
        if let leastRate { least = [least, rateText(leastRate)].compactMap { $0 }.joined(separator: " and ") }
        if let least { parts.append("asked for no more than \(least)") }
        if held > 0 { parts.append("left alone for \(durationText(microseconds: held))") }
        if givenUp > 0 { parts.append("\(countText(givenUp)) \(givenUp == 1 ? "item" : "items") given up") }
        return parts.joined(separator: ", ")
    }

    private func rateText(_ rate: Double) -> String {
        let tenths = Int64(exactly: (rate * 10).rounded()) ?? .max / 2
        return tenths >= 100 ? "\((tenths + 5) / 10)/s" : "\(tenths / 10).\(tenths % 10)/s"
    }
}

extension ReportText {
    /// Lines for the hosts that the run went easy on: the first few, and how many more there are.
    func throttleLines(of run: RunReport) -> [String] {
        let shown = run.throttles.prefix(Self.longestThrottles)
        var lines = shown.map { "\(displayable($0.host)): \($0.clause)" }
        let more = run.throttles.count - shown.count
        if more > 0 { lines.append("and \(countText(Int64(more))) more \(more == 1 ? "host" : "hosts")") }
        return lines
    }

    private static let longestThrottles = 5
}

extension JSONWriter {
    /// The rows of the table, by its columns.
    mutating func throttles(of run: RunReport) {
        key("throttles")
        beginArray()
        for throttle in run.throttles {
            beginObject()
            member("host", throttle.host)
            member("refusals", throttle.refusals)
            member("cuts", throttle.cuts)
            member("least_concurrency", throttle.leastConcurrency)
            key("least_rate")
            if let rate = throttle.leastRate { value(rate) } else { null() }
            member("held_us", throttle.held)
            member("pauses", throttle.pauses)
            member("given_up", throttle.givenUp)
            endObject()
        }
        endArray()
    }
}
