package import Model
package import SQLite

/// The rows of the `collection` and `template` tables.
package enum CollectionRows {
    /// Enters a collection as the list has it now. An existing row keeps its id: items hang on it.
    ///
    /// - Returns: the row's id.
    package static func enter(
        _ collection: ListedCollection, subtitle: String?, position: Int, inJob job: String, on catalog: Connection
    ) throws -> Int64 {
        try catalog.run(
            """
            INSERT INTO collection (job, key, title, subtitle, section, latitude, longitude, position, expected)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (job, key) DO UPDATE SET title = excluded.title, subtitle = excluded.subtitle,
                section = excluded.section, latitude = excluded.latitude, longitude = excluded.longitude,
                position = excluded.position, expected = coalesce(excluded.expected, expected)
            """,
            job, collection.key, collection.title, subtitle, collection.section, collection.latitude,
            collection.longitude, position, collection.expected)
        return try catalog.value("SELECT id FROM collection WHERE job = ? AND key = ?", job, collection.key) ?? 0
    }

    /// What a collection was called before; nil for a new one.
    package static func names(
        ofKey key: String, inJob job: String, on catalog: Connection
    ) throws -> (title: String, section: String?)? {
        try catalog.first("SELECT title, section FROM collection WHERE job = ? AND key = ?", job, key) { row in
            (try row[0], try row[1])
        }
    }

    /// A collection with none of its items counted yet.
    package static func progress(of id: Int64, on catalog: Connection) throws -> CollectionProgress {
        try catalog.first("SELECT key, title, subtitle, section FROM collection WHERE id = ?", id) { row in
            CollectionProgress(id: id, key: try row[0], title: try row[1], subtitle: try row[2], section: try row[3])
        } ?? CollectionProgress(id: id, title: "")
    }

    package static func setExpected(_ count: Int, of id: Int64, on catalog: Connection) throws {
        try catalog.run("UPDATE collection SET expected = ?1 WHERE id = ?2 AND expected IS NOT ?1", count, id)
    }

    // MARK: Templates of paths

    /// The number of a template, which gets one when it is new.
    package static func number(ofTemplate text: String, inJob job: String, on catalog: Connection) throws -> Int64 {
        try catalog.run("INSERT OR IGNORE INTO template (job, text) VALUES (?, ?)", job, text)
        return try catalog.value("SELECT id FROM template WHERE job = ? AND text = ?", job, text) ?? 0
    }

    package static func hasTemplates(besides number: Int64, inJob job: String, on catalog: Connection) throws -> Bool {
        let other: Int64? = try catalog.value(
            "SELECT id FROM template WHERE job = ? AND id <> ? LIMIT 1", job, number)
        return other != nil
    }

    /// Forgets templates by which no item is named any more, but for this one.
    package static func deleteUnusedTemplates(
        besides number: Int64, inJob job: String, on catalog: Connection
    ) throws {
        try catalog.run(
            """
            DELETE FROM template WHERE job = ?1 AND id <> ?2 AND NOT EXISTS (
                SELECT 1 FROM item WHERE item.job = ?1 AND item.template = template.id)
            """, job, number)
    }
}
