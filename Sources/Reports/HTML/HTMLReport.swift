internal import Catalog
internal import Files
import FoundationEssentials
package import SQLite

/// A report as one HTML file that opens from disk without the network: verdict, numbers and failures as plain HTML, plots
/// and a table of all items drawn from data in it.
///
/// No text of the catalog is markup, and a policy names the one script and the one style sheet by their digests.
package struct HTMLReport {
    let report: Report
    /// Whether thumbnails of items are in it.
    let hasGallery: Bool
    /// The value of `--database` in command lines that are shown; `nil` where they find the catalog without it.
    let database: String?
    let version: String
    /// Microseconds since 1970 UTC.
    let now: Int64
    /// How a time (microseconds since 1970 UTC) is written.
    let timeText: (Int64) -> String

    package init(
        _ report: Report, hasGallery: Bool = false, database: String? = nil, version: String, now: Int64,
        timeText: @escaping (Int64) -> String = localTimeText
    ) {
        self.report = report
        self.hasGallery = hasGallery
        self.database = database
        self.version = version
        self.now = now
        self.timeText = timeText
    }

    package func write(from connection: Connection, to output: ReportOutput) throws {
        var page = HTMLPage()
        func flush() throws {
            try output(page.bytes)
            page.removeBytes()
        }
        head(on: &page)
        try flush()
        for run in report.runs {
            try section(of: run, from: connection, on: &page)
            try flush()
        }
        foot(on: &page)
        try flush()
    }

    /// The scripts as one, in the order in which they need each other. Modules of one file need no imports and exports.
    static let script: String = {
        let parts = [
            PackageResources.scales_js, PackageResources.charts_js, PackageResources.timeline_js,
            PackageResources.report_items_js, PackageResources.report_js,
        ]
        let statements = parts.flatMap { lines(of: $0) }.filter { !$0.hasPrefix("import ") }
            .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
        return "\"use strict\";\n" + statements.joined(separator: "\n")
    }()

    static let style =
        Palette.style(from: String(decoding: PackageResources.base_css, as: UTF8.self))
        + lines(of: PackageResources.report_css).joined(separator: "\n")

    /// Without indentation, empty lines and lines of comment, which a report needs not carry. None of the files has a text of
    /// several lines.
    private static func lines(of file: [UInt8]) -> [Substring] {
        String(decoding: file, as: UTF8.self).split(separator: "\n").map { $0.drop { $0 == " " } }.filter { line in
            line != "*" && !["//", "/*", "* ", "*/"].contains { line.hasPrefix($0) }
        }
    }

    /// A source of the policy (CSP Level 3, 2.3.1): `'sha256-…'`.
    private static func source(of text: String) -> String {
        var digest = SHA256()
        var text = text
        text.withUTF8 { digest.update(UnsafeRawBufferPointer($0)) }
        return "'sha256-\(Data(digest.finalize().bytes).base64EncodedString())'"
    }

    private static let policy = """
        default-src 'none'; img-src data:; style-src \(styleSource); script-src \(scriptSource); base-uri 'none'; \
        form-action 'none'
        """

    /// The script and the style sheet as sources of a policy, for whoever serves the page.
    package static let scriptSource = source(of: script)
    package static let styleSource = source(of: style)

    // MARK: Head and foot

    private func head(on page: inout HTMLPage) {
        let title = isOne ? title(of: report.runs[0]) : titleOfSeveral
        page.raw(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">

            """)
        page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"\(Self.policy)\">\n")
        page.raw("<meta name=\"referrer\" content=\"no-referrer\">\n<title>\(title)</title>\n<style>")
        page.raw(Array(Self.style.utf8))
        page.raw(
            "</style>\n</head>\n<body>\n<header class=\"top\"><p>Report of runner \(version), \(timeText(now))</p>")
        page.raw("</header>\n<main>\n")
        guard !isOne else { return }
        page.raw("<h1>\(title)</h1>\n<ul class=\"contents\">\n")
        for run in report.runs {
            page.raw("<li><a href=\"#run-\(run.id)\">\(self.title(of: run))</a></li>\n")
        }
        for job in report.jobsWithoutRuns { page.raw("<li>\(job): no run</li>\n") }
        page.raw("</ul>\n")
    }

    private func foot(on page: inout HTMLPage) {
        page.raw("</main>\n<noscript><p>Plots and the table of all items need JavaScript.</p></noscript>\n<script>")
        page.raw(Array(Self.script.utf8))
        page.raw("</script>\n</body>\n</html>\n")
    }

    /// Whether the one run's verdict is the title of all.
    private var isOne: Bool { report.runs.count == 1 && report.jobsWithoutRuns.isEmpty }

    /// Of the parts of a run, below its own.
    var headingTag: Markup { isOne ? "h2" : "h3" }

    private func title(of run: RunReport) -> String {
        "\(run.job) run \(run.id): \(verdict(of: run))"
    }

    private var titleOfSeveral: String {
        guard !report.runs.isEmpty else { return "No runs" }
        let outcomes = ["failed", "interrupted", "partial", "running", "complete"].compactMap { outcome in
            let count = report.runs.count { $0.outcome == outcome }
            return count > 0 ? "\(countText(Int64(count))) \(outcome)" : nil
        }
        return "\(countText(Int64(report.runs.count))) runs: \(outcomes.joined(separator: ", "))"
    }

    /// `partial, 2 of 180 items failed`.
    private func verdict(of run: RunReport) -> String {
        var parts = [run.outcome]
        if report.comparisons[run.id]?.isRegressed == true { parts.append("regressed") }
        if run.counts.failed > 0 {
            parts.append("\(countText(run.counts.failed)) of \(countText(run.counts.total)) items failed")
        } else if run.counts.total == 0 {
            parts.append("no items")
        }
        return parts.joined(separator: ", ")
    }

    // MARK: A run

    private func section(of run: RunReport, from connection: Connection, on page: inout HTMLPage) throws {
        let spans = try TransferSpan.all(ofRun: run.id, from: connection)
        var lanes = Lanes()
        let places = spans.map { lanes.lane(from: $0.start, to: $0.end) }
        // As the starts of its transfers, whatever a catalog has in it.
        let start = min(max(run.startedAt, 0), 1 << 52)
        let plots = RunPlots(spans, lanes: places, start: start)
        let shown = ShownTransfers(
            spans, lanes: places, quiet: try QuietTransfer.all(ofRun: run.id, from: connection))
        let hosts = try HostFigures.all(ofRun: run.id, from: connection)
        let history = try ComparableRun.last(50, ofJob: run.job, upTo: run.id, from: connection)

        page.raw("<section class=\"run\" id=\"run-\(run.id)\" data-run=\"\(run.id)\">\n")
        heading(of: run, on: &page)
        numbers(of: run, on: &page)
        if shown.isSample {
            let text = """
                Of \(countText(Int64(shown.total))) transfers the timeline, the points and the table show \
                \(countText(Int64(shown.count))): all that failed, the slowest 1,000 and a sample. The other plots and the \
                numbers are of all.
                """
            page.raw("<p class=\"note\">\(text)</p>\n")
        }
        page.raw("<div class=\"parts\">\n")
        if let comparison = report.comparisons[run.id] { self.comparison(comparison, on: &page) }
        try failures(of: run, from: connection, on: &page)
        figures(of: run, plots, history: history, on: &page)
        self.hosts(hosts, on: &page)
        try slowest(spans, of: run, from: connection, on: &page)
        page.raw(
            """
            <div class="part part-whole"><\(headingTag)>What became of each item?</\(headingTag)>
            <div data-items hidden></div>\(shown.count == 0 ? "<p>There was none.</p>" as Markup : "")</div>

            """)
        if hasGallery { try gallery(of: run, from: connection, on: &page) }
        page.raw("</div>\n</section>\n")
        let data = try HTMLData(shown, plots, start: start, of: run, from: connection)
        page.raw("<script type=\"application/octet-stream\" id=\"data-\(run.id)\">")
        page.raw(
            try data.encoded(
                run, plots, history: history, sparks: hosts.prefix(Self.shownHosts).map { Self.spark($0.wait) },
                now: now))
        page.raw("</script>\n")
    }

    private func heading(of run: RunReport, on page: inout HTMLPage) {
        let comparison = report.comparisons[run.id]
        let kind = comparison?.isRegressed == true ? "regressed" : run.outcome
        let known = ["complete", "partial", "failed", "interrupted", "running", "regressed"]
        let heading: Markup = "\(Markup.name(run.job)) run \(run.id): \(verdict(of: run))"
        page.raw("<div class=\"verdict verdict-\(known.contains(kind) ? kind : "fresh")\">\n")
        page.raw(isOne ? "<h1>\(heading)</h1>\n" as Markup : "<h2>\(heading)</h2>\n")
        if let detail = run.detail { page.raw("<p>\(detail)</p>\n") }
        if let comparison {
            page.raw("<p>\(comparison.headline.prefix(1).uppercased() + comparison.headline.dropFirst()).</p>\n")
            for step in comparison.steps {
                page.raw("<p>\(step.text.prefix(1).uppercased() + step.text.dropFirst()).</p>\n")
            }
        }
        var facts = ["Began \(timeText(run.startedAt))"]
        if let selection = run.selectionWords ?? run.selection { facts.append("selection: \(selection)") }
        if let concurrency = run.concurrency { facts.append("concurrency \(countText(concurrency))") }
        facts.append("on \(run.host) with runner \(run.runnerVersion), libcurl \(run.libcurlVersion)")
        page.raw("<p class=\"sub\">\(facts.joined(separator: ", "))</p>\n</div>\n")
    }

    /// The four numbers.
    private func numbers(of run: RunReport, on page: inout HTMLPage) {
        func number(_ name: String, _ figure: String, _ rest: String) {
            page.raw(
                "<div><dt>\(name)</dt><dd class=\"figure\">\(figure)</dd><dd class=\"sub\">\(rest)</dd></div>\n")
        }
        let counts = run.counts
        let parts = counts.named.filter { $0.count > 0 && $0.name != "failed" }.map {
            "\(countText($0.count)) \($0.name)"
        }
        let known = run.knownFailures > 0 ? "\(countText(run.knownFailures)) known before, not asked" : ""
        let isNew = run.news.map { "\(countText($0.failures)) new since run \($0.previous)" } ?? ""
        page.raw("<dl class=\"numbers\">\n")
        number("Items", countText(counts.total), parts.joined(separator: ", "))
        number(
            "Failed", countText(counts.failed),
            [known, counts.failed > 0 ? isNew : ""].filter { !$0.isEmpty }.joined(separator: ", "))
        number(
            "Received", byteText(run.wireBytes),
            run.throughput(now: now).map { "\(byteText($0)) a second" } ?? "")
        let transfers = run.statistics.transfers
        number(
            "Took", run.duration(now: now).map(durationText(microseconds:)) ?? "–",
            "\(countText(transfers)) transfers, \(countText(run.statistics.reused)) on an open connection")
        page.raw("</dl>\n")
    }
}
