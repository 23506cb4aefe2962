import Catalog
import JSON
import Model
import Reports
import Run

/// What a run is at, in lines for people.
enum StatusText {
    /// A run that answers, with its limits and the hosts that are paused; one that does not, with its process.
    static func lines(of run: RunAtWork) -> [String] {
        guard let status = run.status else {
            if run.run.isCarried {
                return [
                    "\(run.run.job): run \(run.run.id) is in shards, since \(localTimeText(run.run.startedAt)): "
                        + "runner merge brings them home"
                ]
            }
            return [
                "\(run.run.job): run \(run.run.id) under way (pid \(run.run.processID), since "
                    + "\(localTimeText(run.run.startedAt))); it has no control socket"
            ]
        }
        var lines = [line(of: status)]
        let bandwidth = status.number("bandwidth").map { "bandwidth \(byteText($0))/s" } ?? "no bandwidth limit"
        let until = status.text("bandwidth_until").map { " until \($0)" } ?? ""
        lines.append(
            "  concurrency \(status.number("concurrency") ?? 0), per_host \(status.number("per_host") ?? 0), \(bandwidth)\(until)"
        )
        for host in status.list("hosts") {
            guard case .object(let host) = host, let until = host.number("paused_until"), let at = status.number("at")
            else { continue }
            let seconds = wholeSecondsText(max(0, until - at + 999_999) / 1_000_000)
            let reason = host.text("reason") == HostPause.Reason.retryAfter.rawValue ? "Retry-After" : "after failures"
            lines.append("  \(host.text("origin") ?? ""): paused for \(seconds) (\(reason))")
        }
        return lines
    }

    /// `flags: run 12 running, 120 of 239 items, 16 in flight, 2 failed, 340.0 kB/s, 12 s left`.
    static func line(of status: [String: JSONValue]) -> String {
        let counts: [String: JSONValue]
        if case .object(let members)? = status["counts"] { counts = members } else { counts = [:] }
        let isListing = status.text("state") == RunState.listing.rawValue
        var parts = [
            "run \(status.number("run") ?? 0) \(status.text("state") ?? "")",
            "\(counts.number("done") ?? 0) of \(counts.number("listed") ?? 0)\(isListing ? "+" : "") items",
        ]
        if let inFlight = counts.number("in_flight"), inFlight > 0 { parts.append("\(inFlight) in flight") }
        for word in ["failed", "cancelled"] {
            if let count = counts.number(word), count > 0 { parts.append("\(count) \(word)") }
        }
        if let retrying = counts.number("retrying"), retrying > 0 { parts.append("\(retrying) waiting to retry") }
        if case .object(let rates)? = status["rates"], let rate = rates.number("bytes_per_second") {
            parts.append("\(byteText(rate))/s")
        }
        if let seconds = status.number("remaining_seconds") { parts.append("\(wholeSecondsText(seconds)) left") }
        if let outcome = status.text("outcome") { parts.append(outcome) }
        return "\(status.text("job") ?? ""): " + parts.joined(separator: ", ")
    }

    /// A run that has ended.
    static func line(of run: CatalogRun) -> String {
        let ended = run.finishedAt.map { " \(localTimeText($0))" } ?? ""
        return "\(run.job): no run under way; the last, run \(run.id), ended\(ended): \(run.outcome), "
            + "\(run.downloaded) downloaded, \(run.unchanged) unchanged, \(run.fresh) fresh, \(run.failed) failed"
            + (run.cancelled > 0 ? ", \(run.cancelled) cancelled" : "")
    }
}

extension [String: JSONValue] {
    fileprivate func number(_ name: String) -> Int64? {
        if case .integer(let number)? = self[name] { number } else { nil }
    }

    fileprivate func text(_ name: String) -> String? {
        if case .text(let text)? = self[name] { text } else { nil }
    }

    fileprivate func list(_ name: String) -> [JSONValue] {
        if case .list(let list)? = self[name] { list } else { [] }
    }
}
