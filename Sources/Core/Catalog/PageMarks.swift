import Model
package import SQLite

/// What was viewed and what was marked as a favourite.
package enum PageMarks {
    /// The items viewed last, the latest first, none twice.
    package static func recents(limit: Int = 20, from catalog: Connection) throws -> [Int64] {
        try catalog.rows(
            "SELECT item_id FROM mark WHERE kind = 'viewed' ORDER BY at DESC, item_id DESC LIMIT ?", limit
        ) { try $0[0] as Int64 }
    }

    /// Favourites in the order of the alphabet.
    ///
    /// - Parameter section: only under this letter.
    package static func favourites(
        section: String?, after cursor: PageCursor?, limit: Int, from catalog: Connection
    ) throws -> PageItems {
        var start: (sort: [UInt8], item: Int64)?
        if let cursor {
            start = try catalog.first(
                "SELECT sort FROM mark WHERE item_id = ? AND kind = 'favourite'", cursor.item
            ) { (try $0[0] as [UInt8]? ?? [], cursor.item) }
            guard start != nil else { throw LostCursor() }
        }
        let ids = try catalog.rows(
            """
            SELECT item_id FROM mark WHERE kind = 'favourite' AND (?1 IS NULL OR section = ?1)
                AND (?2 IS NULL OR (coalesce(sort, x''), item_id) > (?2, ?3))
            ORDER BY coalesce(sort, x''), item_id LIMIT ?4
            """, section, start?.sort, start?.item, limit + 1
        ) { try $0[0] as Int64 }
        var items = PageItems()
        items.ids = Array(ids.prefix(limit))
        if ids.count > limit, let last = items.ids.last { items.next = PageCursor(item: last) }
        return items
    }

    /// Where each block of so many favourites begins, and how many there are.
    package static func favouriteIndex(
        section: String?, every: Int, of item: Int64?, from catalog: Connection
    ) throws -> (after: [PageCursor?], total: Int, index: Int?) {
        var after: [PageCursor?] = []
        var count = 0
        var index: Int?
        var last: PageCursor?
        try catalog.forEach(
            """
            SELECT item_id FROM mark WHERE kind = 'favourite' AND (?1 IS NULL OR section = ?1)
            ORDER BY coalesce(sort, x''), item_id
            """, section
        ) { row in
            if count % every == 0 { after.append(last) }
            let id: Int64 = try row[0]
            if id == item { index = count }
            count += 1
            last = PageCursor(item: id)
        }
        return (after, count, index)
    }

    /// The letters under which favourites are listed, with how many.
    package static func sections(from catalog: Connection) throws -> [(title: String, count: Int64)] {
        try catalog.rows(
            """
            SELECT coalesce(section, '#'), count(*) FROM mark WHERE kind = 'favourite'
            GROUP BY 1 ORDER BY min(coalesce(sort, x''))
            """
        ) { (try $0[0], try $0[1]) }
    }

    /// Marks an item as viewed now. False where there is no such item.
    ///
    /// - Parameter now: microseconds since 1970 UTC.
    package static func setViewed(_ item: Int64, now: Int64, in catalog: Connection) throws -> Bool {
        try catalog.run(
            """
            INSERT INTO mark (item_id, kind, at) SELECT id, 'viewed', ? FROM item WHERE id = ?
            ON CONFLICT (item_id, kind) DO UPDATE SET at = excluded.at
            """, now, item)
        return catalog.changes > 0
    }

    /// Whether an item is a favourite.
    package static func isFavourite(_ item: Int64, in catalog: Connection) throws -> Bool {
        try catalog.value("SELECT 1 FROM mark WHERE item_id = ? AND kind = 'favourite'", item, as: Int64.self) != nil
    }

    /// Marks an item as a favourite, or as none. False where there is no such item.
    package static func setFavourite(_ item: Int64, _ isOn: Bool, now: Int64, in catalog: Connection) throws -> Bool {
        let title: String? = try catalog.value("SELECT title FROM item WHERE id = ?", item)
        guard let title else { return false }
        if isOn {
            try catalog.run(
                """
                INSERT INTO mark (item_id, kind, at, section, sort) VALUES (?, 'favourite', ?, ?, ?)
                ON CONFLICT (item_id, kind) DO UPDATE SET section = excluded.section, sort = excluded.sort
                """, item, now, alphabeticalSection(title), searchable(title))
        } else {
            try catalog.run("DELETE FROM mark WHERE item_id = ? AND kind = 'favourite'", item)
        }
        return true
    }
}
