package import Files
package import SQLite

/// What rows of `item` say of the files of a job, for those who compare the two, or take files away.
///
/// An item has a file while its row has a path and its state is `stored` or `gone`: what is delisted keeps its file.
package enum StoredFileRows {
    static let hasFile = "path IS NOT NULL AND state IN ('stored', 'gone')"

    /// Whether a job has an item of that id.
    package static func isItem(_ id: Int64, ofJob job: String, on catalog: Connection) throws -> Bool {
        let found: Int64? = try catalog.value("SELECT id FROM item WHERE id = ? AND job = ?", id, job)
        return found != nil
    }

    /// Has an item claim no file, and forgets what its row says of the one it had.
    ///
    /// - Parameter keepingPath: for a path where something is that only the next download may replace.
    package static func forgetFile(
        ofItem id: Int64, keepingPath: Bool, on catalog: Connection
    ) throws {
        try catalog.run(
            """
            UPDATE item SET state = iif(state = 'gone', state, 'pending'), failure = NULL, path = iif(?, path, NULL),
                size = NULL, sha256 = NULL, stored_url = NULL, etag = NULL, last_modified = NULL, expires_at = NULL,
                is_unsettled = 1, is_left_unlisted = 0, permanent_failures = 0, asked_again_at = NULL
            WHERE id = ?
            """, keepingPath, id)
    }
}

// MARK: - Claims

/// What a row claims of a file; columns that an earlier version left empty are nil.
package struct FileClaim: Sendable {
    package let item: Int64
    package let path: String
    /// In bytes.
    package let size: Int64?
    /// In hexadecimal digits.
    package let sha256: String?
}

extension StoredFileRows {
    /// Some of the files that rows of a job claim in any state, in the order of their ids after this one; none at the end.
    package static func claims(
        ofJob job: String, after id: Int64, limit: Int, on catalog: Connection
    ) throws -> [FileClaim] {
        try catalog.rows(
            "SELECT id, path, size, sha256 FROM item WHERE job = ? AND path IS NOT NULL AND id > ? ORDER BY id LIMIT ?",
            job, id, limit
        ) { try FileClaim(item: $0[0], path: $0[1], size: $0[2], sha256: $0[3]) }
    }

    /// The claims of a job to some paths.
    ///
    /// One pass over the rows, since paths have no index.
    ///
    /// - Parameter isWanted: whether a path is one of them.
    package static func claims(
        ofJob job: String, on catalog: Connection, where isWanted: (RelativePath) -> Bool
    ) throws -> [(path: RelativePath, claim: FileClaim)] {
        var claims: [(path: RelativePath, claim: FileClaim)] = []
        try catalog.forEach("SELECT id, path, size, sha256 FROM item WHERE job = ? AND path IS NOT NULL", job) { row in
            let text: String = try row[1]
            guard let path = try? RelativePath(validating: text), isWanted(path) else { return }
            claims.append((path, FileClaim(item: try row[0], path: text, size: try row[2], sha256: try row[3])))
        }
        return claims
    }

    /// Has an item claim no file, where its file is not in the job's new directory.
    package static func forgetMissingFile(ofItem id: Int64, on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE item SET path = NULL, size = NULL, sha256 = NULL, stored_url = NULL, etag = NULL,
                last_modified = NULL, expires_at = NULL, is_unsettled = 1, is_left_unlisted = 0,
                state = CASE state WHEN 'stored' THEN iif(failure IS NULL, 'pending', 'failed') ELSE state END
            WHERE id = ?
            """, id)
    }

    /// Brings a row up to its file, which is newer than the row and whole. Nothing says how fresh it is: the validators were
    /// lost with the row.
    package static func adopt(_ size: Int64, _ digest: SHA256Digest, asItem id: Int64, on catalog: Connection) throws {
        try catalog.run(
            "UPDATE item SET size = ?, sha256 = ?, etag = NULL, last_modified = NULL, expires_at = NULL WHERE id = ?",
            size, digest.hex, id)
    }
}

// MARK: - Verification

/// A file that can be compared with what its row says.
package struct VerifiableFile: Sendable, Equatable {
    package let item: Int64
    package let key: String
    package let path: String
    /// In bytes.
    package let size: Int64
    /// In hexadecimal digits.
    package let sha256: String
    /// Whether the item is delisted.
    package let isGone: Bool

    fileprivate static let columns = "id, key, path, size, sha256, state = 'gone'"

    init(_ row: borrowing Row) throws {
        (item, key, path) = (try row[0], try row[1], try row[2])
        (size, sha256, isGone) = (try row[3], try row[4], try row[5])
    }
}

extension StoredFileRows {
    private static let isVerifiable = "\(hasFile) AND size IS NOT NULL AND sha256 IS NOT NULL"

    /// Some of the files of a job, in the order of their ids after this one; none at the end.
    package static func verifiable(
        ofJob job: String, after id: Int64, limit: Int, on catalog: Connection
    ) throws -> [VerifiableFile] {
        try catalog.rows(
            """
            SELECT \(VerifiableFile.columns) FROM item WHERE job = ? AND id > ? AND \(isVerifiable) ORDER BY id LIMIT ?
            """, job, id, limit
        ) { try VerifiableFile($0) }
    }

    /// The file of an item; nil where it has none by now.
    package static func verifiable(item id: Int64, on catalog: Connection) throws -> VerifiableFile? {
        try catalog.first("SELECT \(VerifiableFile.columns) FROM item WHERE id = ? AND \(isVerifiable)", id) {
            try VerifiableFile($0)
        }
    }
}
