package import Model
package import SourceKit

/// Lists numbered pages.
package struct SeriesSource: Source {
    package static let info = SourceInfo<SeriesOptions>(
        type: "series", summary: "numbered pages, as of a comic", path: "{collection}/{number}.{extension}",
        expects: [.image], templateFields: [TemplateField(name: "number", help: "the page's number, five digits")],
        defaults: SeriesOptions(), fields: SeriesOptions.fields, validate: SeriesOptions.validate)

    private let options: SeriesOptions

    package init(options: SeriesOptions, context: SourceContext) {
        self.options = options
    }

    package func pages() -> SeriesPages {
        SeriesPages(options: options)
    }
}

/// A thousand items at a time.
package struct SeriesPages: SourcePages {
    private let options: SeriesOptions
    private var next: Int

    fileprivate init(options: SeriesOptions) {
        self.options = options
        next = options.first
    }

    package mutating func next() async throws -> Page? {
        guard next <= options.last else { return nil }
        var page = Page()
        if next == options.first {
            page.collections = [ListedCollection(key: "series", title: options.title)]
        }
        let end = min(options.last, next + 999)
        for number in next...end {
            let digits = String(number)
            page.items.append(
                ListedItem(
                    collection: "series", key: digits, url: options.url.replacing("{number}", with: digits),
                    title: "\(options.title) \(digits)",
                    fields: ["number": String(repeating: "0", count: max(0, 5 - digits.count)) + digits]))
        }
        next = end + 1
        return page
    }
}
