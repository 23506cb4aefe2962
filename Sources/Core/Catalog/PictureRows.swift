package import Files
package import MediaProtocol
package import SQLite

/// The rows of pictures, and the files that they claim.
package enum PictureRows {
    /// Whether a row of `rendering` is of an item's bytes and of some settings, whose `fingerprint` and `shape` are to be
    /// bound: there is nothing to make then.
    package static let isCurrent = """
        rendering.sha256 = item.sha256 AND (rendering.settings = ?
            OR rendering.failure IS NOT 'too-large' AND rendering.settings LIKE ? || ', pixels %')
        """

    /// Deletes what the catalog has of an item's pictures, for a caller that enforces no foreign keys.
    ///
    /// - Returns: their paths, which other rows may claim as well.
    package static func delete(ofItem id: Int64, on catalog: Connection) throws -> [String] {
        let paths = try catalog.rows("SELECT path FROM picture WHERE item_id = ?", id) { try $0[0] as String }
        try catalog.run("DELETE FROM picture WHERE item_id = ?", id)
        try catalog.run("DELETE FROM rendering WHERE item_id = ?", id)
        return paths
    }

    /// Removes a picture that no row claims of the jobs that store into the directory: equal pictures are one file.
    package static func removeUnclaimed(
        _ path: String, of job: String, in output: OutputDirectory, on catalog: Connection
    ) throws {
        guard try !isClaimed(path, of: job, on: catalog), let slash = path.lastIndex(of: "/") else { return }
        try output.removePicture(String(path[path.index(after: slash)...]))
    }

    /// Whether a row claims a picture, of the jobs that store into the same directory as this one.
    package static func isClaimed(_ path: String, of job: String, on catalog: Connection) throws -> Bool {
        let owner: Int64? = try catalog.value(
            """
            SELECT item_id FROM picture JOIN item ON item.id = item_id JOIN job ON job.name = item.job
            WHERE picture.path = ? AND directory = (SELECT directory FROM job WHERE name = ?) LIMIT 1
            """, path, job)
        return owner != nil
    }

    /// Whether the pictures of an item's bytes with some settings have been made, or could not be, since a time in
    /// microseconds since 1970 UTC.
    package static func isRendered(
        _ item: Int64, _ settings: RenderSettings, since: Int64, on catalog: Connection
    ) throws -> Bool {
        let found: Int64? = try catalog.value(
            """
            SELECT 1 FROM rendering JOIN item ON id = item_id
            WHERE id = ? AND \(isCurrent) AND rendered_at >= ?
            """, item, settings.fingerprint, settings.shape, since)
        return found != nil
    }
}
