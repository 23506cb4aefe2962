import Catalog

/// A report of a line a run: of every job the last one, or all of some.
extension ReportText {
    func brief(_ report: Report, on page: inout TextPage, to output: ReportOutput) throws {
        let isByJob = report.request.run == .last
        let runs = isByJob ? report.runs.sorted(by: isWorse) : report.runs
        let columns = briefColumns(isByJob: isByJob, width: page.width)
        if !runs.isEmpty {
            let names = columns.map { $0.isText ? $0.name.leftAligned($0.width) : $0.name.rightAligned($0.width) }
            page.line("  " + names.joined(separator: "  ") + "  ", title: "job")
        }
        for run in runs {
            let cells = columns.map { column in
                let text = column.text(run, report)
                return column.isText ? text.leftAligned(column.width) : text.rightAligned(column.width)
            }
            page.line(
                "  " + cells.joined(separator: "  ") + "  ", title: displayable(run.job))
            try page.flush(to: output)
        }
        for job in report.jobsWithoutRuns { page.line("  no run  ", title: displayable(job)) }
        guard let example = runs.first else { return }
        page.paragraph()
        let command = isByJob ? "report \(displayable(example.job))" : "report --run \(example.id)"
        page.line("  more       runner \(command)\(databaseClause)")
    }

    /// What failed comes first, the worst before the rest; within that by name.
    private func isWorse(_ one: RunReport, _ other: RunReport) -> Bool {
        func rank(_ run: RunReport) -> Int {
            ["failed", "interrupted", "partial", "running", "complete"].firstIndex(of: run.outcome) ?? 0
        }
        return (rank(one), -one.counts.failed, one.job) < (rank(other), -other.counts.failed, other.job)
    }

    private struct Column {
        let name: String
        let width: Int
        var isText = false
        /// Columns that a terminal needs for it to be shown.
        var least = 0
        let text: (RunReport, Report) -> String
    }

    private func briefColumns(isByJob: Bool, width: Int?) -> [Column] {
        let columns = width ?? .max
        let hasYear = columns >= 100
        let all = [
            Column(name: "run", width: 5) { run, _ in "\(run.id)" },
            Column(name: "outcome", width: 11, isText: true) { run, _ in displayable(run.outcome) },
            Column(name: "began", width: hasYear ? 16 : 11, isText: true, least: 80) { run, _ in
                // To the minute: without seconds and zone.
                String(timeText(run.startedAt).prefix(16).dropFirst(hasYear ? 0 : 5))
            },
            Column(name: "took", width: 9, least: 100) { run, _ in
                run.duration(now: now).map { durationText(microseconds: $0) } ?? "–"
            },
            Column(name: "items", width: 7) { run, _ in countText(run.counts.total) },
            Column(name: "new", width: 6, least: 80) { run, _ in
                run.news.map { countText($0.items) } ?? "–"
            },
            Column(name: "received", width: 9, least: 120) { run, _ in byteText(run.wireBytes) },
            Column(name: isByJob ? "kept" : "a second", width: 9, least: 120) { run, report in
                let bytes = isByJob ? report.kept[run.job]?.bytes ?? 0 : run.throughput(now: now)
                return bytes.map(byteText) ?? "–"
            },
            Column(name: "failed (new)", width: 12) { run, _ in
                guard run.counts.failed > 0 else { return "0" }
                return countText(run.counts.failed) + (run.news.map { " (\(countText($0.failures)))" } ?? "")
            },
        ]
        return all.filter { $0.least <= columns }
    }
}
