package import SQLite

/// A report for people: a block for each run, with its tables.
///
/// In every table the title is the last column, so that wide letters and scripts written from right to left shift
/// nothing. Names are made `displayable`.
package struct ReportText {
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
        width: Int?, cutsTitles: Bool = true, hasColour: Bool = false, now: Int64,
        timeText: @escaping (Int64) -> String = localTimeText
    ) {
        self.width = width
        self.cutsTitles = cutsTitles
        self.hasColour = hasColour
        self.now = now
        self.timeText = timeText
    }

    /// Writes `report`, whose rows are read from `connection` meanwhile, to `output`.
    package func write(_ report: Report, from connection: Connection, to output: ReportOutput) throws {
        var page = TextPage(width: width, cutsTitles: cutsTitles, hasColour: hasColour)
        for run in report.runs {
            page.paragraph()
            heading(of: run, on: &page)
            statistics(of: run, on: &page)
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
    private func heading(of run: RunReport, on page: inout TextPage) {
        let outcome = page.coloured(displayable(run.outcome), colour(of: run.outcome))
        page.line("\(page.coloured(displayable(run.job), .bold))  run \(run.id)  \(outcome)")
        field("started", timeText(run.startedAt) + durationClause(of: run), on: &page)
        if let selection = run.selection { field("selection", displayable(selection), on: &page) }
        if let detail = run.detail { field("reason", displayable(detail), on: &page) }
        field("items", itemsClause(run.counts), on: &page)
        field("received", "\(byteText(run.wireBytes)) on the wire, \(byteText(run.bodyBytes)) of bodies", on: &page)
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

    private func colour(of outcome: String) -> TextPage.Colour {
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

    private func itemsClause(_ counts: OutcomeCounts) -> String {
        guard counts.total > 0 else { return "none" }
        let parts = counts.named.filter { $0.count > 0 }.map { "\(countText($0.count)) \($0.name)" }
        return "\(countText(counts.total)): \(parts.joined(separator: ", "))"
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
