import Catalog
import JSON
import Reports
import SQLite

/// Prints rows of items: job, key, title, state and file for people and for `cut`, or JSON.
///
/// On a terminal columns are aligned by the first rows; elsewhere tabs separate them.
struct ItemTable {
    private static let headings = ["job", "key", "title", "state", "file"]

    private let console: Console
    private let isJSON: Bool
    private let catalog: Connection
    private var table: TextTable
    private var directories: [String: String] = [:]
    private var isFirst = true

    init(console: Console, isJSON: Bool, catalog: Connection) {
        self.console = console
        self.isJSON = isJSON
        self.catalog = catalog
        table = TextTable(Self.headings, isAligned: console.outputTerminal.isInteractive)
    }

    /// - Throws: why stdout takes nothing more; what the catalog throws.
    mutating func print(_ rows: [PageItemRow]) throws {
        guard isJSON else {
            let lines = try rows.map { row in
                [row.job, row.key, row.title, row.state, try file(of: row) ?? ""]
            }
            return lines.isEmpty ? () : try console.output.write(table.lines(for: lines))
        }
        for row in rows {
            try console.output.write(isFirst ? "{\"items\": [\n" : ",\n")
            isFirst = false
            try console.output.write(try document(of: row))
        }
    }

    mutating func end() throws {
        guard isJSON else { return }
        try console.output.write(isFirst ? "{\"items\": []}\n" : "\n]}\n")
    }

    /// Where the file of an item is; nil for one that has none.
    private mutating func file(of row: PageItemRow) throws -> String? {
        guard let path = row.path else { return nil }
        if directories[row.job] == nil { directories[row.job] = try CatalogJob.directory(of: row.job, on: catalog) }
        return directories[row.job].map { "\($0)/\(path)" }
    }

    private mutating func document(of row: PageItemRow) throws -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("id", row.id)
        json.member("job", row.job)
        json.member("collection", row.collection)
        json.member("key", row.key)
        json.member("title", row.title)
        json.member("state", row.state)
        json.member("failure", row.failure)
        json.member("detail", row.detail)
        json.member("media_type", row.mediaType)
        json.member("size", row.size)
        json.member("file", try file(of: row))
        json.key("favourite")
        json.value(row.isFavourite)
        json.member("section", row.letter)
        json.endObject()
        return json.bytes
    }
}
