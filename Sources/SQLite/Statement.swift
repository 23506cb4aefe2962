internal import CSQLite

/// A compiled statement, run as often as wanted with other values.
///
/// Each run binds all parameters, steps, and leaves the statement reset and without bindings, also when reading a row
/// throws. A run inside the row closure of the same statement is a programming error and traps; use the methods of
/// `Connection`, which take another statement then. Confined, like its connection, to one thread at a time.
@usableFromInline
package final class Statement {
    /// The text it was compiled from.
    @usableFromInline
    package let sql: String
    /// How many parameters the text has.
    @usableFromInline
    package let parameterCount: Int
    /// Whether a run is under way.
    private(set) var isRunning = false

    let raw: OpaquePointer
    /// Keeps the connection open as long as this can be run.
    private let handle: ConnectionHandle

    /// Compiles the one statement of `sql`.
    init(_ sql: String, on handle: ConnectionHandle) throws(SQLiteError) {
        var raw: OpaquePointer?
        var hasMore = false
        var text = sql
        let code = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(
                    handle.raw, characters.baseAddress, Int32(characters.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                    &raw, &tail)
                if code == SQLITE_OK, let tail, let start = characters.baseAddress {
                    hasMore = Statement.containsStatement(characters[(tail - start)...], on: handle)
                }
                return code
            }
        }
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, connection: handle.raw, sql: sql)
        }
        guard let raw, !hasMore else {
            sqlite3_finalize(raw)
            let fault = hasMore ? "more than one statement" : "no statement"
            throw SQLiteError(code: .misuse, message: fault, sql: sql)
        }
        self.sql = sql
        self.raw = raw
        self.handle = handle
        parameterCount = Int(sqlite3_bind_parameter_count(raw))
    }

    deinit {
        sqlite3_finalize(raw)
    }

    /// The names of the columns of its rows, in order.
    package var columnNames: [String] {
        (0..<sqlite3_column_count(raw)).map { column in
            sqlite3_column_name(raw, column).map { String(cString: $0) } ?? ""
        }
    }

    /// Whether what follows the first statement is more than space and comments, which compile to nothing.
    private static func containsStatement(_ tail: Slice<UnsafeBufferPointer<CChar>>, on handle: ConnectionHandle)
        -> Bool
    {
        guard !tail.isEmpty else { return false }
        let rest = UnsafeBufferPointer(rebasing: tail)
        var raw: OpaquePointer?
        let code = sqlite3_prepare_v2(handle.raw, rest.baseAddress, Int32(rest.count), &raw, nil)
        defer { sqlite3_finalize(raw) }
        return code != SQLITE_OK || raw != nil
    }
}

// MARK: - Running

extension Statement {
    /// Runs with `values` for the parameters, to the end; rows are passed over.
    @inlinable
    package func run<each Value: SQLiteBindable>(_ values: repeat each Value) throws(SQLiteError) {
        begin()
        defer { end() }
        try bind(repeat each values)
        while try step() {}
    }

    /// Runs with the values that `body` gives the parameters, to the end; rows are passed over.
    @inlinable
    func run(binding body: (inout Parameters) -> Void) throws(SQLiteError) {
        begin()
        defer { end() }
        try bind(body)
        while try step() {}
    }

    /// Runs with `values` and hands each row to `read` as it is found.
    ///
    /// A throw of `read` ends the run and is passed on.
    @inlinable
    package func forEach<each Value: SQLiteBindable>(
        _ values: repeat each Value, read: (borrowing Row) throws -> Void
    ) throws {
        begin()
        defer { end() }
        try bind(repeat each values)
        let row = Row(of: self)
        while try step() {
            try read(row)
        }
    }

    /// What `read` makes of every row, in the order of the rows.
    @inlinable
    package func rows<T, each Value: SQLiteBindable>(
        _ values: repeat each Value, read: (borrowing Row) throws -> T
    ) throws -> [T] {
        var result: [T] = []
        try forEach(repeat each values) { row in
            result.append(try read(row))
        }
        return result
    }

    /// What `read` makes of the first row, `nil` if there is none; later rows are not computed.
    @inlinable
    package func first<T, each Value: SQLiteBindable>(
        _ values: repeat each Value, read: (borrowing Row) throws -> T
    ) throws -> T? {
        begin()
        defer { end() }
        try bind(repeat each values)
        guard try step() else { return nil }
        return try read(Row(of: self))
    }
}

// MARK: - Steps of a run

extension Statement {
    @usableFromInline
    func begin() {
        precondition(!isRunning, "the statement is running already: \(sql)")
        isRunning = true
    }

    /// Makes it ready for the next run. The code of `sqlite3_reset` repeats that of the last step, which was handled.
    @usableFromInline
    func end() {
        sqlite3_reset(raw)
        // SQLite's copies would stay in memory until the next run.
        if parameterCount > 0 { sqlite3_clear_bindings(raw) }
        isRunning = false
    }

    @inlinable
    func bind<each Value: SQLiteBindable>(_ values: repeat each Value) throws(SQLiteError) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            let code = value.bind(to: self, at: index)
            if code != .ok { throw error(code) }
        }
        precondition(Int(index) == parameterCount, "\(index) values for \(parameterCount) parameters: \(sql)")
    }

    @inlinable
    func bind(_ body: (inout Parameters) -> Void) throws(SQLiteError) {
        var parameters = Parameters(of: self)
        body(&parameters)
        if parameters.code != .ok { throw error(parameters.code) }
        precondition(
            Int(parameters.count) == parameterCount,
            "\(parameters.count) values for \(parameterCount) parameters: \(sql)")
    }

    /// Binds text, of which SQLite makes a copy.
    func bind(_ text: UnsafeRawBufferPointer, at index: Int32) -> ResultCode {
        let place = text.baseAddress?.assumingMemoryBound(to: CChar.self)
        return ResultCode(rawValue: csqlite_bind_text(raw, index, place, UInt64(text.count)))
    }

    /// Goes to the next row; `false` at the end.
    @usableFromInline
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(raw) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw error(ResultCode(rawValue: code))
        }
    }

    @usableFromInline
    func error(_ code: ResultCode) -> SQLiteError {
        SQLiteError(code: code.rawValue, connection: handle.raw, sql: sql)
    }
}
