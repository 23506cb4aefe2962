import Catalog
internal import JSON
package import SQLite

/// A report as one JSON document: `{"runs": [{…}]}`.
///
/// Values have the names and the types that they have in the catalog; `metadata`, `selection` and `overrides`, JSON stored
/// as text, stay text. `new_items` and `new_failures` compare a run with those of its job before it. A run has `statistics` and `throttles` always, and `collections`, `items`, `failures` and `slowest` if they were asked for.
/// What the run says of all its rows (`job`, `run_id`) is not repeated in them; `item_id` is the `id` of an item.
package enum ReportJSON {
    /// Writes `report`, whose rows are read from `connection` meanwhile, to `output`.
    package static func write(_ report: Report, from connection: Connection, to output: ReportOutput) throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("runs")
        writer.beginArray()
        for run in report.runs {
            writer.nextLine()
            writer.beginObject()
            writer.members(of: run)
            if let comparison = report.comparisons[run.id] { writer.comparison(comparison) }
            try writer.tables(of: run, report.request, from: connection, to: output)
            writer.endObject()
            try writer.flush(to: output)
        }
        if !report.runs.isEmpty { writer.endLine() }
        writer.endArray()
        writer.endObject()
        writer.endLine()
        try writer.flush(to: output)
    }

    /// One run without its tables, as one object.
    package static func object(of run: RunReport) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.members(of: run)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func members(of run: RunReport) {
        member("id", run.id)
        member("job", run.job)
        member("started_at", run.startedAt)
        member("finished_at", run.finishedAt)
        member("outcome", run.outcome)
        member("selection", run.selection)
        member("overrides", run.overrides)
        member("refresh", run.refresh)
        member("http_version", run.httpVersion)
        member("concurrency", run.concurrency)
        for (name, count) in run.counts.named { member(name, count) }
        member("known_failed", run.knownFailures)
        member("new_items", run.news?.items)
        member("new_failures", run.news?.failures)
        member("wire_bytes", run.wireBytes)
        member("body_bytes", run.bodyBytes)
        member("saved_bytes", run.savedBytes)
        member("freed_files", run.freedFiles)
        member("freed_bytes", run.freedBytes)
        member("list_requests", run.listRequests)
        member("list_bytes", run.listBytes)
        member("detail", run.detail)
        member("runner_version", run.runnerVersion)
        member("libcurl_version", run.libcurlVersion)
        member("host", run.host)
        member("pid", run.processID)
        key("statistics")
        object(run.statistics)
        throttles(of: run)
    }

    private mutating func object(_ statistics: TransferStatistics) {
        beginObject()
        member("transfers", statistics.transfers)
        member("reused", statistics.reused)
        key("http_versions")
        beginObject()
        for (version, count) in statistics.versions { member(version, count) }
        endObject()
        for phase in statistics.phases {
            key(phase.phase.rawValue)
            beginObject()
            member("count", Int64(phase.count))
            member("p50", phase.p50)
            member("p90", phase.p90)
            member("p99", phase.p99)
            endObject()
        }
        endObject()
    }

    fileprivate mutating func tables(
        of run: RunReport, _ request: ReportRequest, from connection: Connection, to output: ReportOutput
    ) throws {
        if request.collections {
            var table = JSONTable("collections", in: &self)
            try ReportRows.forEachCollection(ofRun: run.id, from: connection) { row in try table.append(row, to: &self)
            }
            table.end(in: &self)
        }
        if request.items {
            let rows = try ReportRows.items(ofRun: run.id, job: run.job, from: connection)
            try array("items", of: rows, from: connection, to: output, last: ReportRows.lastDownloadColumnCount)
        }
        if request.failures {
            let rows = try ReportRows.failures(ofRun: run.id, from: connection)
            try array("failures", of: rows, from: connection, to: output)
        }
        if request.news { try news(of: run, from: connection) }
        if request.hosts { try hosts(of: run, from: connection) }
        if request.shards { try shards(of: run, from: connection) }
        if let limit = request.slowest {
            let rows = try ReportRows.slowest(limit, ofRun: run.id, from: connection)
            try array("slowest", of: rows, from: connection, to: output)
        }
    }

    private mutating func array(
        _ name: String, of rows: ReportRows, from connection: Connection, to output: ReportOutput, last: Int = 0
    ) throws {
        var table = JSONTable(name, in: &self, lastDownloadColumns: last)
        try rows.forEach(from: connection) { row in
            try table.append(row, to: &self)
        } flush: {
            try flush(to: output)
        }
        table.end(in: &self)
    }

    mutating func flush(to output: ReportOutput) throws {
        guard !bytes.isEmpty else { return }
        try output(bytes)
        removeBytes()
    }
}
