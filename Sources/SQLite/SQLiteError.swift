internal import CSQLite

/// What SQLite reported, and for which SQL.
///
/// The values that were bound are no part of it, so that it may go to a log.
@usableFromInline
package struct SQLiteError: Error, CustomStringConvertible, Sendable {
    /// The extended result code.
    package let code: ResultCode
    /// SQLite's own words, or this module's, for people.
    package let message: String
    /// The text that was prepared or run, without the bound values; `nil` where no SQL was involved.
    package let sql: String?
    /// The file of the database; `nil` where it is not known, or there is none.
    package let path: String?

    init(code: ResultCode, message: String, sql: String? = nil, path: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
        self.path = path
    }

    @usableFromInline
    package var description: String {
        let name = path.flatMap { message.contains($0) ? nil : "\($0): " } ?? ""
        let summary = "\(name)\(message) (SQLite code \(code.rawValue))"
        // Of what is wrong with the file, or around it, the statement tells nothing.
        if let path, let wayOut = code.wayOut(for: path) { return "\(summary); \(wayOut)" }
        guard let sql else { return summary }
        // One line for logs: SQL is written over several.
        let text = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "\(summary) in: \(text)"
    }
}

extension SQLiteError {
    /// The error of the last call on a connection that returned `code`.
    ///
    /// A code that comes from this module, not from a call, has no message of its own in the connection.
    init(code: Int32, connection: OpaquePointer, sql: String?) {
        let isOfLastCall = sqlite3_extended_errcode(connection) == code
        let text = isOfLastCall ? sqlite3_errmsg(connection) : sqlite3_errstr(code)
        self.init(
            code: ResultCode(rawValue: code),
            message: text.map { String(cString: $0) } ?? "unknown error",
            sql: sql, path: Self.path(of: connection))
    }

    /// The file of a connection's database; `nil` for one in memory.
    private static func path(of connection: OpaquePointer) -> String? {
        guard let name = sqlite3_db_filename(connection, "main") else { return nil }
        let path = String(cString: name)
        return path.isEmpty ? nil : path
    }
}
