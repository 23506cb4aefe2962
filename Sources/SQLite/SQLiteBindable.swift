internal import CSQLite

/// A value that can stand for a parameter of a statement.
///
/// Another type conforms by binding the value it is stored as: `rawValue.bind(to: statement, at: index)`.
@usableFromInline
package protocol SQLiteBindable {
    /// Sets the parameter at `index`, counted from 1. Called by `Statement` only.
    func bind(to statement: Statement, at index: Int32) -> ResultCode
}

extension Int64: SQLiteBindable {
    @usableFromInline
    package func bind(to statement: Statement, at index: Int32) -> ResultCode {
        ResultCode(rawValue: sqlite3_bind_int64(statement.raw, index, self))
    }
}

extension Int: SQLiteBindable {
    @usableFromInline
    package func bind(to statement: Statement, at index: Int32) -> ResultCode {
        Int64(self).bind(to: statement, at: index)
    }
}

/// Stored as 0 or 1.
extension Bool: SQLiteBindable {
    @usableFromInline
    package func bind(to statement: Statement, at index: Int32) -> ResultCode {
        Int64(self ? 1 : 0).bind(to: statement, at: index)
    }
}

/// SQLite knows no NaN: it is stored as NULL.
extension Double: SQLiteBindable {
    @usableFromInline
    package func bind(to statement: Statement, at index: Int32) -> ResultCode {
        ResultCode(rawValue: sqlite3_bind_double(statement.raw, index, self))
    }
}

extension String: SQLiteBindable {
    @usableFromInline
    package func bind(to statement: Statement, at index: Int32) -> ResultCode {
        var text = self
        return text.withUTF8 { statement.bind(UnsafeRawBufferPointer($0), at: index) }
    }
}

/// Stored as a blob.
extension [UInt8]: SQLiteBindable {
    @usableFromInline
    package func bind(to statement: Statement, at index: Int32) -> ResultCode {
        withUnsafeBytes { bytes in
            ResultCode(rawValue: csqlite_bind_blob(statement.raw, index, bytes.baseAddress, UInt64(bytes.count)))
        }
    }
}

/// `nil` is NULL, which a parameter is until it gets a value.
extension Optional: SQLiteBindable where Wrapped: SQLiteBindable {
    @inlinable
    package func bind(to statement: Statement, at index: Int32) -> ResultCode {
        switch self {
        case .some(let value): value.bind(to: statement, at: index)
        case .none: .ok
        }
    }
}
