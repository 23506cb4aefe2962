internal import HTTP
import Model
package import SQLite
import System

/// Which items a list of the page has, and in which order.
package struct PageList: Sendable, Hashable {
    package enum Order: String, Sendable, CaseIterable {
        /// As listed: by the collection's place, then the item's.
        case list
        case title
        /// The largest first.
        case size
        /// What took longest first.
        case elapsed
        /// What was stored last first.
        case newest
    }

    package let job: String
    /// Only of this collection.
    package var collection: Int64?
    /// Only of this section: the item's, else the collection's.
    package var section: String?
    /// Only in one of these states; none is all but `gone` and `removed`.
    package var states: Set<String> = []
    /// Words that the title has, as ``searchable(_:)`` gives them.
    package var words: [[UInt8]] = []
    package var order = Order.list

    package init(job: String) {
        self.job = job
    }

    /// Takes what someone typed as the words that a title has to have.
    package mutating func setWords(_ text: String) {
        words = text.prefix(200).split(separator: " ").map { searchable(String($0)) }
    }

    /// What is in no list that does not ask for it.
    private static let hidden: Set = ["gone", "removed"]

    /// Whether rows have to be looked at, beyond their places.
    var isFiltered: Bool { section != nil || !words.isEmpty || !states.isEmpty }
}

/// A page of a list: ids in its order, and where the next one begins.
package struct PageItems: Sendable {
    package var ids: [Int64]
    /// What the next page comes after; nil at the end of the list.
    package var next: PageCursor?

    package init(ids: [Int64] = []) {
        self.ids = ids
    }
}

/// A place in a list.
package struct PageCursor: Sendable, Hashable {
    /// The item after which the page begins.
    package let item: Int64
    /// What it is ordered by, of orders by a number.
    package let number: Int64

    init(item: Int64, number: Int64 = 0) {
        self.item = item
        self.number = number
    }

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), let item = Int64(parts[1]) else { return nil }
        self.init(item: item, number: number)
    }

    package var text: String { "\(number).\(item)" }
}

/// The item of a cursor is no more there.
package struct LostCursor: Error {}

extension PageList {
    /// Rows are looked at for so long in one page; then it ends early, and the next one goes on.
    private static let patience: Int64 = 400_000

    /// A page of the list in the order `list`, whatever ``order`` is; see ``sorted(after:limit:from:)``.
    ///
    /// - Throws: ``LostCursor``.
    package func page(after cursor: PageCursor?, limit: Int, from catalog: Connection) throws -> PageItems {
        try listed(after: cursor, limit: limit, from: catalog)
    }

    // MARK: - In the order of the list

    private struct Place {
        let collection: Int64
        let position: Int64
        let item: Int64
    }

    private func listed(after cursor: PageCursor?, limit: Int, from catalog: Connection) throws -> PageItems {
        let began = Monotonic.now()
        var items = PageItems()
        var seen = 0
        try walk(after: cursor, from: catalog) { row, place in
            if items.ids.count == limit || (seen % 256 == 255 && Monotonic.now() - began > Self.patience) {
                return false
            }
            seen += 1
            items.next = PageCursor(item: place.item)
            if try isMember(row) { items.ids.append(place.item) }
            return true
        } atEnd: {
            items.next = nil
        }
        return items
    }

    /// Where each block of so many rows begins, and how many rows there are; without a total where time ran out.
    package func index(
        every: Int, of item: Int64?, from catalog: Connection
    ) throws -> (after: [PageCursor?], total: Int?, index: Int?) {
        let began = Monotonic.now()
        var after: [PageCursor?] = []
        var count = 0
        var isWhole = false
        var index: Int?
        var last: PageCursor?
        try walk(after: nil, from: catalog) { row, place in
            if count % 1_024 == 1_023, Monotonic.now() - began > 2 * Self.patience { return false }
            guard try isMember(row) else { return true }
            if count % every == 0 { after.append(last) }
            if place.item == item { index = count }
            count += 1
            last = PageCursor(item: place.item)
            return true
        } atEnd: {
            isWhole = true
        }
        return (after, isWhole ? count : nil, index)
    }

    /// Goes through the rows of the list's collections in their order until `body` says false.
    private func walk(
        after cursor: PageCursor?, from catalog: Connection, _ body: (borrowing Row, Place) throws -> Bool,
        atEnd: () -> Void
    ) throws {
        struct Stop: Error {}
        var start: Place?
        if let cursor {
            start = try catalog.first("SELECT collection_id, position FROM item WHERE id = ?", cursor.item) { row in
                Place(collection: try row[0], position: try row[1], item: cursor.item)
            }
            guard start != nil else { throw LostCursor() }
        }
        var collections: [Int64] = []
        if let collection {
            collections = [collection]
        } else {
            collections = try catalog.rows(
                "SELECT id FROM collection WHERE job = ? ORDER BY position, id", job
            ) { try $0[0] as Int64 }
            if let start { collections = Array(collections.drop { $0 != start.collection }) }
        }
        // The index has the places; a row is looked up only where more is asked of it.
        let columns = isFiltered ? "state, title, coalesce(section, ?4)" : "NULL, NULL, ?4"
        let rows = try catalog.statement(
            """
            SELECT position, id, \(columns) FROM item INDEXED BY item_by_place
            WHERE collection_id = ?1 AND (position, id) > (?2, ?3) ORDER BY position, id
            """)
        do {
            for id in collections {
                let from = start.flatMap { $0.collection == id ? $0 : nil }
                let ownSection =
                    try section == nil
                    ? nil
                    : catalog.first("SELECT section FROM collection WHERE id = ?", id) { try $0[0] as String? } ?? nil
                let leftOut = isFiltered ? [] : try Self.leftOut(in: id, from: catalog)
                try rows.forEach(id, from?.position ?? Int64.min, from?.item ?? Int64.min, ownSection) { row in
                    let place = Place(collection: id, position: try row[0], item: try row[1])
                    if !leftOut.isEmpty, leftOut.contains(place.item) { return }
                    if try !body(row, place) { throw Stop() }
                }
            }
            atEnd()
        } catch is Stop {}
    }

    /// Of a collection the items that are no longer listed, or removed: few, with an index of their own.
    private static func leftOut(in collection: Int64, from catalog: Connection) throws -> Set<Int64> {
        let ids = try catalog.rows(
            "SELECT id FROM item WHERE collection_id = ? AND state IN ('gone', 'removed')", collection
        ) { try $0[0] as Int64 }
        return Set(ids)
    }

    /// Of a row of `walk`.
    private func isMember(_ row: borrowing Row) throws -> Bool {
        guard isFiltered else { return true }
        let state: String = try row[2]
        guard states.isEmpty ? !Self.hidden.contains(state) : states.contains(state) else { return false }
        if let section, try row[4] as String? != section { return false }
        if words.isEmpty { return true }
        return hasWords(words, in: searchable(try row[3]))
    }

    // MARK: - In other orders

    /// The first entries after the cursor: one pass over all rows, which takes a second or two of a million.
    ///
    /// - Throws: ``LostCursor``.
    package func sorted(
        after cursor: PageCursor?, limit: Int, from catalog: Connection
    ) throws -> (entries: [PageCursor], hasMore: Bool) {
        var start: Entry?
        if let cursor {
            var text: [UInt8] = []
            if order == .title {
                let title: String? = try catalog.value("SELECT title FROM item WHERE id = ?", cursor.item)
                guard let title else { throw LostCursor() }
                text = searchable(title)
            }
            start = Entry(number: cursor.number, text: text, item: cursor.item)
        }
        let number =
            switch order {
            case .list, .title: "0"
            case .size: "-coalesce(size, 0)"
            case .newest: "-coalesce(stored_at, 0)"
            case .elapsed:
                """
                -coalesce((SELECT elapsed_us FROM transfer WHERE run_id = stored_run AND item_id = item.id),
                    (SELECT elapsed_us FROM download WHERE item_id = item.id), 0)
                """
            }
        var best = BestEntries(count: limit)
        let rows = try catalog.statement(
            """
            SELECT id, \(number), state, title, coalesce(section, (SELECT section FROM collection WHERE id = collection_id))
            FROM item WHERE \(collection == nil ? "+job = ?1" : "collection_id = ?1")
            """)
        let take: (borrowing Row) throws -> Void = { row in
            let state: String = try row[2]
            guard states.isEmpty ? !Self.hidden.contains(state) : states.contains(state) else { return }
            if let section, try row[4] as String? != section { return }
            let needsTitle = order == .title || !words.isEmpty
            let title = try needsTitle ? searchable(row[3]) : []
            guard words.isEmpty || hasWords(words, in: title) else { return }
            let entry = Entry(number: try row[1], text: order == .title ? title : [], item: try row[0])
            if let start, !start.precedes(entry) { return }
            best.add(entry)
        }
        if let collection { try rows.forEach(collection, read: take) } else { try rows.forEach(job, read: take) }
        best.cut()
        return (best.entries.map { PageCursor(item: $0.item, number: $0.number) }, best.hasMore)
    }
}

/// What a row is ordered by: smaller is earlier.
private struct Entry {
    let number: Int64
    let text: [UInt8]
    let item: Int64

    func precedes(_ other: Entry) -> Bool {
        if number != other.number { return number < other.number }
        if text != other.text { return text.lexicographicallyPrecedes(other.text) }
        return item < other.item
    }
}

/// The first entries of many.
private struct BestEntries {
    /// In their order after a cut.
    private(set) var entries: [Entry] = []
    /// Whether some were left out.
    private(set) var hasMore = false
    private let count: Int

    init(count: Int) {
        self.count = count
    }

    mutating func add(_ entry: Entry) {
        // Sorted when it is much longer than what is wanted, and cut: as fast as a heap, with less to it.
        entries.append(entry)
        if entries.count >= 2 * count + 64 { cut() }
    }

    mutating func cut() {
        entries.sort { $0.precedes($1) }
        guard entries.count > count else { return }
        hasMore = true
        entries.removeSubrange(count...)
    }
}
