internal import CSQLite
internal import Glibc

/// The open `sqlite3` object, closed when the connection and the last of its statements are gone.
final class ConnectionHandle {
    let raw: OpaquePointer

    /// Nobody asks how much memory SQLite uses, and counting it takes two mutexes for each allocation, some forty for an
    /// item. A process in which SQLite runs already is left as it is.
    private static let isPrepared = csqlite_stop_counting_memory()

    /// Opens the file at `path`.
    ///
    /// - Throws: an error that names the path, and the reason of the operating system where there is one.
    init(path: String, flags: Int32) throws(SQLiteError) {
        _ = Self.isPrepared
        var raw: OpaquePointer?
        let code = sqlite3_open_v2(path, &raw, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let raw else {
            var message = "cannot open \(path): \(String(cString: sqlite3_errstr(code)))"
            if let raw {
                message = "cannot open \(path): " + ConnectionHandle.reason(of: raw)
            }
            // A failed open leaves an object to close, except when there was no memory for one.
            sqlite3_close_v2(raw)
            throw SQLiteError(code: ResultCode(rawValue: code), message: message, path: path)
        }
        self.raw = raw
    }

    deinit {
        // The second version: statements that callers still hold are finalized later, and then the file is closed.
        sqlite3_close_v2(raw)
    }

    /// What the last call on `raw` reported, with the text of the operating system's error.
    static func reason(of raw: OpaquePointer) -> String {
        let message = String(cString: sqlite3_errmsg(raw))
        let number = sqlite3_system_errno(raw)
        guard number != 0, let text = strerror(number) else { return message }
        return "\(message) (\(String(cString: text)))"
    }
}
