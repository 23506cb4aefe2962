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
        if let limit = request.slowest { try slowest(limit, of: run, from: connection, on: &page, to: output) }
    }

    // MARK: - Collections

    private func collections(of run: RunReport, from connection: Connection, on page: inout TextPage) throws {
        let (names, sums, width) = collectionColumns(of: run, on: page)
        page.paragraph()
        guard !names.isEmpty else { return page.line("  collections  none") }
        page.line(
            "  " + names.map { $0.rightAligned(width) + " " }.joined() + "  received  ", title: "collection")
        let columns = (sums + ["wire_bytes", "section", "title"]).joined(separator: ", ")
        try forEachCollection(of: run, columns: columns, from: connection) { row in
            var cells = ""
            for column in names.indices { cells += countText(try row[column]).rightAligned(width) + " " }
            let received: Int64 = try row[names.count]
            cells += byteText(received).rightAligned(10)
            let title = heading([try row[names.count + 1], try row[names.count + 2]])
            page.line("  " + cells + "  ", title: title)
        }
    }

    /// The counts of a collection that there is room for, beside what was received and a title: the columns' names, what
    /// of the catalog stands in them, and how wide they are.
    private func collectionColumns(
        of run: RunReport, on page: TextPage
    ) -> (names: [String], sums: [String], width: Int) {
        // An outcome that no item had needs no column.
        let outcomes = run.counts.named.filter { $0.count > 0 }.map(\.name)
        let rest = "  ".count + 10 + "  ".count + TextPage.leastTitleWidth
        if outcomes.count * 11 + rest <= page.width ?? .max { return (outcomes, outcomes, 10) }
        let all = outcomes.joined(separator: " + ")
        return run.counts.failed > 0 ? (["items", "failed"], [all, "failed"], 9) : (["items"], [all], 9)
    }

    /// What the items of a collection and a section stand under: the names there are, the widest first.
    private func heading(_ names: [String?]) -> String {
        names.compactMap { $0 }.filter { !$0.isEmpty }.map(displayable).joined(separator: " / ")
    }

    // MARK: - Items

    private func items(
        of run: RunReport, from connection: Connection, on page: inout TextPage, to output: ReportOutput
    ) throws {
        let columns = """
            transfer.outcome, coalesce(CASE transfer.outcome WHEN 'downloaded' THEN transfer.body_bytes END, item.size),
            CASE transfer.outcome WHEN 'downloaded' THEN transfer.total_us ELSE coalesce(last.total_us, pruned.total_us) END,
            item.title, collection.section, collection.title, item.section
            """
        let rows = try ReportRows.items(of: run, columns: columns, from: connection)
        let isGrouped = try hasSeveralGroups(run, connection)
        page.paragraph()
        let (sizeColumns, timeColumns) = (page.width ?? .max) < 44 ? (9, 10) : (11, 11)
        let headings = "outcome".leftAligned(10) + "size".rightAligned(sizeColumns) + "time".rightAligned(timeColumns)
        page.line("  " + headings + "   title")
        var group: String?
        var hasEarlierTimes = false
        try rows.forEach(from: connection) { row in
            if isGrouped {
                let next = heading([try row[4], try row[5], try row[6]])
                if next != group {
                    page.paragraph()
                    page.line("  ", title: next)
                    group = next
                }
            }
            let outcome: String = try row[0]
            let size: Int64? = try row[1]
            let time: Int64? = try row[2]
            let isEarlier = time != nil && outcome != "downloaded"
            hasEarlierTimes = hasEarlierTimes || isEarlier
            let cells = [
                displayable(outcome).leftAligned(10),
                (size.map(byteText) ?? "–").rightAligned(sizeColumns),
                (time.map(durationText(microseconds:)) ?? "–").rightAligned(timeColumns) + (isEarlier ? "*" : " "),
            ]
            page.line("  " + cells.joined() + "  ", title: displayable(try row[3]))
        } flush: {
            try page.flush(to: output)
        }
        if rows.isEmpty { page.line("  none") }
        if hasEarlierTimes {
            page.paragraph()
            page.line("  * not downloaded by this run: the time of its last download")
        }
    }

    private func hasSeveralGroups(_ run: RunReport, _ connection: Connection) throws -> Bool {
        let groups = try connection.value(
            """
            SELECT count(*) FROM (SELECT DISTINCT collection_id, section
            FROM transfer JOIN item ON item.id = item_id WHERE run_id = ? LIMIT 2)
            """, run.id, as: Int.self)
        return groups == 2
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
        let columns = "item.title, item.url, transfer.detail, transfer.attempts, item.key"
        try ReportRows.transfers(host.ids, of: run, columns: columns).forEach(from: connection) { row in
            page.line(Self.groupMargin + "  ", title: displayable(try row[0]))
            let url: String = try row[1]
            // What the list has in place of a URL may be nothing at all; its key is always something.
            page.line(margin, title: displayable(url.isEmpty ? try row[4] : url))
            if common == nil, let remark = remark(detail: try row[2], attempts: try row[3]) {
                page.prose(remark, label: margin)
            }
        } flush: {
            try page.flush(to: output)
        }
    }

    private func commonRemark(_ ids: [Int64], of run: RunReport, from connection: Connection) throws -> String? {
        guard ids.count > 1 else { return nil }
        var remarks: Set<String?> = []
        let rows = ReportRows.transfers(ids, of: run, columns: "transfer.detail, transfer.attempts")
        try rows.forEach(from: connection) { row in
            if remarks.count < 2 { remarks.insert(remark(detail: try row[0], attempts: try row[1])) }
        } flush: {
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
        let (names, expressions) = slowestColumns(of: page)
        let columns = expressions.joined(separator: ", ") + ", transfer.wire_bytes, item.title"
        let rows = try ReportRows.slowest(limit, of: run, columns: columns, from: connection)
        page.paragraph()
        page.line("  " + names.map { $0.rightAligned(10) }.joined() + "  ", title: "slowest")
        try rows.forEach(from: connection) { row in
            var cells = ""
            for column in expressions.indices {
                let time: Int64? = try row[column]
                cells += (time.map(durationText(microseconds:)) ?? "–").rightAligned(10)
            }
            if names.count > expressions.count {
                let received: Int64? = try row[expressions.count]
                cells += (received.map(byteText) ?? "–").rightAligned(10)
            }
            page.line("  " + cells + "  ", title: displayable(try row[expressions.count + 1]))
        } flush: {
            try page.flush(to: output)
        }
        if rows.isEmpty { page.line("  none") }
    }

    /// The columns that there is room for, and what of the catalog stands in those that are times.
    private func slowestColumns(of page: TextPage) -> (names: [String], times: [String]) {
        switch page.width ?? .max {
        case ..<64: (["total", "wait", "receive"], ["total_us", "wait_us", "receive_us"])
        case ..<100:
            (
                ["total", "connect", "wait", "receive", "received"],
                ["total_us", "CAST(dns_us + connect_us + tls_us AS INTEGER)", "wait_us", "receive_us"]
            )
        default:
            (
                ["total", "dns", "connect", "tls", "wait", "receive", "received"],
                ["total_us", "dns_us", "connect_us", "tls_us", "wait_us", "receive_us"]
            )
        }
    }
}
