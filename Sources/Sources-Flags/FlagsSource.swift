package import Model
package import SourceKit

/// Lists the flags of the countries of ISO 3166-1: one page, one collection, one item a country.
///
/// The list is in the order of the countries' names in the asked language, by the rules of that language.
package struct FlagsSource: Source {
    /// The table of the options and the name `flags`.
    package static let info = SourceInfo<FlagsOptions>(
        type: "flags",
        summary: "the flags of the countries of ISO 3166-1, from a server that has them by code",
        path: "{title}.{extension}",
        expects: [.image],
        templateFields: FlagURLTemplate.Field.allCases.map { TemplateField(name: $0.rawValue, help: $0.help) },
        defaults: FlagsOptions(),
        fields: FlagsOptions.fields)

    private let page: Page

    /// Names the countries. The list is no more than the options: the context is not touched.
    package init(options: FlagsOptions, context: SourceContext) {
        let selected = options.selectedCountries
        let countries = CountryNames(in: options.language).all.filter { selected.contains($0.country) }
        let collection = ListedCollection(key: "flags", title: "Flags", expected: countries.count)
        let items = countries.map { country, name in
            ListedItem(
                collection: collection.key, key: country.code, url: options.url.url(for: country), title: name,
                section: country.continent.rawValue,
                fields: Dictionary(
                    uniqueKeysWithValues: FlagURLTemplate.Field.allCases.map { ($0.rawValue, $0.value(for: country)) }))
        }
        page = Page(collections: [collection], items: items)
    }

    /// The one page.
    package func pages() -> FlagsPages {
        FlagsPages(page: page)
    }
}

/// The one page of the list of flags.
package struct FlagsPages: SourcePages {
    fileprivate var page: Page?

    /// The page, then nil.
    package mutating func next() async throws -> Page? {
        page.take()
    }
}
