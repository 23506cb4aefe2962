package import Files
package import Model
package import SQLite

/// What keeping within `output.max_bytes` reads and writes in the catalog. Used means stored or viewed.
package enum EvictionRows {
    /// A file that counts against the limit.
    package struct UsedFile {
        package let item: Int64
        package let path: String
        /// In bytes.
        package let size: Int64
        /// Microseconds since 1970 UTC.
        package let lastUse: Int64
    }

    /// The bytes of the files of a job by its rows: at least what they are, since names of one file count each.
    package static func bytes(ofJob job: String, on catalog: Connection) throws -> Int64 {
        try catalog.value(
            "SELECT CAST(total(size) AS INTEGER) FROM item WHERE job = ? AND \(StoredFileRows.hasFile)", job) ?? 0
    }

    /// Goes through the files of a job, in the order of the rows.
    package static func forEachFile(
        ofJob job: String, on catalog: Connection, _ body: (UsedFile) throws -> Void
    ) throws {
        try catalog.forEach(
            """
            SELECT id, path, size, max(coalesce(stored_at, 0), coalesce(at, 0))
            FROM item LEFT JOIN mark ON item_id = id AND kind = 'viewed'
            WHERE job = ? AND \(StoredFileRows.hasFile) AND size IS NOT NULL
            """, job
        ) { try body(UsedFile(item: $0[0], path: $0[1], size: $0[2], lastUse: $0[3])) }
    }

    /// What is known of a file that may go.
    package struct Candidate {
        package let key: String
        package let title: String
        package let path: String
        /// In bytes.
        package let size: Int64?
        package let digest: SHA256Digest?
        /// Microseconds since 1970 UTC; 0 where it is not known.
        package let storedAt: Int64
        /// Microseconds since 1970 UTC.
        package let viewedAt: Int64?
        /// `stored` or `gone`.
        package let state: ItemState
    }

    /// The file of an item; nil where it has none.
    package static func candidate(item id: Int64, on catalog: Connection) throws -> Candidate? {
        try catalog.first(
            """
            SELECT key, title, path, size, sha256, coalesce(stored_at, 0), state = 'gone',
                (SELECT at FROM mark WHERE item_id = item.id AND kind = 'viewed')
            FROM item WHERE id = ? AND \(StoredFileRows.hasFile)
            """, id
        ) { row in
            Candidate(
                key: try row[0], title: try row[1], path: try row[2], size: try row[3],
                digest: (try row[4] as String?).flatMap(SHA256Digest.init(hex:)), storedAt: try row[5],
                viewedAt: try row[7], state: try row[6] ? .gone : .stored)
        }
    }

    /// Has an item claim no file; its row keeps the size and the digest of the one that goes.
    ///
    /// - Parameter state: `evicted` or `removed`, which no run fetches again; or `gone`, fetched when it is listed again.
    package static func evict(item id: Int64, as state: ItemState, on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE item SET state = ?, path = NULL, stored_url = NULL, etag = NULL, last_modified = NULL,
                expires_at = NULL, variant = NULL, failure = NULL, is_unsettled = 0, permanent_failures = 0,
                asked_again_at = NULL
            WHERE id = ?
            """, state, id)
    }

    /// Delisted items of a job whose rows claim a file, if only one of metadata, in the order of their ids after this one;
    /// none at the end.
    package static func gone(
        ofJob job: String, after id: Int64, limit: Int, on catalog: Connection
    ) throws -> [Int64] {
        try catalog.rows(
            """
            SELECT id FROM item WHERE job = ? AND id > ? AND state = 'gone'
                AND (path IS NOT NULL OR EXISTS (SELECT 1 FROM sidecar WHERE item_id = item.id)) ORDER BY id LIMIT ?
            """, job, id, limit
        ) { try $0[0] }
    }

    /// Has an evicted item claim its file again, without validators: it is asked for in full.
    package static func restore(
        item id: Int64, _ state: ItemState, at path: RelativePath, on catalog: Connection
    ) throws {
        try catalog.run("UPDATE item SET state = ?, path = ? WHERE id = ?", state.rawValue, path.text, id)
    }
}
