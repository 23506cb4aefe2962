package import SQLite

/// A report for people: a block for each run, with its tables.
///
/// In every table the title is the last column, so that wide letters and scripts written from right to left shift
/// nothing. Names are made `displayable`.
package struct ReportText {
    /// Columns of the terminal, to cut titles; `nil` leaves them whole.
    package let width: Int?
    /// Microseconds since 1970 UTC, for runs that are running.
    package let now: Int64
    /// How a time (microseconds since 1970 UTC) is written.
    package let timeText: (Int64) -> String

    package init(width: Int?, now: Int64, timeText: @escaping (Int64) -> String = localTimeText) {
        self.width = width
        self.now = now
        self.timeText = timeText
    }

    /// Writes `report`, whose rows are read from `connection` meanwhile, to `output`.
    package func write(_ report: Report, from connection: Connection, to output: ReportOutput) throws {
        var page = TextPage(width: width)
        for run in report.runs {
            page.paragraph()
            heading(of: run, on: &page)
            statistics(of: run, on: &page)
            try tables(of: run, report.request, from: connection, on: &page, to: output)
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
        page.line("\(displayable(run.job))  run \(run.id)  \(displayable(run.outcome))")
        field("started", timeText(run.startedAt) + durationClause(of: run), on: &page)
        if let selection = run.selection { field("selection", displayable(selection), on: &page) }
        if let detail = run.detail { field("reason", displayable(detail), on: &page) }
        field("items", itemsClause(run.counts), on: &page)
        field("received", "\(byteText(run.wireBytes)) on the wire, \(byteText(run.bodyBytes)) of bodies", on: &page)
        if run.listRequests > 0 {
            field("listing", "\(counted(run.listRequests, "request")), \(byteText(run.listBytes))", on: &page)
        }
        if run.statistics.transfers > 0 { field("transfers", transfersClause(run.statistics), on: &page) }
    }

    private func field(_ name: String, _ text: String, on page: inout TextPage) {
        page.line("  \(name.leftAligned(9))  \(text)")
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
        let percent = (statistics.reused * 100 + statistics.transfers / 2) / statistics.transfers
        var text = "\(countText(statistics.transfers)), "
        text += "\(countText(statistics.reused)) on a reused connection (\(percent) %)"
        for (version, count) in statistics.versions {
            text += ", HTTP/\(displayable(version)) \(countText(count))"
        }
        return text
    }

    /// The table of percentiles.
    private func statistics(of run: RunReport, on page: inout TextPage) {
        guard !run.statistics.phases.isEmpty else { return }
        page.paragraph()
        page.line("  " + "".leftAligned(9) + ["p50", "p90", "p99"].map { $0.rightAligned(11) }.joined())
        for phase in run.statistics.phases {
            let values = [phase.p50, phase.p90, phase.p99].map { durationText(microseconds: $0).rightAligned(11) }
            page.line("  " + phase.phase.name.leftAligned(9) + values.joined())
        }
    }

    func counted(_ count: Int64, _ noun: String) -> String {
        "\(countText(count)) \(noun)\(count == 1 ? "" : "s")"
    }
}
