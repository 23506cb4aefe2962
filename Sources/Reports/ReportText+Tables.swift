internal import Catalog
internal import SQLite

/// The tables of a run. Columns have fixed widths, which all but the oddest texts of `HumanNumbers` fit: rows are written
/// as they are read.
extension ReportText {
    func tables(
        of run: RunReport, _ request: ReportRequest, from connection: Connection, on page: inout TextPage,
        to output: ReportOutput
    ) throws {
        if request.collections { try collections(of: run, from: connection, on: &page) }
        if request.items { try items(of: run, from: connection, on: &page, to: output) }
        if request.failures { try failures(of: run, from: connection, on: &page, to: output) }
        if request.news { try news(of: run, from: connection, on: &page) }
        if request.hosts { try hosts(of: run, from: connection, on: &page) }
        if request.shards { try shards(of: run, from: connection, on: &page) }
        if let limit = request.slowest { try slowest(limit, of: run, from: connection, on: &page, to: output) }
    }

    // MARK: - Collections

    private func collections(of run: RunReport, from connection: Connection, on page: inout TextPage) throws {
        let (names, width) = collectionColumns(of: run, on: page)
        page.paragraph()
        guard !names.isEmpty else { return page.line("  collections  none") }
        page.line(
            "  " + names.map { $0.rightAligned(width) + " " }.joined() + "  received  ", title: "collection")
        try CollectionLine.forEach(ofRun: run.id, from: connection) { line in
            var cells = ""
            for name in names {
                let count = name == "items" ? line.counts.values.reduce(0) { $0.addingClamped($1) } : line.counts[name]
                cells += countText(count ?? 0).rightAligned(width) + " "
            }
            cells += byteText(line.wireBytes).rightAligned(10)
            page.line("  " + cells + "  ", title: heading([line.section, line.title]))
        }
    }

    /// The counts of a collection that there is room for, beside what was received and a title, and how wide they are.
    private func collectionColumns(of run: RunReport, on page: TextPage) -> (names: [String], width: Int) {
        // An outcome that no item had needs no column.
        let outcomes = run.counts.named.filter { $0.count > 0 }.map(\.name)
        let rest = "  ".count + 10 + "  ".count + TextPage.leastTitleWidth
        if outcomes.isEmpty || outcomes.count * 11 + rest <= page.width ?? .max { return (outcomes, 10) }
        return (run.counts.failed > 0 ? ["items", "failed"] : ["items"], 9)
    }

    /// The headings of the items of a collection and a section: those that exist, the widest first.
    private func heading(_ names: [String?]) -> String {
        names.compactMap { $0 }.filter { !$0.isEmpty }.map(displayable).joined(separator: " / ")
    }

    // MARK: - Items

    private func items(
        of run: RunReport, from connection: Connection, on page: inout TextPage, to output: ReportOutput
    ) throws {
        let isGrouped = try ItemLine.areGrouped(inRun: run.id, from: connection)
        page.paragraph()
        let (sizeColumns, timeColumns) = (page.width ?? .max) < 44 ? (9, 10) : (11, 11)
        let headings = "outcome".leftAligned(10) + "size".rightAligned(sizeColumns) + "time".rightAligned(timeColumns)
        page.line("  " + headings + "   title")
        var group: String?
        var (isEmpty, hasEarlierTimes) = (true, false)
        try ItemLine.forEach(ofRun: run.id, job: run.job, from: connection) { item in
            isEmpty = false
            if isGrouped {
                let next = heading([item.collectionSection, item.collection, item.section])
                if next != group {
                    page.paragraph()
                    page.line("  ", title: next)
                    group = next
                }
            }
            let isEarlier = item.time != nil && item.outcome != "downloaded"
            hasEarlierTimes = hasEarlierTimes || isEarlier
            let cells = [
                displayable(item.outcome).leftAligned(10),
                (item.size.map(byteText) ?? "–").rightAligned(sizeColumns),
                (item.time.map(durationText(microseconds:)) ?? "–").rightAligned(timeColumns) + (isEarlier ? "*" : " "),
            ]
            page.line("  " + cells.joined() + "  ", title: displayable(item.title))
        } flush: {
            try page.flush(to: output)
        }
        if isEmpty { page.line("  none") }
        if hasEarlierTimes {
            page.paragraph()
            page.line("  * not downloaded by this run: the time of its last download")
        }
    }

    // MARK: - Failures

    private func failures(
        of run: RunReport, from connection: Connection, on page: inout TextPage, to output: ReportOutput
    ) throws {
        let failures = try FailureGroups(of: run, from: connection)
        guard failures.count > 0 else {
            page.paragraph()
            return page.line("  failures   none")
        }
        heading(of: failures, run, on: &page)
        for group in failures.groups {
            heading(of: group, on: &page)
            for host in group.hosts { try items(host, of: run, from: connection, on: &page, to: output) }
        }
        try wayOut(of: run, from: connection, on: &page)
    }

    /// What is known of failed items, one by one. A remark that is the same for all items of a host comes once.
    private func items(
        _ host: FailureGroups.Host, of run: RunReport, from connection: Connection, on page: inout TextPage,
        to output: ReportOutput
    ) throws {
        let name = host.name.isEmpty ? "without a host" : displayable(host.name)
        let common = try commonRemark(host.ids, of: run, from: connection)
        page.paragraph()
        page.prose(
            "\(name) (\(countText(Int64(host.ids.count))))" + (common.map { ": \($0)" } ?? ""), label: Self.groupMargin)
        let margin = Self.groupMargin + "    "
        try TransferFacts.forEach(host.ids, ofRun: run.id, from: connection) { facts in
            page.line(Self.groupMargin + "  ", title: displayable(facts.title))
            // What the list has in place of a URL may be nothing at all; its key is always something.
            page.line(margin, title: displayable(facts.url.isEmpty ? facts.key : facts.url))
            if common == nil, let remark = remark(detail: facts.detail, attempts: facts.attempts) {
                page.prose(remark, label: margin)
            }
        } flush: {
            try page.flush(to: output)
        }
    }

    private func commonRemark(_ ids: [Int64], of run: RunReport, from connection: Connection) throws -> String? {
        guard ids.count > 1 else { return nil }
        var remarks: Set<String?> = []
        try TransferFacts.forEach(ids, ofRun: run.id, from: connection) { facts in
            if remarks.count < 2 { remarks.insert(remark(detail: facts.detail, attempts: facts.attempts)) }
        }
        return remarks.count == 1 ? remarks.first ?? nil : nil
    }

    private func remark(detail: String?, attempts: Int64) -> String? {
        let remarks = [detail.map(displayable), attempts > 1 ? counted(attempts, "attempt") : nil].compactMap { $0 }
        return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
    }

    // MARK: - Slowest

    private func slowest(
        _ limit: Int, of run: RunReport, from connection: Connection, on page: inout TextPage, to output: ReportOutput
    ) throws {
        let columns = slowestColumns(of: page)
        let ids = try ReportRows.slowest(limit, ofRun: run.id, from: connection).ids
        page.paragraph()
        page.line("  " + columns.map { $0.name.rightAligned(10) }.joined() + "  ", title: "slowest")
        try TransferFacts.forEach(ids, ofRun: run.id, from: connection) { facts in
            let cells = columns.map { ($0.text(facts) ?? "–").rightAligned(10) }.joined()
            page.line("  " + cells + "  ", title: displayable(facts.title))
        } flush: {
            try page.flush(to: output)
        }
        if ids.isEmpty { page.line("  none") }
    }

    private typealias SlowestColumn = (name: String, text: (TransferFacts) -> String?)

    /// The columns that there is room for.
    private func slowestColumns(of page: TextPage) -> [SlowestColumn] {
        func time(_ name: String, _ time: @escaping (TransferFacts) -> Int64?) -> SlowestColumn {
            (name, { time($0).map(durationText(microseconds:)) })
        }
        let received: SlowestColumn = ("received", { $0.wireBytes.map(byteText) })
        let total = time("total") { $0.total }
        let last = [time("wait") { $0.wait }, time("receive") { $0.receive }]
        switch page.width ?? .max {
        case ..<64: return [total] + last
        case ..<100:
            let connect = time("connect") { facts in
                guard let dns = facts.dns, let connect = facts.connect, let tls = facts.tls else { return nil }
                return dns + connect + tls
            }
            return [total, connect] + last + [received]
        default:
            let first = [time("dns") { $0.dns }, time("connect") { $0.connect }, time("tls") { $0.tls }]
            return [total] + first + last + [received]
        }
    }
}
