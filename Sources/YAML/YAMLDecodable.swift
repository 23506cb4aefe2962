/// A value that a document can hold.
package protocol YAMLDecodable: Sendable {
    /// What a document writes, as a table of keys names it: `text`, `whole number`, `list of text`.
    static var yamlType: String { get }

    /// The same in a sentence that says what a value must be: `a whole number`. By default `yamlType` with its article.
    static var yamlTypePhrase: String { get }

    /// The texts to choose from, for completion and tables; empty where there are too many.
    static var yamlChoices: [String] { get }

    /// The keys of a mapping, for tables; empty for any other value.
    static var yamlFields: [FieldDocumentation] { get }

    /// The value of `node`; nil if it is none, which is reported to `context` then.
    static func decode(_ node: Node, _ context: inout DecodingContext) -> Self?
}

extension YAMLDecodable {
    /// `yamlType` with its article.
    package static var yamlTypePhrase: String {
        let vowels: Set<Character> = ["a", "e", "i", "o", "u"]
        return yamlType.first.map(vowels.contains) == true ? "an \(yamlType)" : "a \(yamlType)"
    }

    /// `yamlType` of several: with an s, unless it is one of those that have no article.
    static var yamlTypePlural: String {
        yamlTypePhrase == yamlType ? yamlType : "\(yamlType)s"
    }

    /// None.
    package static var yamlChoices: [String] { [] }

    /// None.
    package static var yamlFields: [FieldDocumentation] { [] }
}

/// Any scalar but nothing: who writes `name: 2024` means the text.
extension String: YAMLDecodable {
    /// `text`.
    package static var yamlType: String { "text" }

    /// `text`.
    package static var yamlTypePhrase: String { "text" }

    /// The text of a scalar.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> String? {
        guard let scalar = node.scalar, scalar.kind != .null else {
            context.mismatch(node, wanted: yamlTypePhrase)
            return nil
        }
        return scalar.text
    }
}

extension Bool: YAMLDecodable {
    /// `true or false`.
    package static var yamlType: String { "true or false" }

    /// `true or false`.
    package static var yamlTypePhrase: String { "true or false" }

    /// Both.
    package static var yamlChoices: [String] { ["true", "false"] }

    /// `true` or `false`; `yes` and `on` are text in YAML 1.2.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> Bool? {
        guard let scalar = node.scalar, scalar.kind == .bool, let value = CoreSchema.bool(scalar.text) else {
            context.mismatch(node, wanted: yamlTypePhrase)
            return nil
        }
        return value
    }
}

extension Int64: YAMLDecodable {
    /// `whole number`.
    package static var yamlType: String { "whole number" }

    /// A whole number of 64 bits.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> Int64? {
        guard let scalar = node.scalar, scalar.kind == .int else {
            context.mismatch(node, wanted: yamlTypePhrase)
            return nil
        }
        guard let value = CoreSchema.integer(scalar.text) else {
            context.error("\(context.name) is too large", at: node)
            return nil
        }
        return value
    }
}

extension Int: YAMLDecodable {
    /// `whole number`.
    package static var yamlType: String { Int64.yamlType }

    /// A whole number.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> Int? {
        Int64.decode(node, &context).map(Int.init)
    }
}

extension Double: YAMLDecodable {
    /// `number`.
    package static var yamlType: String { "number" }

    /// A finite number, whole or not.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> Double? {
        guard let scalar = node.scalar, scalar.kind == .float || scalar.kind == .int else {
            context.mismatch(node, wanted: yamlTypePhrase)
            return nil
        }
        let value = scalar.kind == .int ? CoreSchema.integer(scalar.text).map(Double.init) : Double(scalar.text)
        guard let value, value.isFinite else {
            context.mismatch(node, wanted: "a finite number")
            return nil
        }
        return value
    }
}

/// Any value at all, kept for whoever knows what it must be.
extension Node: YAMLDecodable {
    /// `value`.
    package static var yamlType: String { "value" }

    /// The node itself; nil where its fault is reported already.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> Node? {
        if case .faulty = node.content { nil } else { node }
    }
}
