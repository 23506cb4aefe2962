package import Files
package import SQLite

/// What a reset reads and deletes in the catalog.
package enum ResetRows {
    /// The items of a reset: all of the job, or those of one collection, or one.
    package enum Scope: Sendable, Hashable {
        case job
        case collection(Int64)
        case item(Int64)

        /// Over `item`, with the ids as the second and the third parameter.
        fileprivate static let condition = "(?2 IS NULL OR collection_id = ?2) AND (?3 IS NULL OR id = ?3)"

        fileprivate var collection: Int64? { if case .collection(let id) = self { id } else { nil } }
        fileprivate var item: Int64? { if case .item(let id) = self { id } else { nil } }
    }

    /// What a scope has, by its rows.
    package struct Extent: Sendable {
        package let items: Int
        /// Files that the rows claim, those of metadata too, and their bytes.
        package let files: Int
        package let bytes: Int64
    }

    package static func extent(ofJob job: String, _ scope: Scope, on catalog: Connection) throws -> Extent {
        try catalog.first(
            """
            SELECT count(*), count(item.path) + count(sidecar.path),
                CAST(total(iif(item.path IS NULL, 0, item.size)) + total(sidecar.size) AS INTEGER)
            FROM item LEFT JOIN sidecar ON item_id = id WHERE job = ? AND \(Scope.condition)
            """, job, scope.collection, scope.item
        ) { try Extent(items: $0[0], files: $0[1], bytes: $0[2]) } ?? Extent(items: 0, files: 0, bytes: 0)
    }

    // MARK: Names

    /// What people call a collection by.
    package enum CollectionName: String, Sendable, CaseIterable {
        case key, title
    }

    /// The collections of a job with a name, in the order of the list.
    package static func collections(
        ofJob job: String, called name: String, by column: CollectionName, on catalog: Connection
    ) throws -> [(id: Int64, key: String)] {
        try catalog.rows(
            "SELECT id, key FROM collection WHERE job = ? AND \(column.rawValue) = ? ORDER BY position", job, name
        ) { (id: try $0[0], key: try $0[1]) }
    }

    /// The keys of all collections of a job, in the order of the list.
    package static func collectionKeys(ofJob job: String, on catalog: Connection) throws -> [String] {
        try catalog.rows("SELECT key FROM collection WHERE job = ? ORDER BY position", job) { try $0[0] }
    }

    package static func item(ofJob job: String, key: String, on catalog: Connection) throws -> Int64? {
        try catalog.value("SELECT id FROM item WHERE job = ? AND key = ?", job, key)
    }

    // MARK: Deletion

    /// Deletes the transfers of a scope; of a whole job with its runs. The sums of runs that stay are what they were.
    package static func deleteTransfers(ofJob job: String, _ scope: Scope, on catalog: Connection) throws {
        guard scope != .job else {
            // One by one: each has its transfers go with it.
            let runs: [Int64] = try catalog.rows("SELECT id FROM run WHERE job = ?", job) { try $0[0] }
            for run in runs { try catalog.run("DELETE FROM run WHERE id = ?", run) }
            return
        }
        // The plus sign keeps it to one pass over the runs: looking up each item in each run would cost their product.
        try catalog.run(
            """
            DELETE FROM transfer WHERE run_id IN (SELECT id FROM run WHERE job = ?)
                AND +item_id IN (SELECT id FROM item WHERE job = ?1 AND \(Scope.condition))
            """, job, scope.collection, scope.item)
    }

    /// Does without foreign keys meanwhile: each deletion of an item would look through all transfers for its own. They
    /// have to be deleted before, as does all else that ``delete(item:on:)`` does not delete.
    package static func withoutForeignKeys(on catalog: Connection, _ body: () throws -> Void) throws {
        try catalog.execute("PRAGMA foreign_keys = OFF")
        try body()
        try catalog.execute("PRAGMA foreign_keys = ON")
    }

    /// An item that goes, with what its row claims of a file.
    package struct Item: Sendable {
        package let id: Int64
        package let path: RelativePath?
        /// In bytes.
        package let size: Int64?
        package let digest: SHA256Digest?
    }

    /// Some of the items of a scope; none at the end.
    package static func items(
        ofJob job: String, _ scope: Scope, limit: Int, on catalog: Connection
    ) throws -> [Item] {
        try catalog.rows(
            """
            SELECT id, path, size, sha256 FROM item WHERE job = ? AND \(Scope.condition) ORDER BY id LIMIT ?4
            """, job, scope.collection, scope.item, limit
        ) { row in
            Item(
                id: try row[0], path: (try row[1] as String?).flatMap { try? RelativePath(validating: $0) },
                size: try row[2], digest: (try row[3] as String?).flatMap(SHA256Digest.init(hex:)))
        }
    }

    /// Deletes an item with its marks and its pictures, without foreign keys.
    ///
    /// - Returns: the paths of the pictures, which other rows may claim as well.
    package static func delete(item id: Int64, on catalog: Connection) throws -> [String] {
        let pictures = try PictureRows.delete(ofItem: id, on: catalog)
        try catalog.run("DELETE FROM mark WHERE item_id = ?", id)
        try SidecarRows.delete(ofItem: id, on: catalog)
        try catalog.run("DELETE FROM download WHERE item_id = ?", id)
        try catalog.run("DELETE FROM item WHERE id = ?", id)
        return pictures
    }

    /// What is deleted of a job's list has to be read again.
    package static func noteListCut(ofJob job: String, on catalog: Connection) throws {
        try OwedItems.setListCut(true, ofJob: job, on: catalog)
    }

    /// Deletes the row of a scope's own, which has no items any more: the job's or the collection's.
    package static func deleteOwner(ofJob job: String, _ scope: Scope, on catalog: Connection) throws {
        switch scope {
        case .job: try catalog.run("DELETE FROM job WHERE name = ?", job)
        case .collection(let id): try catalog.run("DELETE FROM collection WHERE id = ?", id)
        case .item: break
        }
    }
}
