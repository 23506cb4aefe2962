internal import Catalog
internal import SQLite
internal import Server
internal import System

/// Lists in other orders than that of the catalog.
///
/// Sorting looks at every row: a second or two of a million, for which no index is worth its bytes in the catalog. It is done
/// beside, with the first entries kept in memory for the pages that follow; whoever has waited for long enough is asked to
/// come back.
final class SortedLists: Sendable {
    private struct Portion: Sendable {
        let list: PageList
        /// Where it begins; nil for the beginning of the list.
        let after: PageCursor?
        let entries: [PageCursor]
        let hasMore: Bool
        let version: Int64
        let endedAt: Monotonic
        /// Whether somebody waited in vain, or would have.
        let isSlow: Bool

        /// The page that follows a cursor; nil where it is not, or not whole, in the portion.
        func page(after cursor: PageCursor?, limit: Int) -> PageItems? {
            var start = 0
            if cursor != after {
                guard let index = entries.firstIndex(where: { $0 == cursor }) else { return nil }
                start = index + 1
            }
            let page = entries[start...].prefix(limit)
            guard page.count == limit || !hasMore else { return nil }
            var items = PageItems(ids: page.map(\.item))
            if page.endIndex < entries.endIndex || hasMore { items.next = page.last }
            return items
        }
    }

    /// Entries of a portion: twenty pages of the front.
    private static let length = 5_000
    /// Portions that are kept.
    private static let most = 8
    /// How long a pass may take, and how long one that was slow counts whatever changes meanwhile; microseconds.
    private static let longestPass: Int64 = 60_000_000
    private static let age: Int64 = 30_000_000

    private let sorter: CatalogReaders
    /// How long a request waits, microseconds.
    private let patience: Int64
    private let portions = Locked<[Portion]>([])

    init(path: String, patience: Int64) {
        sorter = CatalogReaders(path: path, count: 1)
        self.patience = patience
    }

    /// Hands on a page of a list.
    func page(
        of list: PageList, after cursor: PageCursor?, limit: Int,
        then done: @escaping @Sendable (Result<PageItems, any Error>) -> Void
    ) {
        if let page = known(list, after: cursor, limit: limit, version: nil) { return done(.success(page)) }
        let isAnswered = Locked(false)
        let answer: @Sendable (Result<PageItems, any Error>) -> Void = { result in
            let isFirst = isAnswered.withLock { isAnswered in
                defer { isAnswered = true }
                return !isAnswered
            }
            if isFirst { done(result) }
        }
        sorter.read(within: Self.longestPass) { connection in
            let version = try connection.dataVersion
            if let page = self.known(list, after: cursor, limit: limit, version: version) { return page }
            return try self.sort(list, after: cursor, limit: limit, version: version, connection)
        } then: {
            answer($0)
        }
        Timers.after(patience) {
            answer(
                .failure(
                    Problem(503, "Being sorted", "the list is long; ask again in a second, or narrow it", field: "sort")
                ))
        }
    }

    /// - Parameter version: of the catalog now; nil: only of what was slow.
    private func known(_ list: PageList, after cursor: PageCursor?, limit: Int, version: Int64?) -> PageItems? {
        portions.withLock { portions in
            for portion in portions.reversed() where portion.list == list {
                let isYoung = portion.isSlow && Monotonic.now() - portion.endedAt < Self.age
                guard isYoung || portion.version == version else { continue }
                if let page = portion.page(after: cursor, limit: limit) { return page }
            }
            return nil
        }
    }

    private func sort(
        _ list: PageList, after cursor: PageCursor?, limit: Int, version: Int64, _ connection: Connection
    ) throws -> PageItems {
        let began = Monotonic.now()
        let (entries, hasMore) = try list.sorted(after: cursor, limit: max(limit, Self.length), from: connection)
        let portion = Portion(
            list: list, after: cursor, entries: entries, hasMore: hasMore, version: version, endedAt: .now(),
            isSlow: Monotonic.now() - began >= patience / 2)
        portions.withLock { portions in
            portions.removeAll { $0.list == list && ($0.after == cursor || $0.version != version) }
            portions = portions.suffix(Self.most - 1) + [portion]
        }
        return portion.page(after: cursor, limit: limit) ?? PageItems()
    }
}
