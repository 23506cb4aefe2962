internal import Catalog
internal import SQLite

/// How long the transfers of a run took and, unless tables were asked for, which took longest and what failed.
extension ReportText {
    private static let slowestInOverview = 5
    private static let hostsInOverview = 5
    /// The text about a group of failures follows its count.
    static let groupMargin = "          "
    /// Of fewer transfers each is seen better in a table.
    private static let leastForHistogram = 10

    /// The table of percentiles, and how the totals are spread.
    func statistics(of run: RunReport, on page: inout TextPage) {
        // What took no time in any transfer, such as a TLS handshake where there is none, says nothing.
        let phases = run.statistics.phases.filter { $0.p99 > 0 }
        guard !phases.isEmpty else { return }
        page.paragraph()
        let (name, value) = (page.width ?? .max) < 44 ? (8, 10) : (9, 11)
        page.line("  " + "time".leftAligned(name) + ["p50", "p90", "p99"].map { $0.rightAligned(value) }.joined())
        for phase in phases {
            let values = [phase.p50, phase.p90, phase.p99].map { durationText(microseconds: $0).rightAligned(value) }
            page.line("  " + phase.phase.name.leftAligned(name) + values.joined())
        }
        if let totals = run.statistics.totals, run.statistics.transfers >= Self.leastForHistogram {
            histogram(totals, on: &page)
        }
    }

    /// A row for each range of durations: where it begins, a bar, and how many there are.
    private func histogram(_ histogram: Histogram, on page: inout TextPage) {
        let most = histogram.buckets.map(\.count).max() ?? 0
        let count = histogram.buckets.map { countText(Int64($0.count)).count }.max() ?? 0
        // Around the bar are the margin, the label with its dash, and the count with one before it.
        let columns = min(40, max(8, (page.width ?? 80) - 15 - count - 1))
        page.paragraph()
        page.line("  transfers by total time")
        for bucket in histogram.buckets {
            let label = "  " + durationText(microseconds: bucket.start).rightAligned(9) + " –  "
            let bar = bar(bucket.count, of: most, columns: columns)
            let number = countText(Int64(bucket.count))
            page.line(label + page.coloured(bar, .blue) + (bar.isEmpty ? "" : " ") + number)
        }
    }

    /// The transfers that took longest, in a few lines.
    func slowestFew(of run: RunReport, from connection: Connection, on page: inout TextPage) throws {
        guard run.statistics.transfers > 1 else { return }
        let ids = try ReportRows.slowest(Self.slowestInOverview, ofRun: run.id, from: connection).ids
        guard !ids.isEmpty else { return }
        page.paragraph()
        page.line("  " + "slowest".leftAligned(9) + "received".rightAligned(12) + "  title")
        try TransferFacts.forEach(ids, ofRun: run.id, from: connection) { facts in
            let cells =
                durationText(microseconds: facts.total ?? 0).rightAligned(9)
                + (facts.wireBytes.map(byteText) ?? "–").rightAligned(12)
            page.line("  " + cells + "  ", title: displayable(facts.title))
        }
    }

    /// What failed, by reason and host, with what to do about each.
    func failureGroups(of run: RunReport, from connection: Connection, on page: inout TextPage) throws {
        let failures = try FailureGroups(of: run, from: connection)
        guard failures.count > 0 else { return }
        heading(of: failures, run, on: &page)
        for group in failures.groups {
            heading(of: group, on: &page)
            var hosts = group.hosts.filter { !$0.name.isEmpty }.prefix(Self.hostsInOverview).map { host in
                "\(displayable(host.name)) (\(countText(Int64(host.ids.count))))"
            }
            let rest = group.hosts.count - Self.hostsInOverview
            if rest > 0 { hosts.append("\(counted(Int64(rest), "more host"))") }
            if !hosts.isEmpty { page.prose(hosts.joined(separator: ", "), label: Self.groupMargin) }
        }
        try wayOut(of: run, from: connection, on: &page)
    }

    func heading(of failures: FailureGroups, _ run: RunReport, on page: inout TextPage) {
        page.paragraph()
        page.line("  failures   \(countText(Int64(failures.count))) of \(counted(run.counts.total, "item"))")
    }

    /// How many and why, and below it what to do.
    func heading(of group: FailureGroups.Group, on page: inout TextPage) {
        page.paragraph()
        let count = countText(Int64(group.count)).rightAligned(Self.groupMargin.count - 2)
        page.line("\(count)  \(page.coloured(group.reason, .red))")
        if let known = group.known {
            return page.prose("Known\(known.attempts); --failed retries at once.", label: Self.groupMargin)
        }
        let advice = failureAdvice(word: group.word, status: group.status)
        if !advice.isEmpty { page.prose(advice, label: Self.groupMargin) }
    }

    /// The command that tries the failed items again, as the run itself was started.
    /// In one line, however long: it is there to be copied.
    func wayOut(of run: RunReport, from connection: Connection, on page: inout TextPage) throws {
        guard let file = try jobFile(of: run.job, on: connection) else { return }
        page.paragraph()
        let overrides = run.overrideList.map { " --set \(shellWord(displayable($0)))" }.joined()
        page.line("  again      runner \(shellPath(displayable(file)))\(databaseClause)\(overrides) --failed")
        if let secret = run.overrideList.lazy.compactMap(hiddenName).first {
            page.prose("with its value in place of \(displayable(secret))", label: "             ")
        }
    }

    /// `${source.NAME}` in the text of a `--set`: a secret that was typed as it is, and is not kept.
    private func hiddenName(in override: String) -> String? {
        guard let start = override.firstPlace(of: "${"), let end = override[start...].firstIndex(of: "}") else {
            return nil
        }
        let name = override[start...end]
        return name.contains(".") ? String(name) : nil
    }

    /// A path as a shell takes it. One with a variable in it is left to the shell to complete.
    private func shellPath(_ path: String) -> String {
        guard path.firstPlace(of: "${") != nil else { return shellWord(path) }
        var text = ""
        for character in path {
            if "\"`\\".contains(character) { text += "\\" }
            text.append(character)
        }
        return "\"\(text)\""
    }
}
