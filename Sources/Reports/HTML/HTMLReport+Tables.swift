internal import Catalog
internal import SQLite

/// What is plain HTML: read by mail programs, text browsers and searches as well.
extension HTMLReport {
    static let shownHosts = 50
    private static let shownFailures = 20
    private static let slowestCount = 10

    // MARK: Comparison

    func comparison(_ comparison: Comparison, on page: inout HTMLPage) {
        let differences = comparison.differences.filter(\.isWorthShowing).map { (host: String?.none, $0) }
        let hosts = comparison.hosts.flatMap { host in
            host.differences.filter(\.isRegressed).map { (host: String?.some(host.host), $0) }
        }
        guard !comparison.runs.isEmpty else { return }
        let rows = (differences + hosts).map { host, difference -> Markup in
            let metric = difference.metric
            let name: Markup = host.map { "\(metric.name), \(Markup.name($0))" } ?? "\(metric.name)"
            let mark: Markup = difference.isRegressed ? " <span class=\"bad\">regressed</span>" : ""
            return """
                <tr><th scope="row">\(name)\(mark)</th><td class="number">\(difference.now?.count.map { countText(Int64($0)) } ?? "")</td>\
                <td class="number">\(difference.now.map { metric.text($0.value) } ?? "–")</td>\
                <td class="number">\(difference.before.map(metric.text) ?? "–")</td>\
                <td class="number">\(difference.changeText)</td></tr>

                """
        }
        page.raw(
            """
            <div class="part part-whole"><\(headingTag)>What is different from \(comparison.runsWords)?</\(headingTag)>
            <div class="table-box"><table><thead><tr><th scope="col">figure</th><th scope="col" class="number">n</th>\
            <th scope="col" class="number">now</th><th scope="col" class="number">before</th>\
            <th scope="col" class="number">change</th></tr></thead>
            <tbody>\(rows.joined())</tbody></table></div></div>

            """)
    }

    // MARK: Failures

    func failures(of run: RunReport, from connection: Connection, on page: inout HTMLPage) throws {
        let failures = try FailureGroups(of: run, from: connection)
        guard failures.count > 0 else { return }
        var groups: [Markup] = []
        for group in failures.groups {
            let advice =
                group.known.map { "Known\($0.attempts); --failed retries at once." }
                ?? failureAdvice(word: group.word, status: group.status)
            let hosts = group.hosts.filter { !$0.name.isEmpty }
            let names =
                hosts.prefix(5).map { "\($0.name) (\(countText(Int64($0.ids.count))))" }
                + (hosts.count > 5 ? ["\(countText(Int64(hosts.count - 5))) more hosts"] : [])
            var items: [Markup] = []
            let ids = Array(group.hosts.flatMap(\.ids).prefix(Self.shownFailures))
            try TransferFacts.forEach(ids, ofRun: run.id, from: connection) { facts in
                let why = group.known == nil ? facts.detail.map { " – \($0)" } ?? "" : ""
                items.append(
                    "<li>\(Markup.name(facts.title.isEmpty ? facts.key : facts.title)) <span class=\"soft\">\(facts.url)\(why)</span></li>\n"
                )
            }
            let more = group.count - ids.count
            if more > 0 { items.append("<li class=\"soft\">and \(countText(Int64(more))) more</li>\n") }
            groups.append(
                """
                <li><p>\(countText(Int64(group.count))) × \(group.reason)</p><p>\(advice)</p>
                <p class="sub">\(names.joined(separator: ", "))</p>
                <details><summary>which</summary><ul>\(items.joined())</ul></details></li>

                """)
        }
        let database = self.database.map { " --database \(shellWord(displayable($0)))" } ?? ""
        page.raw(
            """
            <div class="part part-whole"><\(headingTag)>What failed, and what to do about it?</\(headingTag)>
            <ul class="failures">\(groups.joined())</ul>
            <p class="sub">All of them: <code>runner report \(run.job) --run \(run.id) --failures\(database)</code></p></div>

            """)
    }

    // MARK: Hosts

    func hosts(_ hosts: [HostFigures], on page: inout HTMLPage) {
        guard !hosts.isEmpty else { return }
        func times(_ sorted: [Int64]) -> Markup {
            [50, 90, 99].map { percent -> Markup in
                "<td class=\"number\">\(shownPercentile(percent, of: sorted).map(durationText(microseconds:)) ?? "–")</td>"
            }.joined()
        }
        let rows = hosts.prefix(Self.shownHosts).enumerated().map { index, host -> Markup in
            let failed: Markup =
                host.failed > 0 ? "<span class=\"bad\">\(countText(host.failed))</span>" : "0"
            let name: Markup = host.host.isEmpty ? "–" : .name(host.host)
            return """
                <tr><th scope="row" class="long">\(name)</th><td class="number">\(countText(host.transfers))</td>\
                <td class="number">\(failed)</td><td class="number">\(countText(host.throttled))</td>\
                <td class="number">\(countText(host.reused))</td><td>\(host.version ?? "–")</td>\
                <td class="number">\(byteText(host.wireBytes))</td>\(times(host.wait))\(times(host.total))\
                <td><canvas data-spark="\(index)" role="img" aria-label="How the waits are spread"></canvas></td></tr>

                """
        }
        let heads = [
            "transfers", "failed", "throttled", "reused", "HTTP", "received", "wait p50", "wait p90", "wait p99",
            "total p50", "total p90", "total p99", "waits",
        ].map { name -> Markup in "<th scope=\"col\" class=\"number\">\(name)</th>" }
        let more = hosts.count - Self.shownHosts
        let rest: Markup =
            more > 0 ? "<p class=\"sub\">and \(countText(Int64(more))) more \(more == 1 ? "host" : "hosts")</p>" : ""
        page.raw(
            """
            <div class="part part-whole"><\(headingTag)>Which hosts are slow or failing?</\(headingTag)>
            <p class="message">Percentiles are of downloads; p90 needs 10 of them, p99 100.</p>
            <div class="table-box"><table><thead><tr><th scope="col">host</th>\(heads.joined())</tr></thead>
            <tbody>\(rows.joined())</tbody></table></div>\(rest)</div>

            """)
    }

    private static let sparkBins = 24

    /// How waits are spread, in bins of a third of an octave … from 1 ms to about 1 minute; what is outside is in the last.
    static func spark(_ waits: [Int64]) -> [Int] {
        var counts = [Int](repeating: 0, count: sparkBins)
        for wait in waits {
            // Two bins for each power of four, from 1 ms.
            var bin = 0
            var edge: Int64 = 1_000
            while bin < sparkBins - 1, wait > edge {
                bin += 1
                edge = edge * 8 / 5
            }
            counts[bin] += 1
        }
        return counts
    }

    // MARK: The slowest

    func slowest(
        _ spans: [TransferSpan], of run: RunReport, from connection: Connection, on page: inout HTMLPage
    ) throws {
        let slowest = spans.filter { $0.total > 0 }.sorted { $0.total > $1.total }.prefix(Self.slowestCount)
        guard slowest.count > 1 else { return }
        var rows: [Markup] = []
        try TransferFacts.forEach(slowest.map(\.item), ofRun: run.id, from: connection) { facts in
            let times = [facts.total, facts.dns, facts.connect, facts.tls, facts.wait, facts.receive].map {
                time -> Markup in
                "<td class=\"number\">\(time.map(durationText(microseconds:)) ?? "–")</td>"
            }
            rows.append(
                """
                <tr><th scope="row" class="long">\(Markup.name(facts.title.isEmpty ? facts.key : facts.title))</th>\
                <td>\(facts.outcome)</td>\(times.joined())<td class="number">\(facts.wireBytes.map(byteText) ?? "–")</td></tr>

                """)
        }
        let heads = ["total", "dns", "connect", "tls", "wait", "receive", "received"].map { name -> Markup in
            "<th scope=\"col\" class=\"number\">\(name)</th>"
        }
        page.raw(
            """
            <div class="part part-whole"><\(headingTag)>Which transfers took longest, and in which phase?</\(headingTag)>
            <div class="table-box"><table><thead><tr><th scope="col">title</th><th scope="col">outcome</th>\(heads.joined())</tr></thead>
            <tbody>\(rows.joined())</tbody></table></div></div>

            """)
    }
}
