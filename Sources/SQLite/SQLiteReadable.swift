internal import CSQLite

/// A value that can be read from a column.
///
/// Another type conforms by reading the value it is stored as.
@usableFromInline
package protocol SQLiteReadable {
    /// The value of a column, counted from 0, of the current row.
    ///
    /// - Throws: `SQLiteError` with code `mismatch` where the stored type does not fit.
    static func read(from row: borrowing Row, at column: Int32) throws(SQLiteError) -> Self
}

extension Int64: SQLiteReadable {
    @usableFromInline
    package static func read(from row: borrowing Row, at column: Int32) throws(SQLiteError) -> Int64 {
        try row.require(.integer, SQLITE_INTEGER, at: column)
        return sqlite3_column_int64(row.raw, column)
    }
}

extension Int: SQLiteReadable {
    @usableFromInline
    package static func read(from row: borrowing Row, at column: Int32) throws(SQLiteError) -> Int {
        Int(try Int64.read(from: row, at: column))
    }
}

/// Any integer but 0 is true.
extension Bool: SQLiteReadable {
    @usableFromInline
    package static func read(from row: borrowing Row, at column: Int32) throws(SQLiteError) -> Bool {
        try Int64.read(from: row, at: column) != 0
    }
}

extension Double: SQLiteReadable {
    @usableFromInline
    package static func read(from row: borrowing Row, at column: Int32) throws(SQLiteError) -> Double {
        let found = row.storage(at: column)
        guard found == .real || found == .integer else { throw row.mismatch(found, wanted: .real, at: column) }
        return sqlite3_column_double(row.raw, column)
    }
}

/// Text that is not UTF-8, which only another program can have stored, is repaired with U+FFFD.
extension String: SQLiteReadable {
    @usableFromInline
    package static func read(from row: borrowing Row, at column: Int32) throws(SQLiteError) -> String {
        try row.require(.text, SQLITE_TEXT, at: column)
        // The length is asked after the text: asking for the text may convert it (UTF-16 files).
        let start = sqlite3_column_text(row.raw, column)
        let count = Int(sqlite3_column_bytes(row.raw, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    }
}

extension [UInt8]: SQLiteReadable {
    @usableFromInline
    package static func read(from row: borrowing Row, at column: Int32) throws(SQLiteError) -> [UInt8] {
        try row.require(.blob, SQLITE_BLOB, at: column)
        // No address for an empty blob.
        let start = sqlite3_column_blob(row.raw, column)
        let count = Int(sqlite3_column_bytes(row.raw, column))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}

/// NULL is `nil`.
extension Optional: SQLiteReadable where Wrapped: SQLiteReadable {
    @usableFromInline
    package static func read(from row: borrowing Row, at column: Int32) throws(SQLiteError) -> Wrapped? {
        row.isNull(at: column) ? nil : try Wrapped.read(from: row, at: column)
    }
}
