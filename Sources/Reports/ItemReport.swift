internal import Catalog
import Model
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
        let names = try jobNames(on: connection)
        guard names.contains(job) else { throw ReportError.unknownJob(job, known: names) }
        guard let record = try ItemRecord(job: job, key: key, from: connection) else { return nil }
        self.job = job
        self.key = key
        title = record.title
        url = record.url
        file = record.path.map { record.directory + "/" + $0 }
        facts = Self.facts(of: record, file: file, now: now)
        pictures = try PictureRecord.all(of: record.id, from: connection).map { picture in
            [
                "\(picture.kind) \(picture.position)", "\(picture.width) × \(picture.height)", byteText(picture.size),
                picture.path, picture.name ?? "",
            ]
        }
        transfers = try ItemTransferRecord.all(of: record.id, from: connection).map(Self.cells)
    }

    private static func facts(of record: ItemRecord, file: String?, now: Int64) -> [(name: String, text: String)] {
        let run = record.storedRun.map { " by run \($0)" } ?? ""
        let facts: [(String, String?)] = [
            ("URL", record.url), ("collection", "\(record.collectionKey)  \(record.collectionTitle)"),
            ("section", record.section), ("state", record.state == ItemState.evicted.rawValue ? evicted : record.state),
            ("failure", record.failure), ("file", file), ("type", record.mediaType),
            ("size", record.size.map(sizeText)), ("SHA-256", record.sha256),
            ("stored", record.storedAt.map { localTimeText($0) + run }),
            ("viewed", record.viewedAt.map(localTimeText)), ("ETag", record.etag),
            ("Last-Modified", record.lastModified),
            ("fresh until", record.expiresAt.map { localTimeText($0) + ($0 < now ? ", over" : "") }),
            ("description", record.description), ("thumbnail", record.thumbnailURL), ("metadata", record.metadata),
        ]
        return facts.compactMap { fact in fact.1.map { (name: fact.0, text: $0) } }
    }

    /// Exact as well, where a unit rounds.
    private static func sizeText(_ bytes: Int64) -> String {
        bytes < 1_000 ? byteText(bytes) : "\(byteText(bytes)) (\(countText(bytes)) bytes)"
    }

    private static let evicted =
        "evicted: the file has gone to keep within output.max_bytes; runner FILE --only KEY --refresh brings it back"

    private static func cells(of transfer: ItemTransferRecord) -> [String] {
        let times = transfer.times.map { $0.map(durationText(microseconds:)) ?? "" }
        return [
            "\(transfer.run)", localTimeText(transfer.startedAt), transfer.outcome, "\(transfer.attempts)",
            transfer.status.map { "\($0)" } ?? "",
        ] + times + [
            transfer.wireBytes.map(byteText) ?? "",
            [transfer.failure, transfer.detail].compactMap { $0 }.joined(separator: ": "),
        ]
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
