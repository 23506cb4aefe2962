package import SQLite

/// The photos that a job has around a pin: the collection whose key is `pin:` and the pin's name.
package enum PinPhotos {
    /// The pattern of `--only` for the photos of a pin, whether or not there are some.
    package static func pattern(ofPin name: String) -> String {
        PageCollection.pattern(ofKeysBelow: key(ofPin: name) + "/")
    }

    private static func key(ofPin name: String) -> String { "pin:\(name)" }

    /// Whether there are photos that others would take the place of.
    package static func exist(ofPin name: String, job: String, in catalog: Connection) throws -> Bool {
        let found: Int64? = try catalog.value(
            """
            SELECT 1 FROM item JOIN collection ON collection.id = collection_id
            WHERE collection.job = ? AND collection.key = ? AND state NOT IN ('gone', 'removed') LIMIT 1
            """, job, key(ofPin: name))
        return found != nil
    }

    /// The photos of a pin that a run did not list, but for favourites; none where it listed nothing.
    package static func leftBehind(
        byRun run: Int64, ofPin name: String, job: String, in catalog: Connection
    ) throws -> [Int64] {
        try catalog.rows(
            """
            WITH photo AS (
                SELECT item.id, state, EXISTS (SELECT 1 FROM transfer WHERE run_id = ?1 AND item_id = item.id) AS is_new
                FROM item JOIN collection ON collection.id = collection_id
                WHERE collection.job = ?2 AND collection.key = ?3
            )
            SELECT id FROM photo
            WHERE NOT is_new AND state NOT IN ('gone', 'removed') AND EXISTS (SELECT 1 FROM photo WHERE is_new)
                AND NOT EXISTS (SELECT 1 FROM mark WHERE item_id = photo.id AND kind = 'favourite')
            ORDER BY id
            """, run, job, key(ofPin: name)
        ) { try $0[0] }
    }
}
