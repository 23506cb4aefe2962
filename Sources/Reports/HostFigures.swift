internal import Catalog
import JSON
import SQLite

/// Figures over the transfers of one host in a run.
struct HostFigures: Sendable {
    /// As URLs have it; empty where they have none.
    let host: String
    /// Transfers for which the host was asked, and those of them that failed.
    fileprivate(set) var transfers: Int64 = 0
    fileprivate(set) var failed: Int64 = 0
    /// Transfers that ended with 429 or 503.
    fileprivate(set) var throttled: Int64 = 0
    /// Transfers that found a connection open.
    fileprivate(set) var reused: Int64 = 0
    fileprivate(set) var wireBytes: Int64 = 0
    /// How many used which version of HTTP.
    fileprivate(set) var versions: [String: Int64] = [:]
    /// Of downloads only: answers without a body take another time. Microseconds, in ascending order.
    fileprivate(set) var wait: [Int64] = []
    fileprivate(set) var total: [Int64] = []

    /// The version of HTTP that most transfers used.
    var version: String? {
        versions.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    fileprivate init(host: String) { self.host = host }

    fileprivate mutating func add(_ sample: TransferSample) {
        transfers += 1
        if sample.outcome == "failed" { failed += 1 }
        if sample.status == 429 || sample.status == 503 { throttled += 1 }
        if sample.isReused { reused += 1 }
        wireBytes = wireBytes.addingClamped(sample.wireBytes)
        if let version = sample.httpVersion { versions[version, default: 0] += 1 }
        guard sample.outcome == "downloaded" else { return }
        if let time = sample.wait { wait.append(time) }
        if let time = sample.total { total.append(time) }
    }

    /// The hosts of a run, those with the most transfers first. Holds two numbers a transfer.
    static func all(ofRun run: Int64, from connection: Connection) throws -> [HostFigures] {
        var hosts: [String: HostFigures] = [:]
        try TransferSample.forEach(ofRun: run, withURLs: true, from: connection) { sample in
            let host = hostText(sample.url).lowercased()
            hosts[host, default: HostFigures(host: host)].add(sample)
        }
        return hosts.values.map { figures in
            var figures = figures
            figures.wait.sort()
            figures.total.sort()
            return figures
        }
        .sorted { ($1.transfers, $0.host) < ($0.transfers, $1.host) }
    }
}

// MARK: - Text

extension ReportText {
    /// The table of `--hosts`.
    func hosts(of run: RunReport, from connection: Connection, on page: inout TextPage) throws {
        let hosts = try HostFigures.all(ofRun: run.id, from: connection)
        page.paragraph()
        guard !hosts.isEmpty else { return page.line("  hosts      none was asked") }
        let columns = hostColumns(page.width ?? .max)
        page.line("  " + columns.map { $0.name.rightAligned($0.width) }.joined() + "  ", title: "host")
        for host in hosts {
            let cells = columns.map { $0.text(host).rightAligned($0.width) }.joined()
            page.line("  " + cells + "  ", title: displayable(host.host.isEmpty ? "–" : host.host))
        }
    }

    private typealias HostColumn = (name: String, width: Int, least: Int, text: (HostFigures) -> String)

    private func hostColumns(_ width: Int) -> [HostColumn] {
        func time(_ percent: Int, _ times: KeyPath<HostFigures, [Int64]>) -> (HostFigures) -> String {
            { shownPercentile(percent, of: $0[keyPath: times]).map(durationText(microseconds:)) ?? "–" }
        }
        let all: [HostColumn] = [
            ("transfers", 10, 0, { countText($0.transfers) }), ("failed", 8, 0, { countText($0.failed) }),
            ("throttled", 10, 110, { countText($0.throttled) }), ("reused", 9, 80, { countText($0.reused) }),
            ("HTTP", 6, 110, { $0.version.map(displayable) ?? "–" }), ("received", 11, 64, { byteText($0.wireBytes) }),
            ("wait p50", 10, 80, time(50, \.wait)), ("p90", 9, 125, time(90, \.wait)),
            ("p99", 9, 140, time(99, \.wait)),
            ("total p50", 11, 96, time(50, \.total)), ("p90", 9, 125, time(90, \.total)),
            ("p99", 9, 140, time(99, \.total)),
        ]
        return all.filter { $0.least <= width }
    }

    /// The table of `--new`.
    func news(of run: RunReport, from connection: Connection, on page: inout TextPage) throws {
        page.paragraph()
        guard let all = try NewInRun.all(ofRun: run.id, job: run.job, from: connection) else {
            return page.prose("all: it is the first run of the job", label: "  new        ")
        }
        guard !all.isEmpty else { return page.line("  new        nothing") }
        let showsOutcome = page.width ?? .max >= 64
        func line(_ kind: String, _ outcome: String, _ reason: String) -> String {
            "  " + kind.leftAligned(9) + (showsOutcome ? outcome.leftAligned(12) : "") + reason.leftAligned(14)
        }
        page.line(line("new", "outcome", "reason"), title: "title")
        for new in all {
            let reason = new.kind == .failure ? reasonText(new.failure, new.status) : ""
            page.line(
                line(new.kind.rawValue, displayable(new.outcome), reason),
                title: displayable(new.title.isEmpty ? new.key : new.title))
        }
    }
}

extension Int64 {
    /// The sum, or the greatest number where it is beyond.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

/// `http 404`, `timeout`.
func reasonText(_ failure: String?, _ status: Int64?) -> String {
    guard let failure else { return "unknown" }
    return displayable(failure) + (failure == "http" ? status.map { " \($0)" } ?? "" : "")
}

/// The percentile of values in ascending order; nil where they are too few to say it: 10 for p90, 100 for p99.
func shownPercentile(_ percent: Int, of sorted: [Int64]) -> Int64? {
    guard sorted.count >= leastCount(forPercentile: percent) else { return nil }
    return percentile(percent, of: sorted)
}

/// How many values a percentile needs, so that at least one of them is above it.
func leastCount(forPercentile percent: Int) -> Int {
    let rest = max(1, 100 - percent)
    return percent <= 50 ? 1 : (100 + rest - 1) / rest
}

// MARK: - JSON

extension JSONWriter {
    mutating func hosts(of run: RunReport, from connection: Connection) throws {
        key("hosts")
        beginArray()
        for host in try HostFigures.all(ofRun: run.id, from: connection) {
            nextLine()
            beginObject()
            member("host", host.host)
            member("transfers", host.transfers)
            member("failed", host.failed)
            member("throttled", host.throttled)
            member("reused", host.reused)
            member("wire_bytes", host.wireBytes)
            key("http_versions")
            beginObject()
            for (version, count) in host.versions.sorted(by: { $0.key < $1.key }) { member(version, count) }
            endObject()
            for (name, times) in [("wait_us", host.wait), ("total_us", host.total)] {
                key(name)
                beginObject()
                member("count", Int64(times.count))
                for percent in [50, 90, 99] { member("p\(percent)", shownPercentile(percent, of: times)) }
                endObject()
            }
            endObject()
        }
        endArray()
    }

    /// null for the first run of a job.
    mutating func news(of run: RunReport, from connection: Connection) throws {
        key("new")
        guard let all = try NewInRun.all(ofRun: run.id, job: run.job, from: connection) else { return null() }
        beginArray()
        for new in all {
            nextLine()
            beginObject()
            member("kind", new.kind.rawValue)
            member("item_id", new.item)
            member("key", new.key)
            member("title", new.title)
            member("url", new.url)
            member("outcome", new.outcome)
            member("failure", new.failure)
            member("status", new.status)
            member("detail", new.detail)
            endObject()
        }
        endArray()
    }
}
