import System

/// The collections of a list that a run is reading, and how far it has come.
///
/// Confined to the catalog's queue, like the ledger.
final class ListedCollections {
    /// One collection.
    final class Collection {
        /// Its row.
        let id: Int64
        let key: String
        let title: String
        let section: String?
        /// Items, as the source says; nil where it does not know.
        let expected: Int?
        /// Before this list was read; nil for a collection that is new.
        let former: (title: String, section: String?)?
        private var next = 1

        init(
            id: Int64, key: String, title: String, section: String?, expected: Int?,
            former: (title: String, section: String?)?
        ) {
            self.id = id
            self.key = key
            self.title = title
            self.section = section
            self.expected = expected
            self.former = former
        }

        /// Items listed so far.
        var count: Int { next - 1 }

        /// The position of the collection's next item, which is taken.
        func takePosition() -> Int {
            defer { next += 1 }
            return next
        }
    }

    private var byKey: [String: Collection] = [:]
    /// The collection of the last item, which is mostly the next one's too.
    private var last: Collection?
    /// Rows of collections that were not listed to their ends.
    private var incomplete: Set<Int64> = []
    /// Rows of collections that a user cancelled: their items are cancelled even if listed later.
    private(set) var cancelled: Set<Int64> = []
    /// Whether the source left out some of its list on purpose.
    private(set) var isPartial = false
    /// Items listed, whether or not they were selected.
    private(set) var items = 0
    /// When pages came, each with the highest id before it.
    private var pages: [(after: Int64, time: Monotonic)] = []

    var count: Int { byKey.count }

    func add(_ collection: Collection) {
        byKey[collection.key] = collection
    }

    subscript(key: String) -> Collection? {
        if let last, last.key == key { return last }
        guard let found = byKey[key] else { return nil }
        last = found
        return found
    }

    func isComplete(_ id: Int64) -> Bool { !incomplete.contains(id) }

    /// Whether all of them were listed to their ends.
    var areComplete: Bool { incomplete.isEmpty }

    func noteIncomplete(_ keys: Set<String>) {
        incomplete.formUnion(keys.compactMap { byKey[$0]?.id })
    }

    func notePartial() {
        isPartial = true
    }

    func cancel(_ ids: Set<Int64>) {
        cancelled.formUnion(ids)
    }

    func countItem() {
        items += 1
    }

    /// Those whose sources did not know beforehand how many items they have, listed to their ends.
    var counted: [Collection] { byKey.values.filter { $0.expected == nil && isComplete($0.id) } }

    // MARK: Times

    /// Notes that a page has come.
    ///
    /// - Parameter id: the highest of the items before it.
    func notePage(after id: Int64, at time: Monotonic) {
        pages.append((id, time))
    }

    /// When an item was listed, for one whose details were not kept: exact for rows made in this run, whose ids rise with
    /// the list; for others the time of some page.
    func time(ofItem id: Int64) -> Monotonic {
        var low = 0
        var high = pages.count
        while low < high {
            let middle = (low + high) / 2
            if pages[middle].after < id { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? pages[low - 1].time : pages.first?.time ?? Monotonic.now()
    }
}
