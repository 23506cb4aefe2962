internal import CSQLite

/// The current row of a running statement; it cannot be kept longer than the closure it is lent to.
///
///     let (id, title): (Int64, String?) = try (row[0], row[1])
@usableFromInline
package struct Row: ~Copyable {
    /// The running statement, which the method that lends the row keeps alive.
    let raw: OpaquePointer

    @usableFromInline
    init(of statement: Statement) {
        raw = statement.raw
    }

    /// The value of a column, counted from 0.
    ///
    /// The stored type decides, no conversion is made but integer to `Double`.
    /// - Throws: `SQLiteError` with code `mismatch`, naming the column, for NULL read as a type that is not optional or
    ///   another stored type than the one asked for.
    @inlinable
    package subscript<Value: SQLiteReadable>(column: Int) -> Value {
        get throws(SQLiteError) {
            try Value.read(from: self, at: Int32(truncatingIfNeeded: column))
        }
    }

    /// How many columns the row has.
    package var count: Int { Int(sqlite3_column_count(raw)) }

    /// The name of a column as the query has it, that of an `AS` clause where there is one.
    package func name(of column: Int) -> String {
        sqlite3_column_name(raw, Int32(column)).map { String(cString: $0) } ?? ""
    }

    /// How the value of a column is stored. Asked before the value is read.
    package func storage(of column: Int) -> Storage {
        storage(at: Int32(column))
    }

    /// SQLite's storage classes (<https://www.sqlite.org/datatype3.html>).
    package enum Storage: String, Sendable {
        case integer = "an integer"
        case real = "a real number"
        case text = "text"
        case blob = "a blob"
        case null = "NULL"
    }
}

extension Row {
    private var sql: String { sqlite3_sql(raw).map { String(cString: $0) } ?? "" }

    func storage(at column: Int32) -> Storage {
        precondition(column >= 0 && column < sqlite3_column_count(raw), "no column \(column): \(sql)")
        return switch sqlite3_column_type(raw, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// Hot path: called for each column of each item. A column that there is not is NULL to SQLite.
    func require(_ wanted: Storage, _ code: Int32, at column: Int32) throws(SQLiteError) {
        if sqlite3_column_type(raw, column) == code { return }
        throw mismatch(storage(at: column), wanted: wanted, at: column)
    }

    func isNull(at column: Int32) -> Bool {
        guard sqlite3_column_type(raw, column) == SQLITE_NULL else { return false }
        precondition(column >= 0 && column < sqlite3_column_count(raw), "no column \(column): \(sql)")
        return true
    }

    func mismatch(_ found: Storage, wanted: Storage, at column: Int32) -> SQLiteError {
        SQLiteError(
            code: .mismatch,
            message: "column '\(name(of: Int(column)))' holds \(found.rawValue) where \(wanted.rawValue) is wanted",
            sql: sql)
    }

    /// The error of a column whose text is none of the words that it may have.
    package func unknownWord(_ text: String, at column: Int32) -> SQLiteError {
        SQLiteError(
            code: .mismatch, message: "column '\(name(of: Int(column)))' holds the unknown word '\(text)'", sql: sql)
    }
}
