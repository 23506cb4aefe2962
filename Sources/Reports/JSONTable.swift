internal import JSON
internal import SQLite

/// An array of objects, one for each row of a query, each on its line.
struct JSONTable {
    /// The names of the columns, asked of the first row only.
    private var names: [String] = []
    /// So many columns at the end of a row are those of the object `last_download`, or NULL.
    private let lastDownloadColumns: Int
    private var isEmpty = true

    /// Begins the array as the member `name`.
    init(_ name: String, in writer: inout JSONWriter, lastDownloadColumns: Int = 0) {
        self.lastDownloadColumns = lastDownloadColumns
        writer.key(name)
        writer.beginArray()
    }

    mutating func append(_ row: borrowing Row, to writer: inout JSONWriter) throws {
        if names.isEmpty { names = (0..<row.count).map { row.name(of: $0) } }
        isEmpty = false
        let own = names.count - lastDownloadColumns
        writer.nextLine()
        writer.beginObject()
        for column in 0..<own { try writer.member(names[column], row, column) }
        if lastDownloadColumns > 0 {
            writer.key("last_download")
            if row.storage(of: own) == .null {
                writer.null()
            } else {
                writer.beginObject()
                for column in own..<names.count { try writer.member(names[column], row, column) }
                writer.endObject()
            }
        }
        writer.endObject()
    }

    func end(in writer: inout JSONWriter) {
        if !isEmpty { writer.endLine() }
        writer.endArray()
    }
}

extension JSONWriter {
    /// The value of a column, as it is stored.
    mutating func member(_ name: String, _ row: borrowing Row, _ column: Int) throws {
        key(name)
        switch row.storage(of: column) {
        case .integer: value(try row[column] as Int64)
        case .real: value(try row[column] as Double)
        case .text: value(try row[column] as String)
        // The catalog has no blobs to report.
        case .null, .blob: null()
        }
    }
}
