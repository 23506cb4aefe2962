/// A list. A single value is not taken for a list of one; see `OneOrMany`.
extension Array: YAMLDecodable where Element: YAMLDecodable {
    /// `list of …`.
    package static var yamlType: String { "list of \(Element.yamlTypePlural)" }

    /// The choices for an element.
    package static var yamlChoices: [String] { Element.yamlChoices }

    /// The keys of an element.
    package static var yamlFields: [FieldDocumentation] { Element.yamlFields }

    /// All elements; nil if one of them is at fault, after all were looked at.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> [Element]? {
        guard case .sequence(let nodes) = node.content else {
            context.mismatch(node, wanted: yamlTypePhrase)
            return nil
        }
        let elements = nodes.enumerated().compactMap { index, element in
            context.within(part: String(index)) { Element.decode(element, &$0) }
        }
        return elements.count == nodes.count ? elements : nil
    }
}

/// A list, or a single value that stands for a list of one.
package struct OneOrMany<Element: YAMLDecodable>: YAMLDecodable {
    /// The values in the order of the document.
    package let values: [Element]

    /// A list of these values.
    package init(_ values: [Element]) {
        self.values = values
    }

    /// `…, or a list`.
    package static var yamlType: String { "\(Element.yamlType), or a list" }

    /// As for a single value.
    package static var yamlTypePhrase: String { "\(Element.yamlTypePhrase), or a list" }

    /// The choices for a value.
    package static var yamlChoices: [String] { Element.yamlChoices }

    /// A list, or else a single value.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> OneOrMany? {
        if case .sequence = node.content { return [Element].decode(node, &context).map(OneOrMany.init) }
        return Element.decode(node, &context).map { OneOrMany([$0]) }
    }
}

extension OneOrMany: Equatable where Element: Equatable {}
extension OneOrMany: Hashable where Element: Hashable {}

/// A mapping whose keys are the user's own, such as names of headers, in the order of the document.
package struct OrderedMap<Value: YAMLDecodable>: YAMLDecodable {
    /// One key and its value.
    package struct Entry: Sendable {
        /// The key, unique in the map.
        package let key: String

        /// Its value.
        package let value: Value

        /// A key with a value.
        package init(key: String, value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// The entries in the order of the document.
    package let entries: [Entry]

    /// A map of these entries, whose keys are unique.
    package init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// `mapping to …`.
    package static var yamlType: String { "mapping to \(Value.yamlType)" }

    /// All entries; nil if one of them is at fault, after all were looked at.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> OrderedMap? {
        guard case .mapping(let nodes) = node.content else {
            context.mismatch(node, wanted: yamlTypePhrase)
            return nil
        }
        let entries = nodes.compactMap { key, value -> Entry? in
            let name = key.scalar?.text ?? ""
            return context.within(part: name) { Value.decode(value, &$0) }.map { Entry(key: name, value: $0) }
        }
        return entries.count == nodes.count ? OrderedMap(entries) : nil
    }
}

extension OrderedMap.Entry: Equatable where Value: Equatable {}
extension OrderedMap: Equatable where Value: Equatable {}
extension OrderedMap.Entry: Hashable where Value: Hashable {}
extension OrderedMap: Hashable where Value: Hashable {}
