package import SQLite

/// Everything that the catalog knows of one item.
package struct ItemReport: Sendable {
    /// What is shown above the tables, in order, without what is not known.
    let facts: [(name: String, text: String)]
    let pictures: [[String]]
    let transfers: [[String]]
    let job: String
    let key: String
    let title: String
    /// As the catalog writes it, secrets as `${NAME}`.
    package let url: String
    /// Where the file is or was to be, absolute.
    package let file: String?

    /// Reads an item; nil when the job has none of that key.
    ///
    /// - Throws: `ReportError.unknownJob`, and what SQLite throws.
    package init?(job: String, key: String, from connection: Connection, now: Int64) throws {
        let names = try connection.rows("SELECT name FROM job ORDER BY name") { try $0[0] as String }
        guard names.contains(job) else { throw ReportError.unknownJob(job, known: names) }
        let found = try connection.first(
            """
            SELECT item.id, item.title, item.url, directory, path, collection.key, collection.title, state, failure,
                description, item.section, metadata, thumbnail_url, media_type, size, sha256, etag, last_modified,
                expires_at, stored_at, stored_run, (SELECT at FROM mark WHERE item_id = item.id AND kind = 'viewed')
            FROM item JOIN job ON job.name = item.job JOIN collection ON collection.id = collection_id
            WHERE item.job = ? AND item.key = ?
            """, job, key
        ) { row in
            let id: Int64 = try row[0]
            let directory: String = try row[3]
            let path: String? = try row[4]
            let file = path.map { directory + "/" + $0 }
            var facts: [(String, String?)] = [("URL", try row[2])]
            facts.append(("collection", "\(try row[5] as String)  \(try row[6] as String)"))
            facts.append(("section", try row[10]))
            let state: String = try row[7]
            facts.append(("state", state == "evicted" ? Self.evicted : state))
            facts.append(("failure", try row[8]))
            facts.append(("file", file))
            facts.append(("type", try row[13]))
            facts.append(("size", (try row[14] as Int64?).map(Self.sizeText)))
            facts.append(("SHA-256", try row[15]))
            let run = (try row[20] as Int64?).map { " by run \($0)" } ?? ""
            facts.append(("stored", (try row[19] as Int64?).map { localTimeText($0) + run }))
            facts.append(("viewed", (try row[21] as Int64?).map { localTimeText($0) }))
            facts.append(("ETag", try row[16]))
            facts.append(("Last-Modified", try row[17]))
            facts.append(
                ("fresh until", (try row[18] as Int64?).map { localTimeText($0) + ($0 < now ? ", over" : "") }))
            facts.append(("description", try row[9]))
            facts.append(("thumbnail", try row[12]))
            facts.append(("metadata", try row[11]))
            return (
                id: id, title: try row[1] as String, url: try row[2] as String, file: file,
                facts: facts.compactMap { fact in fact.1.map { (name: fact.0, text: $0) } }
            )
        }
        guard let found else { return nil }
        self.job = job
        self.key = key
        title = found.title
        url = found.url
        file = found.file
        facts = found.facts
        pictures = try Self.pictures(of: found.id, from: connection)
        transfers = try Self.transfers(of: found.id, from: connection)
    }

    /// Exact as well, where a unit rounds.
    private static func sizeText(_ bytes: Int64) -> String {
        bytes < 1_000 ? byteText(bytes) : "\(byteText(bytes)) (\(countText(bytes)) bytes)"
    }

    private static let evicted =
        "evicted: the file has gone to keep within output.max_bytes; runner FILE --only KEY --refresh brings it back"

    private static func pictures(of item: Int64, from connection: Connection) throws -> [[String]] {
        try connection.rows(
            "SELECT kind, position, width, height, size, path, name FROM picture WHERE item_id = ? ORDER BY position, kind",
            item
        ) { row in
            let name: String? = try row[6]
            return [
                "\(try row[0] as String) \(try row[1] as Int64)", "\(try row[2] as Int64) × \(try row[3] as Int64)",
                byteText(try row[4]), try row[5], name ?? "",
            ]
        }
    }

    private static func transfers(of item: Int64, from connection: Connection) throws -> [[String]] {
        try connection.rows(
            """
            SELECT run_id, coalesce(transfer.started_at, run.started_at), transfer.outcome, attempts, status,
                dns_us, connect_us, tls_us, wait_us, receive_us, total_us, transfer.wire_bytes, failure, transfer.detail
            FROM transfer JOIN run ON run.id = run_id WHERE item_id = ? ORDER BY run_id
            """, item
        ) { row in
            var cells = [
                "\(try row[0] as Int64)", localTimeText(try row[1]), try row[2], "\(try row[3] as Int64)",
                (try row[4] as Int64?).map { "\($0)" } ?? "",
            ]
            for column in 5...10 {
                cells.append((try row[column] as Int64?).map { durationText(microseconds: $0) } ?? "")
            }
            cells.append((try row[11] as Int64?).map { byteText($0) } ?? "")
            let failure: String? = try row[12]
            let detail: String? = try row[13]
            cells.append([failure, detail].compactMap { $0 }.joined(separator: ": "))
            return cells
        }
    }

    // MARK: Text

    /// The report for people.
    ///
    /// - Parameters:
    ///   - request: the command line that asks the server for the item; nil where it is not known.
    package func write(request: String?, to output: ReportOutput) throws {
        var page = TextPage(width: nil, cutsTitles: true, hasColour: false)
        page.line("\(displayable(job))  \(displayable(key))  \(displayable(title))")
        let column = (facts.map(\.name.count).max() ?? 0) + 2
        for fact in facts { page.line("  " + fact.name.leftAligned(column) + displayable(fact.text)) }
        if !pictures.isEmpty {
            page.paragraph()
            page.line("pictures")
            table(pictures, right: [1, 2], to: &page)
        }
        if !transfers.isEmpty {
            page.paragraph()
            let heads = [
                "run", "began", "outcome", "attempts", "status", "dns", "connect", "tls", "wait", "receive", "total",
                "wire", "",
            ]
            page.line("transfers")
            table([heads] + transfers, right: [0, 3, 4, 5, 6, 7, 8, 9, 10, 11], to: &page)
        }
        if let request {
            page.paragraph()
            page.line(displayable(request))
        }
        try page.flush(to: output)
    }

    /// Columns, those of numbers to the right.
    private func table(_ rows: [[String]], right: Set<Int>, to page: inout TextPage) {
        let shown = rows.map { $0.map(displayable) }
        let widths = (shown.first ?? []).indices.map { column in
            shown.map { displayWidth(of: $0[column]) }.max() ?? 0
        }
        for row in shown {
            let cells = row.indices.map { column in
                right.contains(column)
                    ? row[column].rightAligned(widths[column]) : row[column].leftAligned(widths[column])
            }
            let text = cells.joined(separator: "  ")
            page.line("  " + String(text.reversed().drop { $0 == " " }.reversed()))
        }
    }
}
