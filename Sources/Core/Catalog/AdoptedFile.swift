package import Files
package import SQLite

/// A file that was in a job's folder before the job, and is an item's now.
package struct AdoptedFile {
    package let path: RelativePath
    /// As the file's name has it.
    package let `extension`: String?
    package let size: Int64
    package let digest: SHA256Digest
    /// When the file was last changed, as a date of HTTP: whoever is asked whether it is still the same is asked by it.
    package let lastModified: String

    package init(
        path: RelativePath, extension: String?, size: Int64, digest: SHA256Digest, lastModified: String
    ) {
        self.path = path
        self.extension = `extension`
        self.size = size
        self.digest = digest
        self.lastModified = lastModified
    }

    /// Enters the file into its item's row.
    ///
    /// - Parameter now: wall clock, microseconds.
    package func enter(as item: Int64, run: Int64, on catalog: Connection, now: Int64) throws {
        try catalog.run(
            """
            UPDATE item SET path = ?, extension = ?, size = ?, sha256 = ?, stored_url = url, etag = NULL,
                last_modified = ?, expires_at = NULL, variant = NULL, stored_at = ?, stored_run = ?, state = 'stored',
                failure = NULL, is_unsettled = 0, permanent_failures = 0, asked_again_at = NULL, asked_in_vain = 0
            WHERE id = ?
            """, path.text, `extension`, size, digest.hex, lastModified, now, run, item)
    }
}
