package import SQLite

/// What a list of the page shows of an item.
package struct PageItemRow: Sendable {
    package let id: Int64
    package let job: String
    package let key: String
    package let title: String
    package let state: String
    package let failure: String?
    /// What went wrong at the last attempt, of an item that failed.
    package let detail: String?
    /// Of the picture, or of its thumbnail, which has the same ratio.
    package let width: Int64?
    package let height: Int64?
    /// The first 16 digits of the thumbnail's SHA-256.
    package let thumbnail: String?
    /// A blurred preview of the thumbnail; see `PreviewHash`.
    package let preview: [UInt8]?
    package let collection: String
    package let size: Int64?
    package let latitude: Double?
    package let longitude: Double?
    package let mediaType: String?
    /// Of the file below the output directory; nil for an item that has none.
    package let path: String?
    package let isFavourite: Bool
    /// Of a favourite: the letter under which it is listed.
    package let letter: String?

    /// The rows of items in the order of `ids`; those that are gone from the catalog are left out.
    ///
    /// - Parameter job: only of this one.
    package static func rows(_ ids: [Int64], ofJob job: String? = nil, from catalog: Connection) throws -> [PageItemRow]
    {
        let list = "[\(ids.map(String.init).joined(separator: ","))]"
        return try catalog.rows(
            """
            SELECT item.id, item.job, item.key, item.title, item.state, item.failure,
                CASE WHEN item.failure IS NULL THEN NULL ELSE (
                    SELECT detail FROM transfer WHERE item_id = item.id
                    AND run_id = coalesce(asked_run, (SELECT max(id) FROM run WHERE run.job = item.job)))
                END,
                coalesce(metadata ->> '$.width', thumbnail.width), coalesce(metadata ->> '$.height', thumbnail.height),
                substr(thumbnail.sha256, 1, 16), collection.key, item.size,
                metadata ->> '$.latitude', metadata ->> '$.longitude', media_type, favourite.item_id IS NOT NULL,
                favourite.section, CASE WHEN item.state IN ('stored', 'gone') THEN item.path END, thumbnail.preview
            FROM json_each(?1) AS wanted CROSS JOIN item ON item.id = wanted.value
            JOIN collection ON collection.id = item.collection_id
            LEFT JOIN picture AS thumbnail
                ON thumbnail.item_id = item.id AND thumbnail.kind = 'thumbnail' AND thumbnail.position =
                    (SELECT min(position) FROM picture WHERE item_id = item.id AND kind = 'thumbnail')
            LEFT JOIN mark AS favourite ON favourite.item_id = item.id AND favourite.kind = 'favourite'
            WHERE ?2 IS NULL OR item.job = ?2 ORDER BY wanted.key
            """, list, job
        ) { try PageItemRow($0) }
    }

    private init(_ row: borrowing Row) throws {
        id = try row[0]
        job = try row[1]
        key = try row[2]
        title = try row[3]
        state = try row[4]
        failure = try row[5]
        detail = try row[6]
        // What a list says of itself may be anything.
        width = row.storage(of: 7) == .integer ? try row[7] : nil
        height = row.storage(of: 8) == .integer ? try row[8] : nil
        thumbnail = try row[9]
        collection = try row[10]
        size = try row[11]
        latitude = try Self.coordinate(row, 12)
        longitude = try Self.coordinate(row, 13)
        mediaType = try row[14]
        isFavourite = try row[15]
        letter = try row[16]
        path = try row[17]
        preview = try row[18]
    }

    private static func coordinate(_ row: borrowing Row, _ column: Int) throws -> Double? {
        let storage = row.storage(of: column)
        return storage == .real || storage == .integer ? try row[column] as Double : nil
    }
}
