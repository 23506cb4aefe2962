package import Files
package import SQLite

/// A stored file, or a picture that was made of one, as the page sends it.
package struct PageFile: Sendable {
    /// The output directory, absolute.
    package let directory: String
    /// Below the directory.
    package let path: RelativePath
    /// Whether it is one of the pictures that the program makes and keeps for itself.
    package let isPicture: Bool
    package let size: Int64
    package let sha256: String
    package let mediaType: String

    /// Opens it: a regular file, reached through no symbolic link. The caller closes the descriptor.
    package func open() throws -> (descriptor: Int32, size: Int64) {
        let output = try OutputDirectory(path: directory, create: false)
        return try isPicture ? output.openPictureToSend(path.last) : output.openToSend(path)
    }

    /// The file of an item; nil where it has none.
    ///
    /// - Parameter environment: for a directory that an earlier version wrote with `${NAME}` in it.
    package static func item(
        _ id: Int64, environment: [String: String], from catalog: Connection
    ) throws -> PageFile? {
        let found = try catalog.first(
            """
            SELECT job, path, size, sha256, media_type FROM item
            WHERE id = ? AND state IN ('stored', 'gone') AND path IS NOT NULL AND size IS NOT NULL AND sha256 IS NOT NULL
            """, id
        ) { row in
            (
                job: try row[0] as String, path: try row[1] as String, size: try row[2] as Int64,
                sha256: try row[3] as String, type: try row[4] as String?
            )
        }
        guard let found, let path = try? RelativePath(validating: found.path) else { return nil }
        let job = try CatalogJob.find(found.job, on: catalog, environment: environment)
        return PageFile(
            directory: job.directory, path: path, isPicture: false, size: found.size, sha256: found.sha256,
            mediaType: found.type ?? "application/octet-stream")
    }

    /// A picture of an item, the first of its kind without a position; nil where there is none. All of them are JPEG, PNG or WebP, which their names tell.
    package static func picture(
        _ id: Int64, kind: String, position: Int64?, environment: [String: String], from catalog: Connection
    ) throws -> PageFile? {
        let found = try catalog.first(
            """
            SELECT job, picture.path, picture.size, picture.sha256 FROM picture JOIN item ON item.id = item_id
            WHERE item_id = ?1 AND kind = ?2 AND (?3 IS NULL OR picture.position = ?3)
            ORDER BY picture.position LIMIT 1
            """, id, kind, position
        ) { row in
            (
                job: try row[0] as String, path: try row[1] as String, size: try row[2] as Int64,
                sha256: try row[3] as String
            )
        }
        guard let found, let path = try? RelativePath(validating: found.path) else { return nil }
        let job = try CatalogJob.find(found.job, on: catalog, environment: environment)
        let type =
            switch found.path.split(separator: ".").last {
            case "png": "image/png"
            case "webp": "image/webp"
            default: "image/jpeg"
            }
        return PageFile(
            directory: job.directory, path: path, isPicture: true, size: found.size, sha256: found.sha256,
            mediaType: type)
    }
}
