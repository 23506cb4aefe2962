internal import CSQLite
internal import Glibc

/// A connection to one database file.
///
/// Not `Sendable`: it and its statements are used by one thread, or one serial queue, at a time (it is opened without
/// SQLite's own mutex). Calls block; they are not for Swift's cooperative pool.
@usableFromInline
package final class Connection {
    /// What a connection may do with its file.
    package enum Mode: Sendable {
        /// The file is made where there is none: private to the user (0600), or readable by the group (0640, under the
        /// umask) in a folder that hands its group down to what is made in it.
        case readWriteCreate
        case readWrite
        case readOnly
    }

    /// The file, as given to `init`.
    package let path: String
    package let mode: Mode

    private var handle: ConnectionHandle?
    private var statements: [String: Statement] = [:]
    /// The statements asked for last: a loop asks for the same few again and again, and hashing their texts would cost
    /// more than binding their values.
    private var recent: [Statement] = []
    let busyTimeout: Int32

    /// Beyond so many different texts the cache starts anew: texts are meant to be constant.
    private static let cacheLimit = 200
    private static let recentLimit = 8

    /// Opens the file at `path` and reads its first page.
    ///
    /// The file itself is not changed: the write-ahead log is turned on by `Migrator`, once it knows whose file it is.
    /// `busyTimeout` is how many milliseconds to wait for the lock of another connection, before `busy` is thrown.
    /// - Throws: `cannotOpen`, `readOnly`, `notADatabase` and others, with the path and a reason for people.
    package convenience init(path: String, mode: Mode, busyTimeout: Int32 = 10_000) throws(SQLiteError) {
        var flags = SQLITE_OPEN_READWRITE
        switch mode {
        case .readWriteCreate: try Connection.createPrivateFile(path)
        case .readWrite: break
        case .readOnly: flags = SQLITE_OPEN_READONLY
        }
        // SQLite would wait for somebody to write to a pipe.
        var information = stat()
        if stat(path, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
            throw SQLiteError(code: .cannotOpen, message: "cannot read \(path): it is not a regular file", path: path)
        }
        // SQLite reads ":memory:" and an empty name as databases without a file; here a path is a path.
        let handle = try ConnectionHandle(path: path.hasPrefix("/") ? path : "./\(path)", flags: flags)
        try self.init(handle, path: path, mode: mode, busyTimeout: busyTimeout)
    }

    /// A database in memory, gone with the connection.
    package static func inMemory() throws(SQLiteError) -> Connection {
        let handle = try ConnectionHandle(path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        return try Connection(handle, path: ":memory:", mode: .readWriteCreate, busyTimeout: 0)
    }

    private init(_ handle: ConnectionHandle, path: String, mode: Mode, busyTimeout: Int32) throws(SQLiteError) {
        self.path = path
        self.mode = mode
        self.handle = handle
        self.busyTimeout = busyTimeout
        sqlite3_busy_timeout(handle.raw, busyTimeout)
        // A misspelt column in double quotes is an error, not a string.
        csqlite_set_flag(handle.raw, SQLITE_DBCONFIG_DQS_DML, 0)
        csqlite_set_flag(handle.raw, SQLITE_DBCONFIG_DQS_DDL, 0)
        do {
            // A schema from elsewhere calls no function with side effects.
            try execute("PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA schema_version")
            if mode != .readOnly {
                // Readers keep the default, files: a report may sort a million rows.
                try execute("PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = \(16 << 20)")
            }
        } catch {
            throw Connection.explained(error, path: path, raw: handle.raw)
        }
    }

    /// Whether the file at the connection's path is another than the open one, or gone: what is written is lost with this
    /// connection. Costs one system call.
    package var isMoved: Bool {
        var isMoved: Int32 = 0
        let code = sqlite3_file_control(raw, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
        return code == SQLITE_OK && isMoved != 0
    }

    /// Has ``close()`` leave the files beside the database alone: they may be another database's by now.
    package func keepNeighbours() {
        _ = csqlite_set_flag(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// Closes the file now, not when the last reference goes. Statements still held keep it open. No call may follow.
    package func close() {
        forgetStatements()
        handle = nil
    }

    var raw: OpaquePointer { openHandle.raw }

    private var openHandle: ConnectionHandle {
        guard let handle else { preconditionFailure("the connection to \(path) is closed") }
        return handle
    }
}

// MARK: - Statements

extension Connection {
    /// Runs one or several statements without parameters; rows are passed over.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(raw, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: raw, sql: sql) }
    }

    /// The compiled statement of `sql`, from the cache where it is not running just now.
    @usableFromInline
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        for place in recent.indices where recent[place].sql == sql && !recent[place].isRunning {
            // What is asked for often comes to the front.
            if place > 0 { recent.swapAt(place, place - 1) }
            return recent[max(0, place - 1)]
        }
        let cached = statements[sql]
        if let cached, !cached.isRunning {
            if recent.count == Connection.recentLimit { recent.removeLast() }
            recent.insert(cached, at: 0)
            return cached
        }
        let statement = try Statement(sql, on: openHandle)
        if cached == nil {
            if statements.count >= Connection.cacheLimit { forgetStatements() }
            statements[sql] = statement
        }
        return statement
    }

    private func forgetStatements() {
        statements.removeAll()
        recent.removeAll()
    }

    /// Runs the one statement of `sql` with `values` for its parameters, to the end.
    @inlinable
    package func run<each Value: SQLiteBindable>(
        _ sql: String, _ values: repeat each Value
    ) throws(SQLiteError) {
        try statement(sql).run(repeat each values)
    }

    /// Runs the one statement of `sql` with the values that `body` gives its parameters, in their order.
    ///
    /// For what is run for each item: the types of a list of values are looked up anew in each run, which costs more than
    /// to bind them.
    @inlinable
    package func run(_ sql: String, binding body: (inout Parameters) -> Void) throws(SQLiteError) {
        try statement(sql).run(binding: body)
    }

    /// Hands each row of a query to `read` as it is found; a throw of `read` ends the query and is passed on.
    @inlinable
    package func forEach<each Value: SQLiteBindable>(
        _ sql: String, _ values: repeat each Value, read: (borrowing Row) throws -> Void
    ) throws {
        try statement(sql).forEach(repeat each values, read: read)
    }

    /// What `read` makes of every row of a query, in the order of the rows.
    @inlinable
    package func rows<T, each Value: SQLiteBindable>(
        _ sql: String, _ values: repeat each Value, read: (borrowing Row) throws -> T
    ) throws -> [T] {
        try statement(sql).rows(repeat each values, read: read)
    }

    /// What `read` makes of the first row of a query, `nil` if there is none.
    @inlinable
    package func first<T, each Value: SQLiteBindable>(
        _ sql: String, _ values: repeat each Value, read: (borrowing Row) throws -> T
    ) throws -> T? {
        try statement(sql).first(repeat each values, read: read)
    }

    /// The first column of the first row of a query, `nil` if there is no row.
    @inlinable
    package func value<T: SQLiteReadable, each Value: SQLiteBindable>(
        _ sql: String, _ values: repeat each Value, as type: T.Type = T.self
    ) throws -> T? {
        try first(sql, repeat each values) { row in try row[0] }
    }

    /// The rowid of the last row that this connection inserted into a table that has rowids.
    package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(raw) }

    /// How many rows the last INSERT, UPDATE or DELETE changed, without those of cascades and triggers.
    package var changes: Int { Int(sqlite3_changes64(raw)) }
}

// MARK: - Transactions

extension Connection {
    /// When a transaction takes the lock for writing.
    package enum TransactionKind: String, Sendable {
        /// At its beginning, where waiting for another writer is safe.
        case immediate = "BEGIN IMMEDIATE"
        /// With its first write. For reading several times from one state: a write after another connection's commit
        /// fails at once with `busy`.
        case deferred = "BEGIN DEFERRED"
    }

    /// Runs `body` in a transaction: committed when it returns, rolled back when it or the commit throws.
    ///
    /// Transactions do not nest; a transaction inside another is a programming error and traps.
    package func transaction<T>(_ kind: TransactionKind = .immediate, _ body: () throws -> T) throws -> T {
        precondition(!isInTransaction, "a transaction inside a transaction")
        try run(kind.rawValue)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // SQLite has rolled back itself after some errors, such as a full disk. The cause is what is reported.
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Commits what the open transaction has so far, and goes on in another one.
    ///
    /// - Throws: what the commit threw, with the transaction still open; `busy` when another connection writes meanwhile
    ///   for too long, with none open.
    package func renewTransaction() throws(SQLiteError) {
        precondition(isInTransaction, "no transaction to renew")
        try run("COMMIT")
        try run(TransactionKind.immediate.rawValue)
    }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(raw) == 0 }
}

// MARK: - Opening

extension Connection {
    /// Makes an empty file, which is an empty database, that only its owner can read, or the group as well that the folder
    /// is shared with.
    ///
    /// SQLite would make it readable by all; `-wal` and `-shm` take over the permissions of the file itself.
    private static func createPrivateFile(_ path: String) throws(SQLiteError) {
        let mode: mode_t = isInSharedFolder(path) ? 0o640 : 0o600
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        if descriptor >= 0 {
            Glibc.close(descriptor)
        } else if errno != EEXIST {
            throw SQLiteError(
                code: .cannotOpen, message: "cannot create \(path): \(String(cString: strerror(errno)))", path: path)
        }
    }

    /// Whether the folder has the set-group-ID bit, and its group may read it.
    private static func isInSharedFolder(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var information = stat()
        return stat(folder, &information) == 0 && information.st_mode & S_ISGID != 0
            && information.st_mode & 0o050 == 0o050
    }

    private static func explained(_ error: SQLiteError, path: String, raw: OpaquePointer) -> SQLiteError {
        let reason = "cannot read \(path): \(ConnectionHandle.reason(of: raw))"
        guard error.code.primary == .cannotOpen || error.code.primary == .readOnly else {
            return SQLiteError(code: error.code, message: reason, path: path)
        }
        return SQLiteError(
            code: error.code,
            message: "\(reason); reading needs the files \(path)-wal and \(path)-shm beside it, "
                + "or a folder to make them in",
            path: path)
    }
}
