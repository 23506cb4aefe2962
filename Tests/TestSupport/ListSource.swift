package import Model
package import SourceKit
package import YAML

/// A source for tests: the items that the job file itself lists, or as many as a template gives.
///
/// ```yaml
/// source:
///   type: list
///   items: [{key: a, url: "http://127.0.0.1:8080/a.png", title: A, collection: letters}]
/// ```
package struct ListSource: Source {
    package struct Options: Sendable {
        package var items: [Entry] = []
        /// A URL with `{n}`, from 0 to below `count`.
        package var template = ""
        package var count = 0
        /// Items a page.
        package var page = 1_000
        /// The listing fails after so many items.
        package var failsAfter: Int?
        /// A URL that is asked for before the first page, as a source does that has an index.
        package var index: String?
    }

    /// One item as the job file writes it.
    package struct Entry: YAMLRecord {
        var key: String?
        var url = ""
        var title: String?
        var collection = "list"
        var section: String?
        var size: Int64?
        var sha256: String?
        var invalid: String?

        package init() {}

        package static let fields = FieldTable<Entry>([
            .optional("key", \.key, help: "the item's key; its URL where there is none"),
            .optional("url", \.url, default: "", help: "what is fetched"),
            .optional("title", \.title, help: "the item's title; its key where there is none"),
            .optional("collection", \.collection, default: "list", help: "the key and title of its collection"),
            .optional("section", \.section, help: "its section"),
            .optional("size", \.size, help: "the promised length"),
            .optional("sha256", \.sha256, help: "the promised digest"),
            .optional("invalid", \.invalid, help: "why the entry can't be fetched"),
        ])
    }

    package static let info = SourceInfo<Options>(
        type: "list", summary: "the items that the job file lists", path: "{collection}/{title}.{extension}",
        expects: [.any], defaults: Options(),
        fields: FieldTable([
            .optional("items", \.items, default: "[]", help: "what to fetch"),
            .optional("template", \.template, default: "", help: "a URL with {n}"),
            .optional("count", \.count, default: "0", help: "how many items the template gives"),
            .optional("page", \.page, default: "1000", help: "items a page"),
            .optional("fails_after", \.failsAfter, help: "the listing fails after so many items"),
            .optional("index", \.index, help: "a URL that is asked for first"),
        ]))

    private let options: Options
    private let context: SourceContext

    package init(options: Options, context: SourceContext) {
        self.options = options
        self.context = context
    }

    package func pages() -> Pages {
        Pages(options: options, context: context)
    }

    package struct Pages: SourcePages {
        private let options: Options
        private let context: SourceContext
        private var next = 0
        private var known: Set<String> = []

        init(options: Options, context: SourceContext) {
            self.options = options
            self.context = context
        }

        private var count: Int { options.template.isEmpty ? options.items.count : options.count }

        package mutating func next() async throws -> Page? {
            if next == 0, let index = options.index {
                let reply = try await context.fetch(index)
                guard reply.status == 200 else { throw TestSupportError("the index answered \(reply.status)") }
            }
            if let end = options.failsAfter, next >= end { throw TestSupportError("the list broke off") }
            guard next < count else { return nil }
            var page = Page()
            let end = min(count, next + options.page, options.failsAfter ?? .max)
            for index in next..<end {
                let item = item(index)
                if known.insert(item.collection).inserted {
                    page.collections.append(ListedCollection(key: item.collection, title: item.collection))
                }
                page.items.append(item)
            }
            next = end
            return page
        }

        private func item(_ index: Int) -> ListedItem {
            guard options.template.isEmpty else {
                let url = options.template.split(separator: "{n}", omittingEmptySubsequences: false)
                    .joined(separator: String(index))
                return ListedItem(collection: "list", key: String(index), url: url, title: String(index))
            }
            let entry = options.items[index]
            let key = entry.key ?? entry.url
            return ListedItem(
                collection: entry.collection, key: key, url: entry.url, title: entry.title ?? key,
                section: entry.section, size: entry.size, sha256: entry.sha256, invalid: entry.invalid)
        }
    }
}
