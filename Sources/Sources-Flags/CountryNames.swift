/// The names of countries in one language, from the CLDR; in English where the language has none.
struct CountryNames {
    /// All countries, as a person expects them in a list: collated by the rules of the language, equal names by code.
    let all: [(country: Country, name: String)]

    init(in language: Language) {
        let table = NameTable.shared
        guard let list = table.list(of: language) else { preconditionFailure("names.gz has no \(language.tag)") }
        let countries = Dictionary(uniqueKeysWithValues: Country.all.map { ($0.code, $0) })
        all = table.names(inList: list).compactMap { code, name in countries[code].map { ($0, name) } }
    }
}
