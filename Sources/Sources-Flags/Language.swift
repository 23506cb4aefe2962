import Foundation
import YAML

/// A language in which ICU knows the names of countries: the values of `language`.
struct Language: Hashable, Sendable {
    /// A BCP 47 tag of language, script and region, the last two optional: `de`, `zh-Hant`, `pt-BR`.
    let tag: String

    static let english = Language(known: "en")

    /// Takes a tag with hyphens or, as in the names of locales, underscores; case makes no difference.
    ///
    /// Nil if ICU has no such language. `Locale` itself takes any text, and English is what comes out.
    init?(tag: String) {
        var parts = tag.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }.map {
            String($0).lowercased()
        }
        let language = parts.removeFirst()
        let script = parts.first?.count == 4 ? parts.removeFirst().capitalized : nil
        let region = parts.isEmpty ? nil : parts.removeFirst().uppercased()
        guard parts.isEmpty else { return nil }

        let known = Set(Locale.availableIdentifiers)
        let identifier = [language, script, region].compactMap(\.self).joined(separator: "_")
        if !known.contains(identifier) {
            guard known.contains(language) else { return nil }
            // ICU lists neither the script that a language is usually written in nor all regions.
            if let script, !known.contains("\(language)_\(script)") {
                guard Locale.Language(identifier: language).script?.identifier == script else { return nil }
            }
            if let region, !Locale.Region(region).isISORegion { return nil }
        }
        self.tag = identifier.replacingOccurrences(of: "_", with: "-")
    }

    private init(known tag: String) {
        self.tag = tag
    }
}

extension Language: YAMLDecodable {
    /// `language tag`.
    static var yamlType: String { "language tag" }

    /// A tag that ICU knows.
    static func decode(_ node: Node, _ context: inout DecodingContext) -> Language? {
        guard let text = node.scalar?.text, let language = Language(tag: text) else {
            context.mismatch(node, wanted: "the tag of a known language", hint: "for example en, de, pt-BR or zh-Hant")
            return nil
        }
        return language
    }
}
