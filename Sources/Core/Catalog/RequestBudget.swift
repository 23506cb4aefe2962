import Files
import SQLite

/// Limits on requests over a time, such as 3,600 an hour for one key, that hold over all runs and processes which share
/// a catalog. They are kept in its table `budget`.
///
/// The window slides, by sixtieths: a request counts until its sixtieth is over for the whole time, so that in no
/// span of that length more requests begin than the limit says, and there are at most 62 rows for a key.
package struct RequestBudget: Sendable {
    /// The sixtieths of a window.
    private static let slots: Int64 = 60
    /// A wait that a person should know of, microseconds.
    private static let longWait: Int64 = 10_000_000

    /// The catalog; opened no sooner than it is needed.
    let store: @Sendable () throws -> CatalogStore
    /// Microseconds since 1970 UTC.
    let now: @Sendable () -> Int64
    /// Waits so many microseconds; throws when the task is cancelled.
    let pause: @Sendable (Int64) async throws -> Void
    /// Tells people of a long wait.
    let warn: @Sendable (String) -> Void

    package init(
        store: @escaping @Sendable () throws -> CatalogStore, now: @escaping @Sendable () -> Int64,
        pause: @escaping @Sendable (Int64) async throws -> Void, warn: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.now = now
        self.pause = pause
        self.warn = warn
    }

    /// Waits until one more request for `key` is within the limit of a window of `per` microseconds, and counts it. Only
    /// the SHA-256 of the key is kept: it may be a secret.
    ///
    /// - Throws: `CancellationError` when the run ends first; `SQLiteError` where the catalog can't be written.
    package func spend(_ key: String, limit: Int, per: Int64) async throws {
        precondition(limit > 0 && per > 0, "a budget of nothing")
        let store = try store()
        let name = Self.name(of: key)
        var isTold = false
        while true {
            try Task.checkCancellation()
            let now = now
            let wait = try await store.perform { catalog in
                // The time is taken once no other process can write.
                try catalog.transaction { try Self.take(name, limit: limit, per: per, on: catalog, now: now()) }
            }
            guard let wait else { return }
            if wait >= Self.longWait, !isTold {
                warn(
                    "the budget of \(limit) requests in \(Self.text(per)) is spent; the list goes on in \(Self.text(wait))"
                )
                isTold = true
            }
            try await pause(wait)
        }
    }

    /// Counts a request.
    ///
    /// - Returns: nil when it is within the limit, else the microseconds until the next one can be.
    private static func take(
        _ name: String, limit: Int, per: Int64, on catalog: Connection, now: Int64
    ) throws -> Int64? {
        let width = max(1, per / slots)
        // Rows of a far future are of a clock that was wrong and has been set back.
        try catalog.run(
            "DELETE FROM budget WHERE key = ? AND (began_at <= ? OR began_at > ?)", name, now - per - width, now + per)
        let (spent, oldest) =
            try catalog.first("SELECT ifnull(sum(spent), 0), ifnull(min(began_at), 0) FROM budget WHERE key = ?", name)
        {
            row in (try row[0] as Int, try row[1] as Int64)
        } ?? (0, 0)
        guard spent < limit else { return max(1, oldest + width + per - now) }
        try catalog.run(
            """
            INSERT INTO budget (key, began_at, spent) VALUES (?, ?, 1)
            ON CONFLICT (key, began_at) DO UPDATE SET spent = spent + 1
            """, name, now - now % width)
        return nil
    }

    private static func name(of key: String) -> String {
        var hash = SHA256()
        Array(key.utf8).withUnsafeBytes { hash.update($0) }
        return hash.finalize().hex
    }

    private static func text(_ microseconds: Int64) -> String {
        let seconds = (microseconds + 999_999) / 1_000_000
        if seconds < 120 { return "\(seconds) s" }
        let minutes = (seconds + 59) / 60
        return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes) min"
    }
}
