/// A value that is one of a few words, the raw values of an enumeration.
package protocol YAMLEnum: YAMLDecodable, RawRepresentable<String>, CaseIterable {}

extension YAMLEnum {
    /// `a, b or c`.
    package static var yamlType: String {
        guard let last = yamlChoices.last, yamlChoices.count > 1 else { return yamlChoices.joined() }
        return "\(yamlChoices.dropLast().joined(separator: ", ")) or \(last)"
    }

    /// `a, b or c`.
    package static var yamlTypePhrase: String { yamlType }

    /// The raw values.
    package static var yamlChoices: [String] { allCases.map(\.rawValue) }

    /// The case whose raw value is the text of the scalar, whatever its kind: `2` and `1.1` are words here.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> Self? {
        guard let scalar = node.scalar, let value = Self(rawValue: scalar.text) else {
            let near = node.scalar.flatMap { closestMatch(to: $0.written, in: yamlChoices) }
            context.mismatch(node, wanted: yamlTypePhrase, hint: near.map { "did you mean '\($0)'?" })
            return nil
        }
        return value
    }
}
