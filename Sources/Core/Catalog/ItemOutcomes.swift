import Files
package import Model
package import SQLite

/// What becomes of an item's row when its transfer ends.
extension ItemRows {
    /// New bytes of an item were published.
    package static func markDownloaded(
        _ item: Int64, _ file: StoredFile, _ freshness: Freshness, run: Int64, on catalog: Connection, now: Int64
    ) throws {
        try catalog.run(
            """
            UPDATE item SET path = ?, extension = ?, media_type = ?, size = ?, sha256 = ?, stored_url = url,
                etag = ?, last_modified = ?, expires_at = ?, variant = ?, stored_at = ?, state = 'stored',
                failure = NULL, is_unsettled = 0, permanent_failures = 0, asked_again_at = NULL, stored_run = ?,
                asked_run = ?, asked_in_vain = 0 WHERE id = ?
            """
        ) { values in
            values.add(file.path.text)
            values.add(file.extension)
            values.add(file.mediaType)
            values.add(file.size)
            values.add(file.sha256.hex)
            values.add(freshness.etag)
            values.add(freshness.lastModified)
            values.add(freshness.expiresAt)
            values.add(freshness.variant)
            values.add(now)
            values.add(run)
            values.add(run)
            values.add(item)
        }
    }

    /// The server said that an item is as it was stored.
    package static func markUnchanged(
        _ item: Int64, _ file: StoredFile, _ freshness: Freshness, run: Int64, on catalog: Connection, now: Int64
    ) throws {
        try catalog.run(
            """
            UPDATE item SET path = ?, media_type = ?, size = ?, sha256 = ?, stored_url = url, etag = ?,
                last_modified = ?, expires_at = ?, variant = ?, stored_at = coalesce(stored_at, ?),
                state = 'stored', failure = NULL, is_unsettled = 0, permanent_failures = 0,
                asked_again_at = NULL, asked_run = ?, asked_in_vain = 0 WHERE id = ?
            """, file.path.text, file.mediaType, file.size, file.sha256.hex, freshness.etag, freshness.lastModified,
            freshness.expiresAt, freshness.variant, now, run, item)
    }

    package static func markFresh(_ item: Int64, on catalog: Connection) throws {
        try catalog.run("UPDATE item SET state = 'stored', failure = NULL, is_unsettled = 0 WHERE id = ?", item)
    }

    package static func setSettled(_ item: Int64, on catalog: Connection) throws {
        try catalog.run("UPDATE item SET is_unsettled = 0 WHERE id = ?", item)
    }

    /// An item was cancelled before it began.
    package static func setUnsettled(_ item: Int64, on catalog: Connection) throws {
        try catalog.run("UPDATE item SET is_unsettled = 1 WHERE id = ? AND is_unsettled = 0", item)
    }

    /// An item was cancelled after it began.
    ///
    /// - Parameter askedRun: the run, where a request was sent.
    package static func markCancelled(_ item: Int64, askedRun: Int64?, on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE item SET is_unsettled = 1, asked_in_vain = asked_in_vain + ?,
                asked_run = coalesce(?, asked_run) WHERE id = ?
            """, askedRun != nil, askedRun, item)
    }

    /// Sets what a transient failure leaves in the row: a stored file and its validators stay.
    ///
    /// - Parameter askedRun: the run, where a request was sent.
    package static func markFailed(
        _ item: Int64, _ word: FailureWord, askedRun: Int64?, on catalog: Connection
    ) throws {
        try catalog.run(
            """
            UPDATE item SET state = CASE state WHEN 'stored' THEN state ELSE 'failed' END, failure = ?,
                is_unsettled = 1, permanent_failures = 0, asked_again_at = NULL,
                asked_in_vain = asked_in_vain + ?, asked_run = coalesce(?, asked_run) WHERE id = ?
            """, word, askedRun != nil, askedRun, item)
    }

    /// The same of a permanent failure, which is not asked again for 1, 7, then 30 days; one that a person has asked again
    /// meanwhile is not put off further for that.
    package static func markFailedPermanently(
        _ item: Int64, _ word: FailureWord, status: Int?, askedRun: Int64?, on catalog: Connection, now: Int64
    ) throws {
        let day: Int64 = 86_400_000_000
        try catalog.run(
            """
            UPDATE item SET state = CASE state WHEN 'stored' THEN state ELSE 'failed' END, failure = ?1,
                is_unsettled = 1, asked_in_vain = asked_in_vain + ?2, asked_run = coalesce(?3, asked_run),
                permanent_failures = permanent_failures + (coalesce(asked_again_at, 0) <= ?4),
                asked_again_at = CASE WHEN asked_again_at > ?4 THEN asked_again_at
                    ELSE ?4 + CASE permanent_failures WHEN 0 THEN 1 WHEN 1 THEN 7 ELSE 30 END * ?5 END,
                failed_since = CASE WHEN permanent_failures > 0 THEN coalesce(failed_since, ?4) ELSE ?4 END,
                failed_status = ?6
            WHERE id = ?7
            """, word, askedRun != nil, askedRun, now, day, status, item)
    }

    /// Has the next run ask in full for an item whose file is not what its row tells.
    package static func forgetValidators(of item: Int64, on catalog: Connection) throws {
        try catalog.run(
            "UPDATE item SET etag = NULL, last_modified = NULL, expires_at = NULL, variant = NULL WHERE id = ?", item)
    }
}
