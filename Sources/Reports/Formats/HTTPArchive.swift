internal import Catalog
import JSON
package import SQLite
internal import System

/// A report as an HTTP Archive (HAR 1.2), which every browser's network panel opens: a page for each run, an entry for each
/// transfer for which a server was asked.
///
/// The times are those of the last attempt; `blocked` is the time from listed to the first attempt. Headers and cookies are
/// not in the catalog. What HAR has no field for is in fields that begin with `_`.
package enum HTTPArchive {
    package static func write(_ report: Report, version: String, from connection: Connection, to output: ReportOutput)
        throws
    {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("log")
        writer.beginObject()
        writer.member("version", "1.2")
        writer.key("creator")
        writer.beginObject()
        writer.member("name", "runner")
        writer.member("version", version)
        writer.endObject()
        writer.key("pages")
        writer.beginArray()
        for run in report.runs { writer.page(of: run) }
        writer.endArray()
        writer.key("entries")
        writer.beginArray()
        for run in report.runs {
            let items = try TransferSpan.all(ofRun: run.id, from: connection).map(\.item)
            try TransferFacts.forEach(items, ofRun: run.id, from: connection) { facts in
                writer.entry(facts, of: run)
            } flush: {
                try writer.flush(to: output)
            }
        }
        writer.endLine()
        writer.endArray()
        writer.endObject()
        writer.endObject()
        writer.endLine()
        try writer.flush(to: output)
    }
}

extension JSONWriter {
    fileprivate mutating func page(of run: RunReport) {
        nextLine()
        beginObject()
        member("startedDateTime", isoTimeText(run.startedAt))
        member("id", "run-\(run.id)")
        member("title", "\(run.job) run \(run.id) \(run.outcome)")
        key("pageTimings")
        beginObject()
        endObject()
        endObject()
    }

    fileprivate mutating func entry(_ facts: TransferFacts, of run: RunReport) {
        let blocked = facts.queue ?? 0
        let connect = (facts.connect ?? 0) + (facts.tls ?? 0)
        let version = facts.httpVersion.map { "HTTP/\($0)" } ?? ""
        let time = [blocked, facts.dns ?? 0, connect, facts.wait ?? 0, facts.receive ?? 0].reduce(0, +)
        nextLine()
        beginObject()
        member("pageref", "run-\(run.id)")
        // The catalog has the first attempt's start; the time before it is `blocked`.
        member("startedDateTime", isoTimeText(max(0, (facts.startedAt ?? 0) - blocked)))
        milliseconds("time", time)
        key("request")
        beginObject()
        member("method", "GET")
        member("url", facts.url)
        member("httpVersion", version)
        emptyArrays(["cookies", "headers", "queryString"])
        member("headersSize", -1)
        member("bodySize", 0)
        endObject()
        response(facts, version: version)
        key("cache")
        beginObject()
        endObject()
        key("timings")
        beginObject()
        milliseconds("blocked", facts.queue)
        // -1 is for what did not happen, as on a connection that was open.
        milliseconds("dns", facts.isReused == true ? nil : facts.dns)
        milliseconds("connect", facts.isReused == true ? nil : connect)
        milliseconds("ssl", facts.isReused == true || facts.tls == 0 ? nil : facts.tls)
        milliseconds("send", 0)
        milliseconds("wait", facts.wait ?? 0)
        milliseconds("receive", facts.receive ?? 0)
        endObject()
        if let address = facts.address { member("serverIPAddress", address) }
        member("_key", facts.key)
        member("_title", facts.title)
        member("_outcome", facts.outcome)
        member("_attempts", facts.attempts)
        if let failure = facts.failure { member("_failure", failure) }
        if let detail = facts.detail { member("_detail", detail) }
        endObject()
    }

    private mutating func response(_ facts: TransferFacts, version: String) {
        key("response")
        beginObject()
        member("status", facts.status ?? 0)
        member("statusText", "")
        member("httpVersion", version)
        emptyArrays(["cookies", "headers"])
        key("content")
        beginObject()
        member("size", facts.bodyBytes ?? 0)
        member("mimeType", facts.mediaType ?? "")
        endObject()
        member("redirectURL", "")
        member("headersSize", -1)
        member("bodySize", facts.wireBytes ?? -1)
        endObject()
    }

    private mutating func emptyArrays(_ names: [String]) {
        for name in names {
            key(name)
            beginArray()
            endArray()
        }
    }

    /// Microseconds as milliseconds; nil is -1.
    private mutating func milliseconds(_ name: String, _ microseconds: Int64?) {
        key(name)
        if let microseconds { value(Double(microseconds) / 1_000) } else { value(-1) }
    }
}

/// A time as ISO 8601 in UTC, `2026-01-31T08:15:02.250000Z`; `microseconds` counts from 1970.
func isoTimeText(_ microseconds: Int64) -> String {
    let text = utcText(microseconds)
    let fraction = String(1_000_000 + (microseconds % 1_000_000 + 1_000_000) % 1_000_000).dropFirst()
    return text.dropLast(4).split(separator: " ").joined(separator: "T") + ".\(fraction)Z"
}
