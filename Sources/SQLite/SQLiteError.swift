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

    package init(code: ResultCode, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    @usableFromInline
    package var description: String {
        let summary = "\(message) (SQLite code \(code.rawValue))"
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
            sql: sql)
    }
}
