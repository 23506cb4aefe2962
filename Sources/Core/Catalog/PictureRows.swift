package import Files
package import MediaProtocol
package import SQLite

/// The rows of pictures, and the files that they claim.
package enum PictureRows {
    /// Whether a row of `rendering` is of an item's bytes and of some settings, whose `fingerprint` and `shape` are to be
    /// bound: there is nothing to make then.
    static let isCurrent = """
        rendering.sha256 = item.sha256 AND (rendering.settings = ?
            OR rendering.failure IS NOT 'too-large' AND rendering.settings LIKE ? || ', pixels %')
        """

    /// Deletes what the catalog has of an item's pictures, for a caller that enforces no foreign keys.
    ///
    /// - Returns: their paths, which other rows may claim as well.
    package static func delete(ofItem id: Int64, on catalog: Connection) throws -> [String] {
        let paths = try paths(ofItem: id, on: catalog)
        try catalog.run("DELETE FROM picture WHERE item_id = ?", id)
        try catalog.run("DELETE FROM rendering WHERE item_id = ?", id)
        return paths
    }

    /// The paths of an item's pictures.
    package static func paths(ofItem id: Int64, on catalog: Connection) throws -> [String] {
        try catalog.rows("SELECT path FROM picture WHERE item_id = ?", id) { try $0[0] }
    }

    /// The pictures of items for the journal of the output directory, before their rows and files go.
    package static func retirements(
        ofItems items: some Sequence<Int64>, on catalog: Connection
    ) throws -> [PublishJournal.Intent] {
        var retirements: [PublishJournal.Intent] = []
        for item in items {
            try catalog.forEach("SELECT path, size, sha256 FROM picture WHERE item_id = ?", item) { row in
                guard let path = try? RelativePath(validating: try row[0]), let digest = SHA256Digest(hex: try row[2])
                else { return }
                retirements.append(
                    PublishJournal.Intent(path: path, size: try row[1], digest: digest, isRetirement: true))
            }
        }
        return retirements
    }

    /// Goes through the paths of all pictures of a job.
    package static func forEach(
        ofJob job: String, on catalog: Connection, _ body: (_ item: Int64, _ path: String) throws -> Void
    ) throws {
        try catalog.forEach(
            "SELECT item_id, picture.path FROM picture JOIN item ON item.id = item_id WHERE job = ?", job
        ) { try body($0[0], $0[1]) }
    }

    /// Enters the pictures of an item in place of those that it has.
    package static func replace(
        ofItem id: Int64, with pictures: some Sequence<(RenderedPicture, PendingPicture)>, on catalog: Connection
    ) throws {
        try catalog.run("DELETE FROM picture WHERE item_id = ?", id)
        for (picture, file) in pictures {
            try catalog.run(
                """
                INSERT OR REPLACE INTO picture (item_id, position, name, kind, path, width, height, size, sha256, preview)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, id, picture.position, picture.name, picture.kind.rawValue, file.path, picture.width,
                picture.height, file.size, file.digest.hex, picture.preview)
        }
    }

    /// Removes a picture that no row claims of the jobs that store into the directory: equal pictures are one file.
    package static func removeUnclaimed(
        _ path: String, of job: String, in output: OutputDirectory, on catalog: Connection
    ) throws {
        guard try !isClaimed(path, of: job, on: catalog), let slash = path.lastIndex(of: "/") else { return }
        try output.removePicture(String(path[path.index(after: slash)...]))
    }

    /// Whether a row claims a picture, of the jobs that store into the same directory as this one.
    ///
    /// - Parameter others: items whose claims count for nothing.
    package static func isClaimed(
        _ path: String, of job: String, besides others: Set<Int64> = [], on catalog: Connection
    ) throws -> Bool {
        let owners: [Int64] = try catalog.rows(
            """
            SELECT item_id FROM picture JOIN item ON item.id = item_id JOIN job ON job.name = item.job
            WHERE picture.path = ? AND directory = (SELECT directory FROM job WHERE name = ?) LIMIT ?
            """, path, job, others.count + 1
        ) { try $0[0] }
        return owners.contains { !others.contains($0) }
    }
}
