package import MediaProtocol
package import Model
package import SQLite

/// What making pictures reads and writes in the catalog, but for the pictures themselves.
package enum RenderingRows {
    /// A stored item, as far as its pictures are concerned.
    package struct Item: Sendable {
        package let key: String
        package let title: String
        package let collection: Int64
        package let path: String?
        package let mediaType: String?
        /// In bytes.
        package let size: Int64?
        /// In hexadecimal digits.
        package let sha256: String?
        /// Whether its pictures were made of these bytes and with these settings, or could not be made.
        package let isCurrent: Bool
        /// Why they could not be made.
        package let failure: FailureWord?
        package let detail: String?
    }

    /// An item whose state is `stored`; nil for another.
    package static func item(
        _ id: Int64, _ settings: RenderSettings, on catalog: Connection
    ) throws -> Item? {
        try catalog.first(
            """
            SELECT key, title, collection_id, path, media_type, size, item.sha256,
                \(PictureRows.isCurrent), rendering.failure, rendering.detail
            FROM item LEFT JOIN rendering ON item_id = id WHERE id = ? AND state = 'stored'
            """, settings.fingerprint, settings.shape, id
        ) { row in
            Item(
                key: try row[0], title: try row[1], collection: try row[2], path: try row[3], mediaType: try row[4],
                size: try row[5], sha256: try row[6], isCurrent: try row[7] ?? false,
                failure: (try row[8] as String?).flatMap(FailureWord.init(rawValue:)), detail: try row[9])
        }
    }

    /// Some of the items of a job whose state is `stored`, in the order of their ids after this one; none at the end.
    package static func storedItems(
        ofJob job: String, after id: Int64, limit: Int, on catalog: Connection
    ) throws -> [Int64] {
        try catalog.rows(
            "SELECT id FROM item WHERE job = ? AND state = 'stored' AND id > ? ORDER BY id LIMIT ?", job, id, limit
        ) { try $0[0] }
    }

    /// The digest of an item's file as it is now, in hexadecimal digits; nil where it has none.
    package static func sha256(ofItem id: Int64, on catalog: Connection) throws -> String? {
        try catalog.value("SELECT sha256 FROM item WHERE id = ? AND sha256 IS NOT NULL", id)
    }

    /// Enters of which bytes and with which settings an item's pictures were made.
    ///
    /// - Parameters:
    ///   - detail: why there are none, or not all.
    ///   - now: microseconds since 1970 UTC.
    package static func enter(
        item id: Int64, sha256: String, _ settings: RenderSettings, failure: FailureWord?, detail: String?,
        on catalog: Connection, now: Int64
    ) throws {
        try catalog.run(
            """
            INSERT OR REPLACE INTO rendering (item_id, sha256, settings, rendered_at, failure, detail)
            VALUES (?, ?, ?, ?, ?, ?)
            """, id, sha256, settings.fingerprint, now, failure?.rawValue, detail)
    }

    // MARK: Failures

    /// What the detail of a transfer begins with whose file is good and whose pictures are not.
    package static let failureRemark = "rendering failed: "

    /// Makes an item a failed one; its file stays.
    package static func fail(item id: Int64, _ failure: FailureWord, on catalog: Connection) throws {
        try catalog.run("UPDATE item SET failure = ?, is_unsettled = 1 WHERE id = ?", failure.rawValue, id)
    }

    /// How an item ended in a run; nil for one that has not, or by a word of another version.
    package static func outcome(
        ofItem id: Int64, inRun run: Int64, on catalog: Connection
    ) throws -> TransferOutcome? {
        let word: String? = try catalog.value("SELECT outcome FROM transfer WHERE run_id = ? AND item_id = ?", run, id)
        return word.flatMap(TransferOutcome.init(rawValue:))
    }

    /// Makes the transfer of an item a failed one.
    ///
    /// - Parameter detail: for people, secrets hidden; begins with ``failureRemark``.
    package static func failTransfer(
        ofItem id: Int64, inRun run: Int64, _ failure: FailureWord, detail: String, on catalog: Connection
    ) throws {
        try catalog.run(
            "UPDATE transfer SET outcome = 'failed', failure = ?, detail = ? WHERE run_id = ? AND item_id = ?",
            failure.rawValue, detail, run, id)
    }

    /// Takes away what ``fail(item:_:on:)`` wrote of an item whose pictures could not be made before and now are. What its
    /// latest transfer failed by stays.
    package static func forgetFailure(ofItem id: Int64, on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE item SET failure = NULL, is_unsettled = 0
            WHERE id = ? AND failure = (SELECT rendering.failure FROM rendering WHERE item_id = item.id)
                AND coalesce((
                    SELECT transfer.outcome IN ('failed', 'cancelled')
                        AND coalesce(transfer.detail, '') NOT LIKE '\(failureRemark)%'
                    FROM run CROSS JOIN transfer ON run_id = run.id AND item_id = item.id
                    WHERE run.job = item.job ORDER BY run.id DESC LIMIT 1), 0) = 0
            """, id)
    }

    /// Whether the pictures of an item's bytes with some settings have been made, or could not be, since a time in
    /// microseconds since 1970 UTC.
    package static func isRendered(
        _ item: Int64, _ settings: RenderSettings, since: Int64, on catalog: Connection
    ) throws -> Bool {
        let found: Int64? = try catalog.value(
            """
            SELECT 1 FROM rendering JOIN item ON id = item_id
            WHERE id = ? AND \(PictureRows.isCurrent) AND rendered_at >= ?
            """, item, settings.fingerprint, settings.shape, since)
        return found != nil
    }
}
