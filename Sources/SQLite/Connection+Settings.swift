internal import CSQLite

/// Settings of the file and of the connection, and the upkeep of the write-ahead log.
extension Connection {
    /// What a commit waits for (<https://www.sqlite.org/pragma.html#pragma_synchronous>).
    package enum Synchronous: String, Sendable {
        /// Nothing: after a power loss the last commits may be gone; the file is whole.
        case normal = "NORMAL"
        /// The disk: what is committed stays.
        case full = "FULL"
    }

    package func setSynchronous(_ level: Synchronous) throws(SQLiteError) {
        try execute("PRAGMA synchronous = \(level.rawValue)")
    }

    /// Keeps at most so many kilobytes of the file's pages in memory.
    package func setCache(kilobytes: Int) throws(SQLiteError) {
        try execute("PRAGMA cache_size = -\(kilobytes)")
    }

    /// Which version of its schema the file has; 0 for a new file.
    package var userVersion: Int32 {
        get throws { Int32(truncatingIfNeeded: try value("PRAGMA user_version") ?? 0 as Int64) }
    }

    func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try execute("PRAGMA user_version = \(version)")
    }

    /// Which program the file belongs to; 0 where none said so.
    package var applicationID: Int32 {
        get throws { Int32(truncatingIfNeeded: try value("PRAGMA application_id") ?? 0 as Int64) }
    }

    func setApplicationID(_ identifier: Int32) throws(SQLiteError) {
        try execute("PRAGMA application_id = \(identifier)")
    }

    /// Turns on the write-ahead log, permanently: readers and one writer no longer wait for each other.
    ///
    /// - Throws: `busy` when another connection kept the file locked throughout the busy time-out, and `error` where the
    ///   file system has no shared memory for it.
    package func enableWriteAheadLog() throws {
        var waited: Int32 = 0
        while true {
            do {
                let journal: String? = try value("PRAGMA journal_mode = WAL")
                guard journal == "wal" || journal == "memory" else {
                    throw SQLiteError(code: .error, message: "\(path) cannot have a write-ahead log")
                }
                return
            } catch ResultCode.busy where waited < busyTimeout {
                // Two connections that switch a file at once: SQLite does not call the busy handler for the upgrade of
                // a read lock, since both would wait for each other.
                waited += sqlite3_sleep(5)
            }
        }
    }

    /// Leaves the files of the write-ahead log beside the database when the last connection closes, emptied: whoever may
    /// read them, and not make them, can open the database.
    package func keepLogFiles() throws(SQLiteError) {
        var isKept: Int32 = 1
        let code = sqlite3_file_control(raw, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: raw, sql: nil) }
    }

    /// Renews what the planner knows of tables and indexes that have changed much, from a few hundred rows of each.
    package func optimize() throws(SQLiteError) {
        try execute("PRAGMA analysis_limit = 400; PRAGMA optimize")
    }

    /// Moves what the write-ahead log holds into the file, as far as readers permit. Never waits.
    ///
    /// - Returns: whether nothing is left to move.
    @discardableResult
    package func checkpoint() throws(SQLiteError) -> Bool {
        var frames: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(raw, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &moved)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: raw, sql: nil) }
        return moved == frames
    }
}
