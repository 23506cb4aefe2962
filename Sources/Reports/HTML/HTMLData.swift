internal import Catalog
import FoundationEssentials
internal import HTTP
import JSON
import Model
internal import SQLite

/// The data of a run that a report carries for its plots and its table: columns rather than rows, starts as differences,
/// what repeats as places in a list; gzip in base64, which no text can end.
struct HTMLData {
    private var columns: [String: [Int64]] = [:]
    private var texts: [String: [String]] = [:]
    private var lists: [String: (values: [String], places: [String: Int])] = [:]
    /// `transfer.detail` by the row.
    private var details: [(row: Int, text: String)] = []
    private var lastStart: Int64 = 0

    /// Those that make up `total_us`.
    private static let phases = ["dns", "connect", "tls", "wait", "receive"]
    /// Microseconds in which starts are counted: a hundred thousandth of the run, rounded to a power of ten.
    private let startUnit: Int64
    private static let outcomes = TransferOutcome.allCases.map(\.rawValue)
    private static let mostDetail = 300

    /// Reads the transfers that are shown.
    init(_ shown: ShownTransfers, _ plots: RunPlots, start: Int64, of run: RunReport, from connection: Connection)
        throws
    {
        var unit: Int64 = 1
        while unit < plots.length / 200_000 { unit *= 10 }
        startUnit = unit
        var index = 0
        // What was deleted meanwhile is passed over.
        try TransferFacts.forEach(shown.spans.map(\.item), ofRun: run.id, from: connection) { facts in
            while index < shown.spans.count, shown.spans[index].item != facts.item { index += 1 }
            guard index < shown.spans.count else { return }
            add(facts, shown.spans[index], lane: shown.lanes[index], runStart: start)
        }
        try TransferFacts.forEach(shown.quiet, ofRun: run.id, from: connection) { facts in add(facts) }
    }

    private mutating func add(_ facts: TransferFacts, _ span: TransferSpan, lane: Int, runStart: Int64) {
        add(facts)
        let start = max(0, span.start - runStart) / startUnit
        append("start", start - lastStart)
        lastStart = start
        append("lane", Int64(lane))
        // Items are listed together: these numbers repeat, while the times in the queue do not.
        append("listed", max(0, start - (facts.queue ?? 0) / startUnit))
        let times = [facts.dns, facts.connect, facts.tls, facts.wait, facts.receive].map { $0 ?? 0 }
        for (phase, time) in zip(Self.phases, times) { append(phase, Self.rounded(time)) }
        append("store", Self.rounded(facts.store ?? 0, digits: 2))
        append("earlier", Self.rounded(max(0, span.length - times.reduce(0, +) - (facts.store ?? 0))))
        append("reused", facts.isReused == true ? 1 : 0)
        append("version", place(of: facts.httpVersion.map { "HTTP/\($0)" } ?? "", in: "versions"))
    }

    private mutating func add(_ facts: TransferFacts) {
        let title = displayable(facts.title)
        let key = displayable(facts.key)
        let (origin, path) = Self.parts(of: facts.url)
        texts["title", default: []].append(title)
        texts["key", default: []].append(key == title ? "" : key)
        texts["path", default: []].append(displayable(path))
        append("origin", place(of: displayable(origin), in: "origins"))
        append("collection", place(of: displayable(facts.collection), in: "collections"))
        let isFailed = facts.outcome == "failed"
        append("outcome", Int64(Self.outcomes.firstIndex(of: facts.outcome) ?? Self.outcomes.count - 1))
        append(
            "failure", isFailed ? place(of: reasonText(facts.failure, facts.status), in: "failures") + 1 : 0)
        append("status", facts.status ?? 0)
        append("attempts", facts.attempts)
        append("size", ((facts.attempts > 0 ? facts.wireBytes : nil) ?? facts.size).map { Self.rounded($0) } ?? -1)
        if isFailed, let detail = facts.detail {
            details.append((texts["title", default: []].count - 1, String(displayable(detail).prefix(Self.mostDetail))))
        }
    }

    /// With three digits that are not 0, which is what people are shown of it: random digits do not compress.
    private static func rounded(_ value: Int64, digits: Int = 3) -> Int64 {
        let most: Int64 = digits == 2 ? 100 : 1_000
        var unit: Int64 = 1
        while value / unit >= most { unit *= 10 }
        return (value + unit / 2) / unit * unit
    }

    /// `https://host:port`, and the rest.
    private static func parts(of url: String) -> (origin: String, path: String) {
        guard let scheme = url.firstPlace(of: "://") else { return ("", url) }
        let authority = url[scheme...].dropFirst(3)
        let end = authority.firstIndex { "/?#".contains($0) } ?? url.endIndex
        return (String(url[..<end]), String(url[end...]))
    }

    private mutating func append(_ column: String, _ value: Int64) {
        columns[column, default: []].append(value)
    }

    private mutating func place(of value: String, in list: String) -> Int64 {
        if let place = lists[list]?.places[value] { return Int64(place) }
        let place = lists[list]?.values.count ?? 0
        lists[list, default: ([], [:])].values.append(value)
        lists[list, default: ([], [:])].places[value] = place
        return Int64(place)
    }

    /// The document for the script: JSON, compressed, in base64.
    ///
    /// - Throws: where there is no memory to compress it.
    func encoded(_ run: RunReport, _ plots: RunPlots, history: [ComparableRun], sparks: [[Int]], now: Int64) throws
        -> [UInt8]
    {
        var writer = JSONWriter(isCompact: true)
        writer.beginObject()
        writer.member("run", run.id)
        writer.member("unit", startUnit)
        writer.member("asked", Int64(columns["start"]?.count ?? 0))
        for name in ["origins", "collections", "failures", "versions"] {
            writer.array(name, lists[name]?.values ?? []) { $0.value($1) }
        }
        for name in ["title", "key", "path"] { writer.array(name, texts[name] ?? []) { $0.value($1) } }
        let rows = ["origin", "collection", "outcome", "failure", "status", "attempts", "size"]
        let asked = ["start", "listed", "lane", "reused", "version"] + Self.phases + ["store", "earlier"]
        for name in rows + asked { writer.array(name, columns[name] ?? []) { $0.value($1) } }
        writer.key("details")
        writer.beginObject()
        for detail in details { writer.member("\(detail.row)", detail.text) }
        writer.endObject()
        if let times = plots.times {
            writer.key("histogram")
            writer.beginObject()
            writer.array("edges", times.edges) { $0.value($1) }
            writer.array("counts", times.counts) { $0.value($1) }
            writer.array("marks", [("p50", times.p50), ("p90", times.p90), ("p99", times.p99)]) { writer, mark in
                writer.beginObject()
                writer.member("name", mark.0)
                writer.member("value", mark.1)
                writer.endObject()
            }
            writer.endObject()
        }
        if let throughput = plots.throughput {
            writer.key("throughput")
            writer.beginObject()
            writer.member("start", 0)
            writer.member("step", throughput.step)
            writer.array("values", throughput.values) { $0.value($1) }
            writer.endObject()
        }
        writer.array("history", history) { writer, run in
            writer.beginObject()
            writer.member("run", run.id)
            writer.member("outcome", run.outcome)
            writer.member("started", run.startedAt)
            writer.member("duration", run.duration(now: now))
            writer.member("items", run.items)
            writer.member("failed", run.failed)
            writer.endObject()
        }
        writer.array("sparks", sparks) { writer, counts in
            writer.beginArray()
            for count in counts { writer.value(count) }
            writer.endArray()
        }
        writer.endObject()
        guard let compressed = gzip(writer.bytes) else { throw HTMLReportError.noMemory }
        return Array(Data(compressed).base64EncodedData())
    }
}

/// Why there is no report in HTML.
enum HTMLReportError: Error, CustomStringConvertible {
    case noMemory

    var description: String { "there is no memory to compress the report" }
}

extension JSONWriter {
    fileprivate mutating func array<Element>(
        _ name: String, _ values: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        beginArray()
        for value in values { write(&self, value) }
        endArray()
    }
}
