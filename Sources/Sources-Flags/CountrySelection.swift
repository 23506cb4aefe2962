import YAML

/// Which countries to list: the values of `countries`.
enum CountrySelection: Sendable {
    /// The whole of ISO 3166-1.
    case all
    case some([Country])

    /// The countries, each once.
    var countries: Set<Country> {
        switch self {
        case .all: Set(Country.all)
        case .some(let countries): Set(countries)
        }
    }
}

extension CountrySelection: YAMLDecodable {
    /// `all or list of country codes`.
    static var yamlType: String { "all or list of country codes" }

    /// `all or a list of country codes`.
    static var yamlTypePhrase: String { "all or a list of country codes" }

    /// `all`, and the codes for a list.
    static var yamlChoices: [String] { ["all"] + Country.yamlChoices }

    /// The word `all`, or a list in which every code is known.
    static func decode(_ node: Node, _ context: inout DecodingContext) -> CountrySelection? {
        if let text = node.scalar?.text {
            if text == "all" { return .all }
            let hint = Country(code: text).map { "write [\($0.code)]" }
            context.mismatch(node, wanted: yamlTypePhrase, hint: hint)
            return nil
        }
        guard case .sequence = node.content else {
            context.mismatch(node, wanted: yamlTypePhrase)
            return nil
        }
        return [Country].decode(node, &context).map(CountrySelection.some)
    }
}
