@testable import Model
@testable import SourceKit

/// A listing that is known beforehand, and how it ends.
struct FixedPages: SourcePages {
    var pages: [Page]
    var failure: (any Error)?
    /// Passed before each page but the first, and before the end.
    var gate: Gate?
    private var isFirst = true

    init(_ pages: [Page], failure: (any Error)?, gate: Gate?) {
        self.pages = pages
        self.failure = failure
        self.gate = gate
    }

    mutating func next() async throws -> Page? {
        if !isFirst { try await gate?.pass() }
        isFirst = false
        guard pages.isEmpty else { return pages.removeFirst() }
        if let failure { throw failure }
        return nil
    }
}

extension SourcePlan {
    static func fixed(_ pages: [Page], failure: (any Error)? = nil, gate: Gate? = nil) -> SourcePlan {
        SourcePlan(type: "fixed") { _ in AnySourcePages(FixedPages(pages, failure: failure, gate: gate)) }
    }

    /// One page with all items, and the collections they name.
    static func items(_ items: [ListedItem], failure: (any Error)? = nil) -> SourcePlan {
        .fixed([Page(listing: items)], failure: failure)
    }
}

extension Page {
    /// The items, and before them the collections that they name.
    init(listing items: [ListedItem]) {
        var keys: [String] = []
        for item in items where !keys.contains(item.collection) { keys.append(item.collection) }
        self.init(collections: keys.map { ListedCollection(key: $0, title: $0.capitalized) }, items: items)
    }
}

extension String {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
