package import Files
package import Model
package import SQLite

/// What a list says of an item, as its row has it.
package struct ListedColumns: Sendable, Equatable {
    /// The row of the collection.
    package var collection: Int64
    package var position: Int
    package var url: String
    package var title: String
    package var description: String?
    package var section: String?
    /// A JSON object.
    package var metadata: String?
    package var thumbnailURL: String?
    /// What the list says of the content, see ``ExpectedContent/text(hiding:)``.
    package var expected: String?

    package init(
        collection: Int64, position: Int, url: String, title: String, description: String?, section: String?,
        metadata: String?, thumbnailURL: String?, expected: String?
    ) {
        self.collection = collection
        self.position = position
        self.url = url
        self.title = title
        self.description = description
        self.section = section
        self.metadata = metadata
        self.thumbnailURL = thumbnailURL
        self.expected = expected
    }
}

/// The path of an item without its extension, and the hash by which no two rows of a job have the same.
package struct PathKey: Sendable, Equatable {
    /// See ``PathTemplate``; empty for an item without a path.
    package let stem: String
    package let hash: Int64

    package init(stem: String, hash: Int64) {
        self.stem = stem
        self.hash = hash
    }
}

/// The rows of the `item` table, as a run reads and writes them.
package enum ItemRows {
    // MARK: Finding

    package static func exist(inJob job: String, on catalog: Connection) throws -> Bool {
        try catalog.value("SELECT EXISTS (SELECT 1 FROM item WHERE job = ?)", job) ?? false
    }

    package static func find(key: String, inJob job: String, on catalog: Connection) throws -> ItemRow? {
        try catalog.first(findByKey, job, key) { try ItemRow($0) }
    }

    // Put together once: it runs for each item of a list.
    private static let findByKey = "SELECT \(ItemRow.columns) FROM item WHERE job = ? AND key = ?"

    package static func find(_ id: Int64, on catalog: Connection) throws -> ItemRow? {
        try catalog.first("SELECT \(ItemRow.columns) FROM item WHERE id = ?", id) { try ItemRow($0) }
    }

    /// An item with the key of its collection.
    package static func findWithCollection(
        _ id: Int64, on catalog: Connection
    ) throws -> (row: ItemRow, collection: String)? {
        try catalog.first(
            "SELECT \(ItemRow.columns), (SELECT key FROM collection WHERE id = collection_id) FROM item WHERE id = ?",
            id
        ) { row in (try ItemRow(row), try row[ItemRow.columnCount]) }
    }

    /// Some items that a run with `--failed` takes up, in the order of their ids after this one, with the keys of their
    /// collections; none at the end.
    package static func unsettled(
        inJob job: String, after id: Int64, on catalog: Connection
    ) throws -> [(row: ItemRow, collection: String)] {
        try catalog.rows(
            """
            SELECT \(ItemRow.columns), (SELECT key FROM collection WHERE id = collection_id)
            FROM item WHERE job = ? AND id > ? AND is_unsettled = 1 AND state NOT IN ('gone', 'removed')
            ORDER BY id LIMIT 1000
            """, job, id
        ) { row in (try ItemRow(row), try row[ItemRow.columnCount]) }
    }

    /// Some items of a shard's file that have no row in its run yet, like ``unsettled(inJob:after:on:)``.
    package static func unasked(
        inRun run: Int64, after id: Int64, on shard: Connection
    ) throws -> [(row: ItemRow, collection: String)] {
        try shard.rows(
            """
            SELECT \(ItemRow.columns), (SELECT key FROM collection WHERE id = collection_id)
            FROM item WHERE id > ? AND NOT EXISTS (SELECT 1 FROM transfer WHERE run_id = ? AND item_id = item.id)
            ORDER BY id LIMIT 1000
            """, id, run
        ) { row in (try ItemRow(row), try row[ItemRow.columnCount]) }
    }

    /// The item that has a path; see ``PathKey``.
    package static func owner(ofHash hash: Int64, inJob job: String, on catalog: Connection) throws -> ItemRow? {
        try catalog.first("SELECT \(ItemRow.columns) FROM item WHERE job = ? AND path_hash = ?", job, hash) {
            try ItemRow($0)
        }
    }

    package static func isTaken(hash: Int64, inJob job: String, on catalog: Connection) throws -> Bool {
        let owner: Int64? = try catalog.value("SELECT id FROM item WHERE job = ? AND path_hash = ?", job, hash)
        return owner != nil
    }

    /// Whether another item's row claims the file at a path.
    package static func isClaimed(
        path: String, besides item: Int64, inJob job: String, on catalog: Connection
    ) throws -> Bool {
        let owner: Int64? = try catalog.value(
            "SELECT id FROM item WHERE job = ? AND path = ? AND id <> ?", job, path, item)
        return owner != nil
    }

    /// Where an item of that key has its file.
    package static func path(ofKey key: String, inJob job: String, on catalog: Connection) throws -> String? {
        try catalog.value("SELECT path FROM item WHERE job = ? AND key = ? AND path IS NOT NULL", job, key)
    }

    /// The URL as the catalog has it, and whether the item's file has gone to keep within `output.max_bytes`.
    package static func url(of item: Int64, on catalog: Connection) throws -> (url: String, isEvicted: Bool)? {
        try catalog.first("SELECT url, state = 'evicted' FROM item WHERE id = ?", item) { row in
            (try row[0], try row[1])
        }
    }

    package static func collection(of item: Int64, on catalog: Connection) throws -> Int64? {
        try catalog.value("SELECT collection_id FROM item WHERE id = ?", item)
    }

    /// Since when an item has failed permanently, microseconds since 1970 UTC, and the status that it was.
    package static func permanentFailure(
        of item: Int64, on catalog: Connection
    ) throws -> (since: Int64?, status: Int?) {
        try catalog.first("SELECT failed_since, failed_status FROM item WHERE id = ?", item) { row in
            (try row[0], try row[1])
        } ?? (nil, nil)
    }

    // MARK: Going through a job

    package static func forEachID(
        inJob job: String, onlyListed: Bool = false, on catalog: Connection, _ body: (Int64) throws -> Void
    ) throws {
        let listed = onlyListed ? " AND state NOT IN ('gone', 'removed')" : ""
        try catalog.forEach("SELECT id FROM item WHERE job = ?\(listed)", job) { row in try body(try row[0]) }
    }

    package static func forEachID(
        inCollection collection: Int64, on catalog: Connection, _ body: (Int64) throws -> Void
    ) throws {
        try catalog.forEach("SELECT id FROM item WHERE collection_id = ?", collection) { row in try body(try row[0]) }
    }

    /// How many items the job's last list had.
    package static func countListed(inJob job: String, on catalog: Connection) throws -> Int {
        try catalog.value("SELECT count(*) FROM item WHERE job = ? AND state NOT IN ('gone', 'removed')", job) ?? 0
    }

    /// The paths without extension that items have.
    package static func forEachStem(
        inJob job: String, on catalog: Connection, _ body: (String) throws -> Void
    ) throws {
        try catalog.forEach("SELECT stem FROM item WHERE job = ?", job) { row in try body(try row[0]) }
    }

    /// The digests of stored files, in hexadecimal digits.
    package static func forEachDigest(
        inJob job: String, on catalog: Connection, _ body: (Int64, String) throws -> Void
    ) throws {
        try catalog.forEach(
            "SELECT id, sha256 FROM item WHERE job = ? AND state = 'stored' AND sha256 IS NOT NULL", job
        ) { row in try body(try row[0], try row[1]) }
    }

    /// The path of a stored file that still has these bytes by its row.
    package static func path(
        of item: Int64, with digest: SHA256Digest, on catalog: Connection
    ) throws -> String? {
        try catalog.value(
            "SELECT path FROM item WHERE id = ? AND state = 'stored' AND sha256 = ? AND path IS NOT NULL", item,
            digest.hex)
    }

    // MARK: Listing

    /// Makes the row of a new item.
    ///
    /// - Returns: its id; nil when the key or the path has a row.
    package static func insert(
        _ listed: ListedColumns, key: String, path: PathKey, template: Int64, inJob job: String,
        on catalog: Connection
    ) throws -> Int64? {
        try catalog.run(
            """
            INSERT INTO item (job, collection_id, key, position, url, title, description, section, metadata,
                thumbnail_url, stem, path_hash, listing, template)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """
        ) { values in
            values.add(job)
            values.add(listed.collection)
            values.add(key)
            values.add(listed.position)
            values.add(listed.url)
            values.add(listed.title)
            values.add(listed.description)
            values.add(listed.section)
            values.add(listed.metadata)
            values.add(listed.thumbnailURL)
            values.add(path.stem)
            values.add(path.hash)
            values.add(listed.expected)
            values.add(template)
        }
        return catalog.changes > 0 ? catalog.lastInsertedRowID : nil
    }

    /// Writes what a list has changed of a row.
    package static func update(_ row: ItemRow, on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE item SET collection_id = ?, position = ?, url = ?, title = ?, description = ?, section = ?,
                metadata = ?, thumbnail_url = ?, listing = ?, state = ?, permanent_failures = ?, asked_again_at = ?,
                stored_url = ?
            WHERE id = ?
            """,
            row.collectionID, row.position, row.url, row.title, row.description, row.section, row.metadata,
            row.thumbnailURL, row.listing, row.state, row.permanentFailures, row.askedAgainAt, row.storedURL, row.id)
    }

    package static func setPlace(
        of item: Int64, _ state: ItemState, path: String?, on catalog: Connection
    ) throws {
        try catalog.run("UPDATE item SET state = ?, path = ? WHERE id = ?", state, path, item)
    }

    /// An item is no longer listed.
    package static func markGone(_ item: Int64, on catalog: Connection) throws {
        try catalog.run(
            "UPDATE item SET state = 'gone' WHERE id = ? AND state NOT IN ('gone', 'removed', 'evicted')", item)
    }

    // MARK: Paths

    package static func setPath(of item: Int64, _ path: PathKey, on catalog: Connection) throws {
        try catalog.run("UPDATE item SET stem = ?, path_hash = ? WHERE id = ?", path.stem, path.hash, item)
    }

    package static func setTemplate(of item: Int64, _ template: Int64, on catalog: Connection) throws {
        try catalog.run("UPDATE item SET template = ? WHERE id = ?", template, item)
    }

    /// Gives an item another path.
    ///
    /// - Parameter file: where its file is; nil without one.
    package static func move(
        _ item: Int64, to path: PathKey, file: String?, extension: String?, template: Int64, on catalog: Connection
    ) throws {
        try catalog.run(
            "UPDATE item SET stem = ?, path_hash = ?, path = ?, extension = ?, template = ? WHERE id = ?", path.stem,
            path.hash, file, `extension`, template, item)
    }

    // MARK: Removing

    /// The job of an item; nil where there is none.
    package static func job(of item: Int64, on catalog: Connection) throws -> String? {
        try catalog.value("SELECT job FROM item WHERE id = ?", item)
    }

    /// The job of an item, if it was removed, or if it was not.
    package static func job(of item: Int64, isRemoved: Bool, on catalog: Connection) throws -> String? {
        try catalog.value("SELECT job FROM item WHERE id = ? AND (state = 'removed') = ?", item, isRemoved)
    }

    /// The key of an item; nil where there is none.
    package static func key(of item: Int64, on catalog: Connection) throws -> String? {
        try catalog.value("SELECT key FROM item WHERE id = ?", item)
    }

    /// Has the next run that takes an item fetch it again, which was removed.
    package static func restore(_ item: Int64, on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE item SET state = 'pending', is_unsettled = 1, is_left_unlisted = 0
            WHERE id = ? AND state = 'removed'
            """, item)
    }
}
