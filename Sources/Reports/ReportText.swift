internal import Catalog
package import SQLite

/// A report for people: a block for each run, with its tables.
///
/// In every table the title is the last column, so that wide letters and scripts written from right to left shift
/// nothing. Names are made `displayable`.
package struct ReportText {
    /// The value of `--database` in command lines that are shown; `nil` where they find the catalog without it.
    package let database: String?
    /// Columns of the terminal, which lines fit; `nil` where they need not fit anything.
    package let width: Int?
    /// Whether titles are cut to the width; not where whoever reads can scroll to the right.
    package let cutsTitles: Bool
    package let hasColour: Bool
    /// Microseconds since 1970 UTC, for runs that are running.
    package let now: Int64
    /// How a time (microseconds since 1970 UTC) is written.
    package let timeText: (Int64) -> String

    package init(
        width: Int?, cutsTitles: Bool = true, hasColour: Bool = false, database: String? = nil, now: Int64,
        timeText: @escaping (Int64) -> String = localTimeText
    ) {
        self.width = width
        self.database = database
        self.cutsTitles = cutsTitles
        self.hasColour = hasColour
        self.now = now
        self.timeText = timeText
    }

    /// Writes `report`, whose rows are read from `connection` meanwhile, to `output`.
    package func write(_ report: Report, from connection: Connection, to output: ReportOutput) throws {
        var page = TextPage(width: width, cutsTitles: cutsTitles, hasColour: hasColour)
        if report.request.isBrief, !report.runs.isEmpty {
            try brief(report, on: &page, to: output)
            return try page.flush(to: output)
        }
        for run in report.runs {
            page.paragraph()
            heading(of: run, kept: report.kept[run.job], on: &page)
            statistics(of: run, on: &page)
            if let comparison = report.comparisons[run.id] { self.comparison(comparison, on: &page) }
            if report.request.hasTables {
                try tables(of: run, report.request, from: connection, on: &page, to: output)
            } else {
                try slowestFew(of: run, from: connection, on: &page)
                try failureGroups(of: run, from: connection, on: &page)
            }
            try page.flush(to: output)
        }
        if !report.jobsWithoutRuns.isEmpty { page.paragraph() }
        for job in report.jobsWithoutRuns { page.line("\(displayable(job))  no run") }
        if report.runs.isEmpty && report.jobsWithoutRuns.isEmpty { page.line("no runs") }
        try page.flush(to: output)
    }
}

// MARK: - The head of a run

extension ReportText {
    private func heading(of run: RunReport, kept: StoredSum?, on page: inout TextPage) {
        let outcome = page.coloured(displayable(run.outcome), colour(of: run.outcome))
        page.line("\(page.coloured(displayable(run.job), .bold))  run \(run.id)  \(outcome)")
        field("started", timeText(run.startedAt) + durationClause(of: run), on: &page)
        if let selection = run.selectionWords ?? run.selection {
            field("selection", displayable(selection), on: &page)
        }
        if let detail = run.detail { field("reason", displayable(detail), on: &page) }
        field("items", itemsClause(run), on: &page)
        if let news = newsClause(run.news) { field("new", news, on: &page) }
        if run.wireBytes > 0 || run.bodyBytes > 0 { field("received", receivedClause(run), on: &page) }
        if let kept, kept.files > 0 {
            field("kept", "\(byteText(kept.bytes)) in \(counted(kept.files, "file"))", on: &page)
        }
        if run.savedBytes > 0 {
            field("saved", "\(byteText(run.savedBytes)), files with equal bytes being stored once", on: &page)
        }
        if run.freedFiles > 0 {
            let text = "\(counted(run.freedFiles, "file")) to keep within output.max_bytes"
            field("evicted", "\(text), which freed \(byteText(run.freedBytes))", on: &page)
        }
        if run.listRequests > 0 {
            field("listing", "\(counted(run.listRequests, "request")), \(byteText(run.listBytes))", on: &page)
        }
        if run.statistics.transfers > 0 { field("transfers", transfersClause(run.statistics), on: &page) }
        for (index, line) in throttleLines(of: run).enumerated() {
            field(index == 0 ? "throttled" : "", line, on: &page)
        }
    }

    private func field(_ name: String, _ text: String, on page: inout TextPage) {
        page.prose(text, label: "  \(name.leftAligned(9))  ")
    }

    func colour(of outcome: String) -> TextPage.Colour {
        switch outcome {
        case "complete": .green
        case "running": .blue
        case "partial": .yellow
        default: .red
        }
    }

    private func durationClause(of run: RunReport) -> String {
        guard let duration = run.duration(now: now) else { return "" }
        let text = durationText(microseconds: duration)
        return run.outcome == "running" ? ", running for \(text)" : ", took \(text)"
    }

    private func itemsClause(_ run: RunReport) -> String {
        let counts = run.counts
        guard counts.total > 0 else { return "none" }
        let parts = counts.named.filter { $0.count > 0 }.map { name, count in
            "\(countText(count)) \(name)"
                + (name == "failed" && run.knownFailures > 0 ? " (\(countText(run.knownFailures)) known)" : "")
        }
        return "\(countText(counts.total)): \(parts.joined(separator: ", "))"
    }

    /// `2 items, 1 failure since run 41`; `nil` where there is nothing new.
    private func newsClause(_ news: RunNews?) -> String? {
        guard let news, news.items > 0 || news.failures > 0 else { return nil }
        let parts = [
            news.items > 0 ? counted(news.items, "item") : nil,
            news.failures > 0 ? counted(news.failures, "failure") : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ") + " since run \(news.previous)"
    }

    private func receivedClause(_ run: RunReport) -> String {
        let wire = byteText(run.wireBytes)
        let isPlain = run.wireBytes == run.bodyBytes
        return (isPlain ? wire : "\(wire) on the wire, \(byteText(run.bodyBytes)) of bodies")
            + (run.throughput(now: now).map { ", \(byteText($0)) a second" } ?? "")
    }

    /// What command lines need to find the catalog.
    var databaseClause: String {
        database.map { " --database \(shellWord(displayable($0)))" } ?? ""
    }

    private func transfersClause(_ statistics: TransferStatistics) -> String {
        let percent = Int64((Double(statistics.reused) * 100 / Double(statistics.transfers)).rounded())
        var text = "\(countText(statistics.transfers)), "
        text += "\(countText(statistics.reused)) on a reused connection (\(percent) %)"
        for (version, count) in statistics.versions {
            text += ", HTTP/\(displayable(version)) \(countText(count))"
        }
        return text
    }

    func counted(_ count: Int64, _ noun: String) -> String {
        "\(countText(count)) \(noun)\(count == 1 ? "" : "s")"
    }
}
