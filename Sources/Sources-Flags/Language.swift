import YAML

/// A language in which the CLDR knows the names of countries: the values of `language`.
struct Language: Hashable, Sendable {
    /// Of ISO 639, in lower case.
    let language: String
    /// Of ISO 15924: `Hant`.
    let script: String?
    /// Of ISO 3166-1 in upper case, or three digits of M49.
    let region: String?

    static let english = Language(known: "en")

    /// A BCP 47 tag: `de`, `zh-Hant`, `pt-BR`.
    var tag: String { [language, script, region].compactMap(\.self).joined(separator: "-") }

    /// Takes a tag with hyphens or, as in the names of locales, underscores; case makes no difference.
    ///
    /// Nil if the CLDR has no such language, or not in this script; and if there is no such region.
    init?(tag: String) {
        var parts = tag.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }.map { $0.lowercased() }
        language = parts.removeFirst()
        script = parts.first?.count == 4 ? parts.removeFirst().capitalizedScript : nil
        region = parts.isEmpty ? nil : parts.removeFirst().uppercased()
        guard parts.isEmpty, NameTable.shared.list(of: self) != nil else { return nil }
    }

    /// Without a look at the table, which takes milliseconds: this one is the default of every program's start.
    private init(known language: String) {
        self.language = language
        script = nil
        region = nil
    }
}

extension String {
    fileprivate var capitalizedScript: String { prefix(1).uppercased() + dropFirst() }
}

extension Language: YAMLDecodable {
    /// `language tag`.
    static var yamlType: String { "language tag" }

    /// A tag that the CLDR knows.
    static func decode(_ node: Node, _ context: inout DecodingContext) -> Language? {
        guard let text = node.scalar?.text, let language = Language(tag: text) else {
            context.mismatch(node, wanted: "the tag of a known language", hint: "for example en, de, pt-BR or zh-Hant")
            return nil
        }
        return language
    }
}
