internal import Catalog
internal import JSON

extension HostThrottle {
    /// What was done, for people.
    var clause: String {
        var parts: [String] = []
        if refusals > 0 { parts.append("refused \(countText(refusals)) \(refusals == 1 ? "request" : "requests")") }
        var least = leastConcurrency.map { "\($0) at a time" }
        if let leastRate { least = [least, rateText(leastRate)].compactMap { $0 }.joined(separator: " and ") }
        if let least { parts.append("asked for no more than \(least)") }
        if held > 0 { parts.append("paused for \(durationText(microseconds: held))") }
        if givenUp > 0 { parts.append("\(countText(givenUp)) \(givenUp == 1 ? "item" : "items") skipped") }
        return parts.joined(separator: ", ")
    }

    private func rateText(_ rate: Double) -> String {
        let tenths = Int64(exactly: (rate * 10).rounded()) ?? .max / 2
        return tenths >= 100 ? "\((tenths + 5) / 10)/s" : "\(tenths / 10).\(tenths % 10)/s"
    }
}

extension ReportText {
    /// Lines for the hosts that the run throttled: the first few, and how many more there are.
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
