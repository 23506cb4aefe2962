package import Files
package import SQLite

/// A metadata file beside an item's file, as its row in `sidecar` has it.
package struct Sidecar: Sendable {
    package let item: Int64
    /// Relative to the output directory.
    package let path: RelativePath
    /// In bytes.
    package let size: Int64
    package let digest: SHA256Digest

    package init(item: Int64, path: RelativePath, size: Int64, digest: SHA256Digest) {
        self.item = item
        self.path = path
        self.size = size
        self.digest = digest
    }

    /// Whether a file is what was written.
    package func isUnchanged(in output: OutputDirectory) -> Bool {
        guard let found = output.information(path), found.isRegular, found.size == size else { return false }
        return (try? output.digest(of: path)) == digest
    }

    /// For the journal of the output directory: the file goes.
    package var retirement: PublishJournal.Intent {
        PublishJournal.Intent(path: path, size: size, digest: digest, isRetirement: true)
    }
}

/// What the catalog knows of metadata files beside stored files, and what is written into them.
package enum SidecarRows {
    private static let columns = "item_id, sidecar.path, sidecar.size, sidecar.sha256"

    /// nil where what it says is no path or no digest.
    private static func sidecar(_ row: borrowing Row) throws -> Sidecar? {
        guard let path = try? RelativePath(validating: try row[1]), let digest = SHA256Digest(hex: try row[3]) else {
            return nil
        }
        return Sidecar(item: try row[0], path: path, size: try row[2], digest: digest)
    }

    /// The metadata file of an item; nil where it has none.
    package static func sidecar(ofItem id: Int64, on catalog: Connection) throws -> Sidecar? {
        try catalog.first("SELECT \(columns) FROM sidecar WHERE item_id = ?", id) { try sidecar($0) } ?? nil
    }

    /// Enters the metadata file of an item in place of what it had.
    package static func set(_ sidecar: Sidecar, on catalog: Connection) throws {
        try catalog.run(
            "INSERT OR REPLACE INTO sidecar (item_id, path, size, sha256) VALUES (?, ?, ?, ?)", sidecar.item,
            sidecar.path.text, sidecar.size, sidecar.digest.hex)
    }

    package static func delete(ofItem id: Int64, on catalog: Connection) throws {
        try catalog.run("DELETE FROM sidecar WHERE item_id = ?", id)
    }

    /// The metadata files of a job at some paths. One pass over the rows, since paths have no index.
    ///
    /// - Parameter isWanted: whether a path is one of them.
    package static func all(
        ofJob job: String, on catalog: Connection, where isWanted: (RelativePath) -> Bool
    ) throws -> [Sidecar] {
        var found: [Sidecar] = []
        try catalog.forEach("SELECT \(columns) FROM sidecar JOIN item ON item_id = id WHERE job = ?", job) { row in
            if let sidecar = try sidecar(row), isWanted(sidecar.path) { found.append(sidecar) }
        }
        return found
    }
}

// MARK: - What is written

/// What an item's metadata file tells, secrets hidden as in the catalog.
package struct SidecarContent: Sendable {
    package struct Collection: Sendable {
        package let key: String
        package let title: String
        package let subtitle: String?
        package let section: String?
        package let latitude: Double?
        package let longitude: Double?
    }

    package let job: String
    /// Of the file that it is about.
    package let path: String
    package let key: String
    package let url: String
    package let title: String
    package let description: String?
    package let section: String?
    /// A JSON object.
    package let metadata: String?
    package let thumbnailURL: String?
    /// In bytes.
    package let size: Int64?
    /// In hexadecimal digits.
    package let sha256: String?
    package let collection: Collection
}

extension SidecarRows {
    /// What an item's metadata file is to have; nil for an item without a file.
    package static func content(ofItem id: Int64, on catalog: Connection) throws -> SidecarContent? {
        try catalog.first(
            """
            SELECT item.job, path, item.key, url, item.title, description, item.section, metadata, thumbnail_url,
                size, sha256, collection.key, collection.title, collection.subtitle, collection.section,
                collection.latitude, collection.longitude
            FROM item JOIN collection ON collection.id = collection_id
            WHERE item.id = ? AND \(StoredFileRows.hasFile)
            """, id
        ) { row in
            SidecarContent(
                job: try row[0], path: try row[1], key: try row[2], url: try row[3], title: try row[4],
                description: try row[5], section: try row[6], metadata: try row[7], thumbnailURL: try row[8],
                size: try row[9], sha256: try row[10],
                collection: SidecarContent.Collection(
                    key: try row[11], title: try row[12], subtitle: try row[13], section: try row[14],
                    latitude: try row[15], longitude: try row[16]))
        }
    }
}

// MARK: - Verification

extension SidecarRows {
    private static let verifiable = """
        SELECT item_id, key, sidecar.path, sidecar.size, sidecar.sha256, state = 'gone'
        FROM sidecar JOIN item ON item_id = id
        """

    /// Some of the metadata files of a job, in the order of their items' ids after this one; none at the end.
    package static func verifiable(
        ofJob job: String, after id: Int64, limit: Int, on catalog: Connection
    ) throws -> [VerifiableFile] {
        try catalog.rows("\(verifiable) WHERE job = ? AND item_id > ? ORDER BY item_id LIMIT ?", job, id, limit) {
            try VerifiableFile($0)
        }
    }

    /// The metadata file of an item; nil where it has none by now.
    package static func verifiable(item id: Int64, on catalog: Connection) throws -> VerifiableFile? {
        try catalog.first("\(verifiable) WHERE item_id = ?", id) { try VerifiableFile($0) }
    }
}
