import YAML

/// The options of the source `flags`.
package struct FlagsOptions: Sendable {
    var url: FlagURLTemplate
    var countries = CountrySelection.all
    var exclude: [Country] = []
    var language = Language.english

    static let defaultURL = "https://flagcdn.com/w320/{code}.png"

    init() {
        do {
            url = try FlagURLTemplate(Self.defaultURL)
        } catch {
            preconditionFailure("the default URL \(error.message)")
        }
    }

    /// The countries to list, in no order.
    var selectedCountries: Set<Country> {
        countries.countries.subtracting(exclude)
    }

    static let fields = FieldTable<FlagsOptions>([
        .optional(
            "url", \.url, default: defaultURL,
            help: "where a flag is, with {code}, {CODE} or {code3} for the country",
            example: "https://flagcdn.com/{code}.svg"),
        .optional(
            "countries", \.countries, default: "all",
            help: "the countries by their ISO 3166-1 alpha-2 codes; all are 249", example: "[de, fr, it]"),
        .optional(
            "exclude", \.exclude, default: "[]",
            help: "countries to leave out, as those of which the server has no flag", example: "[aq, bv]"),
        .optional(
            "language", \.language, default: "en",
            help: "the language of the countries' names and of their order, a BCP 47 tag", example: "zh-Hant"),
    ])
}
