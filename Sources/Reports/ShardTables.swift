internal import Catalog
import JSON
internal import SQLite

/// The tables of `--shards`: what each shard of a run was, and what each node did.
extension ReportText {
    func shards(of run: RunReport, from connection: Connection, on page: inout TextPage) throws {
        let shards = try ShardRows.all(ofRun: run.id, on: connection)
        page.paragraph()
        guard !shards.isEmpty else { return page.line("  shards     none: one machine did it all") }
        let names = ["shard", "items", "attempts", "took"].map { $0.rightAligned(10) }.joined()
        page.line("  " + names + "  ", title: "node")
        for shard in shards {
            let cells = [
                countText(Int64(shard.number)), countText(Int64(shard.items)), countText(Int64(shard.attempt)),
                shard.duration.map(durationText(microseconds:)) ?? "–",
            ]
            page.line(
                "  " + cells.map { $0.rightAligned(10) }.joined() + "  ", title: displayable(shard.place ?? "–"))
        }
        page.paragraph()
        let columns = [("transfers", 10), ("failed", 8), ("received", 11), ("total p50", 11), ("p90", 9), ("p99", 9)]
        page.line("  " + columns.map { $0.0.rightAligned($0.1) }.joined() + "  ", title: "node")
        for node in try NodeFigures.all(ofRun: run.id, from: connection) {
            let times = [50, 90, 99].map { percent in
                shownPercentile(percent, of: node.totals).map(durationText(microseconds:)) ?? "–"
            }
            let texts = [countText(node.transfers), countText(node.failed), byteText(node.wireBytes)] + times
            let cells = zip(columns, texts).map { $1.rightAligned($0.1) }.joined()
            page.line("  " + cells + "  ", title: displayable(node.node.isEmpty ? "–" : node.node))
        }
    }
}

extension JSONWriter {
    mutating func shards(of run: RunReport, from connection: Connection) throws {
        key("shards")
        beginArray()
        for shard in try ShardRows.all(ofRun: run.id, on: connection) {
            nextLine()
            beginObject()
            member("number", Int64(shard.number))
            member("host", shard.host)
            member("node", shard.node)
            member("attempt", Int64(shard.attempt))
            member("started_at", shard.startedAt)
            member("finished_at", shard.finishedAt)
            member("items", Int64(shard.items))
            endObject()
        }
        endArray()
        key("nodes")
        beginArray()
        for node in try NodeFigures.all(ofRun: run.id, from: connection) {
            nextLine()
            beginObject()
            member("node", node.node)
            member("transfers", node.transfers)
            member("failed", node.failed)
            member("wire_bytes", node.wireBytes)
            key("total_us")
            beginObject()
            member("count", Int64(node.totals.count))
            for percent in [50, 90, 99] { member("p\(percent)", shownPercentile(percent, of: node.totals)) }
            endObject()
            endObject()
        }
        endArray()
    }
}

extension ShardRow {
    /// The machine, by the name that the engine has for it.
    fileprivate var place: String? { node ?? host }

    /// Microseconds from its first beginning to its end; nil before that.
    fileprivate var duration: Int64? {
        guard let startedAt, let finishedAt, finishedAt >= startedAt else { return nil }
        let (duration, overflows) = finishedAt.subtractingReportingOverflow(startedAt)
        return overflows ? nil : duration
    }
}
