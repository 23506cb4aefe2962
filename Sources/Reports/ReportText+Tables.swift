internal import SQLite

/// The tables of a run. Columns have fixed widths, which the longest texts of `HumanNumbers` fit: rows are written as they
/// are read.
extension ReportText {
    func tables(
        of run: RunReport, _ request: ReportRequest, from connection: Connection, on page: inout TextPage,
        to output: ReportOutput
    ) throws {
        if request.collections { try collections(of: run, from: connection, on: &page) }
        if request.items { try items(of: run, from: connection, on: &page, to: output) }
        if request.failures { try failures(of: run, from: connection, on: &page, to: output) }
        if let limit = request.slowest { try slowest(limit, of: run, from: connection, on: &page, to: output) }
    }

    // MARK: - Collections

    private func collections(of run: RunReport, from connection: Connection, on page: inout TextPage) throws {
        page.paragraph()
        let names = OutcomeCounts().named.map(\.name)
        page.line("  " + names.map { $0.rightAligned(10) }.joined(separator: " ") + "    received  collection")
        let columns = "downloaded, unchanged, fresh, failed, cancelled, wire_bytes, section, title"
        try forEachCollection(of: run, columns: columns, from: connection) { row in
            var cells: [String] = []
            for column in names.indices { cells.append(countText(try row[column]).rightAligned(10)) }
            let received: Int64 = try row[names.count]
            cells.append(byteText(received).rightAligned(11))
            let title = heading([try row[names.count + 1], try row[names.count + 2]])
            page.line("  " + cells.joined(separator: " ") + "  ", title: title)
        }
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
            CASE transfer.outcome WHEN 'downloaded' THEN transfer.total_us ELSE last.total_us END,
            item.title, collection.section, collection.title, item.section
            """
        let rows = try ReportRows.items(of: run, columns: columns, from: connection)
        let isGrouped = try hasSeveralGroups(run, connection)
        page.paragraph()
        page.line("  " + "outcome".leftAligned(10) + "size".rightAligned(12) + "time".rightAligned(11) + "   title")
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
                (size.map(byteText) ?? "–").rightAligned(12),
                (time.map(durationText(microseconds:)) ?? "–").rightAligned(11) + (isEarlier ? "*" : " "),
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
        let columns = "transfer.failure, transfer.status, item.title, item.url, transfer.detail, transfer.attempts"
        let rows = try ReportRows.failures(of: run, columns: columns, from: connection)
        page.paragraph()
        page.line("  failures   \(rows.isEmpty ? "none" : countText(Int64(rows.ids.count)))")
        var group: String?
        try rows.forEach(from: connection) { row in
            let status: Int64? = try row[1]
            let failure: String? = try row[0]
            let next = displayable(failure ?? "unknown") + (status.map { " \($0)" } ?? "")
            if next != group {
                page.paragraph()
                page.line("  \(next)")
                group = next
            }
            page.line("    ", title: displayable(try row[2]))
            page.line("      " + displayable(try row[3]))
            let detail: String? = try row[4]
            let attempts: Int64 = try row[5]
            let remarks = [detail.map(displayable), attempts > 1 ? counted(attempts, "attempt") : nil]
            let remark = remarks.compactMap { $0 }.joined(separator: "; ")
            if !remark.isEmpty { page.line("      " + remark) }
        } flush: {
            try page.flush(to: output)
        }
    }

    // MARK: - Slowest

    private func slowest(
        _ limit: Int, of run: RunReport, from connection: Connection, on page: inout TextPage, to output: ReportOutput
    ) throws {
        let columns = """
            total_us, dns_us, connect_us, tls_us, wait_us, receive_us, transfer.wire_bytes, item.title
            """
        let rows = try ReportRows.slowest(limit, of: run, columns: columns, from: connection)
        page.paragraph()
        let names = ["total", "dns", "connect", "tls", "wait", "receive", "received"]
        page.line("  " + names.map { $0.rightAligned(10) }.joined() + "  slowest")
        try rows.forEach(from: connection) { row in
            var cells: [String] = []
            for column in 0..<6 {
                let time: Int64? = try row[column]
                cells.append((time.map(durationText(microseconds:)) ?? "–").rightAligned(10))
            }
            let received: Int64? = try row[6]
            cells.append((received.map(byteText) ?? "–").rightAligned(10))
            page.line("  " + cells.joined() + "  ", title: displayable(try row[7]))
        } flush: {
            try page.flush(to: output)
        }
        if rows.isEmpty { page.line("  none") }
    }
}
