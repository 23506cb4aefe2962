import Foundation

/// The names of countries in one language, from ICU; in English where the language has none.
struct CountryNames {
    private let language: Language
    private let locale: Locale

    init(in language: Language) {
        self.language = language
        locale = Locale(identifier: language.tag)
    }

    /// Nil only in a program without ICU's data. A statically linked one has none if it asks for nothing but such names;
    /// this module asks for the list of languages and for collation as well.
    subscript(country: Country) -> String? {
        locale.localizedString(forRegionCode: country.code.uppercased())
    }

    /// The countries with their names, as a person expects them in a list: collated by the rules of the language, equal
    /// names by code.
    ///
    /// - Throws: ``MissingCountryName``.
    func named(_ countries: some Sequence<Country>) throws -> [(country: Country, name: String)] {
        let named = try countries.map { country in
            guard let name = self[country] else { throw MissingCountryName(code: country.code, language: language.tag) }
            return (country: country, name: name)
        }
        return named.sorted { first, second in
            switch first.name.compare(second.name, locale: locale) {
            case .orderedAscending: true
            case .orderedSame: first.country.code < second.country.code
            case .orderedDescending: false
            }
        }
    }
}

/// A country has no name, which means that the program was built without ICU's data.
struct MissingCountryName: Error, CustomStringConvertible {
    let code: String
    let language: String

    var description: String {
        "no name of the country '\(code)' in the language '\(language)': this program has no ICU data"
    }
}
