import SQLite

/// That a person has looked at an item: under `output.max_bytes` what was viewed last goes last.
package enum ViewMark {
    /// Marks an item as viewed. An item that the catalog does not know is none.
    ///
    /// - Parameter now: microseconds since 1970 UTC.
    /// - Throws: ``CatalogError`` without a catalog; what the catalog has thrown, as when it may not be written.
    package static func set(job: String, key: String, database: String, now: Int64) throws {
        let catalog = try CatalogLocation.openExisting(database)
        defer { catalog.close() }
        try catalog.run(
            """
            INSERT INTO mark (item_id, kind, at) SELECT id, 'viewed', ? FROM item WHERE job = ? AND key = ?
            ON CONFLICT (item_id, kind) DO UPDATE SET at = excluded.at
            """, now, job, key)
    }
}
