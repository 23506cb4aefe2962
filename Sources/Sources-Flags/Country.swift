import YAML

/// A country or territory of ISO 3166-1. `Country.all` has them all.
struct Country: Hashable, Sendable {
    /// ISO 3166-1 alpha-2 in lower case: `de`.
    let code: String
    /// ISO 3166-1 alpha-3 in lower case: `deu`.
    let code3: String
    let continent: Continent
}

/// The regions of the UN's M49 with Antarctica; scripts/generate-countries says which country is where, and why.
enum Continent: String {
    case africa = "Africa"
    case americas = "Americas"
    case antarctica = "Antarctica"
    case asia = "Asia"
    case europe = "Europe"
    case oceania = "Oceania"
}

extension Country {
    /// The country of an alpha-2 code in either case.
    init?(code: String) {
        let code = code.lowercased()
        guard let country = Self.all.first(where: { $0.code == code }) else { return nil }
        self = country
    }
}

extension Country: YAMLDecodable {
    /// `country code`.
    static var yamlType: String { "country code" }

    /// The alpha-2 codes.
    static var yamlChoices: [String] { all.map(\.code) }

    /// The country of an alpha-2 code. An alpha-3 code, an English name and the codes that everybody takes for those of
    /// the United Kingdom and Greece are faults that name the right one.
    static func decode(_ node: Node, _ context: inout DecodingContext) -> Country? {
        if let text = node.scalar?.text, let country = Country(code: text) { return country }
        let hint =
            node.scalar.flatMap { meant(by: $0.text.lowercased()) }.map { "did you mean '\($0.code)'?" }
            ?? "the codes are the two letters of ISO 3166-1, such as de"
        context.mismatch(node, wanted: yamlTypePhrase, hint: hint)
        return nil
    }

    private static func meant(by text: String) -> Country? {
        switch text {
        case "uk": return Country(code: "gb")
        case "el": return Country(code: "gr")
        default: break
        }
        if let country = all.first(where: { $0.code3 == text }) { return country }
        // Two or three letters are too few to tell what was meant.
        guard text.count > 3 else { return nil }
        let named = CountryNames(in: .english).all
        return closestMatch(to: text, in: named.map(\.name)).flatMap { name in
            named.first { $0.name == name }?.country
        }
    }
}
