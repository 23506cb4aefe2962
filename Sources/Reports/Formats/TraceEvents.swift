internal import Catalog
import JSON
package import SQLite

/// A report as trace events, which Perfetto, `chrome://tracing` and speedscope open: a process for each run, a thread for
/// each slot in flight, a slice for each transfer with its phases below it.
///
/// The format is that of the Trace Event Format's JSON object; events are in the order in which they begin.
package enum TraceEvents {
    package static func write(_ report: Report, from connection: Connection, to output: ReportOutput) throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("displayTimeUnit", "ms")
        writer.key("traceEvents")
        writer.beginArray()
        for run in report.runs { try writer.events(of: run, from: connection, to: output) }
        writer.endLine()
        writer.endArray()
        writer.endObject()
        writer.endLine()
        try writer.flush(to: output)
    }

    /// A phase that is still to be written.
    fileprivate struct Slice {
        let name: String
        let start: Int64
        let length: Int64
        let lane: Int
    }
}

extension JSONWriter {
    fileprivate mutating func events(
        of run: RunReport, from connection: Connection, to output: ReportOutput
    ) throws {
        metadata("process_name", "\(run.job) run \(run.id)", run: run, lane: nil)
        let spans = try TransferSpan.all(ofRun: run.id, from: connection)
        var lanes = Lanes()
        let places = spans.map { lanes.lane(from: $0.start, to: $0.start + $0.length) }
        for lane in 0..<lanes.count { metadata("thread_name", "slot \(lane + 1)", run: run, lane: lane) }
        var pending: [TraceEvents.Slice] = []
        var index = 0
        try TransferFacts.forEach(spans.map(\.item), ofRun: run.id, from: connection) { facts in
            // What was deleted meanwhile is passed over.
            while index < spans.count, spans[index].item != facts.item { index += 1 }
            guard index < spans.count else { return }
            let (span, lane) = (spans[index], places[index])
            phases(&pending, before: span.start, of: run)
            transfer(facts, span, lane: lane, of: run)
            pending += PhaseSpans(of: facts, start: span.start).spans.map {
                TraceEvents.Slice(name: $0.name, start: $0.start, length: $0.length, lane: lane)
            }
        } flush: {
            try flush(to: output)
        }
        phases(&pending, before: .max, of: run)
        try flush(to: output)
    }

    /// Writes the phases that begin before `time`, which are those of the few transfers in flight.
    private mutating func phases(_ pending: inout [TraceEvents.Slice], before time: Int64, of run: RunReport) {
        let due = pending.filter { $0.start < time }
        guard !due.isEmpty else { return }
        pending.removeAll { $0.start < time }
        for slice in due.sorted(by: { ($0.start, $0.lane) < ($1.start, $1.lane) }) {
            begin(slice.name, category: "phase", start: slice.start, length: slice.length, run: run, lane: slice.lane)
            endObject()
        }
    }

    private mutating func transfer(_ facts: TransferFacts, _ span: TransferSpan, lane: Int, of run: RunReport) {
        begin(
            facts.title.isEmpty ? facts.key : facts.title, category: facts.outcome, start: span.start,
            length: span.length, run: run, lane: lane)
        key("args")
        beginObject()
        member("key", facts.key)
        member("url", facts.url)
        member("attempts", facts.attempts)
        member("status", facts.status)
        member("failure", facts.failure)
        member("detail", facts.detail)
        member("wire_bytes", facts.wireBytes)
        member("http_version", facts.httpVersion)
        member("address", facts.address)
        endObject()
        endObject()
    }

    /// Begins a complete event, which the caller ends.
    private mutating func begin(
        _ name: String, category: String, start: Int64, length: Int64, run: RunReport, lane: Int
    ) {
        nextLine()
        beginObject()
        member("name", name)
        member("cat", category)
        member("ph", "X")
        member("ts", start)
        member("dur", length)
        member("pid", run.id)
        member("tid", Int64(lane + 1))
    }

    private mutating func metadata(_ name: String, _ value: String, run: RunReport, lane: Int?) {
        nextLine()
        beginObject()
        member("name", name)
        member("ph", "M")
        member("pid", run.id)
        if let lane { member("tid", Int64(lane + 1)) }
        key("args")
        beginObject()
        member("name", value)
        endObject()
        endObject()
    }
}
