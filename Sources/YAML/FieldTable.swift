/// The keys of one kind of mapping: the one table that decodes it, documents it and completes its keys.
package struct FieldTable<Root>: Sendable {
    /// The keys in the order in which they are documented and, where they are missing, reported.
    package let fields: [Field<Root>]
    private let indices: [String: Int]

    /// A table of these keys, each with a name of its own.
    package init(_ fields: [Field<Root>]) {
        self.fields = fields
        let names = fields.enumerated().map { ($1.documentation.name, $0) }
        indices = Dictionary(uniqueKeysWithValues: names)
    }

    /// What the tables, the help and the completion show of the keys.
    package var documentation: [FieldDocumentation] { fields.map(\.documentation) }

    /// Decodes the entries of a mapping into `root`: all that can be, with a report for each fault. Nothing at all is a
    /// mapping without entries. Keys in `passing` belong to somebody else and are passed over.
    package func decode(
        _ node: Node, into root: inout Root, passing: [String] = [], _ context: inout DecodingContext
    ) {
        let entries: [(key: Node, value: Node)]
        switch node.content {
        case .mapping(let mapping): entries = mapping
        case .scalar where node.isNull: entries = []
        default:
            let text = node.scalar?.text ?? ""
            return context.mismatch(node, wanted: "a mapping", hint: SyntaxFault.spaceHint(for: text))
        }
        // A key that is there under a wrong name is not reported as missing, too.
        var met = Set(passing)
        for (key, value) in entries {
            let name = key.scalar?.text ?? ""
            if let index = indices[name] {
                context.within(name) { fields[index].decode(value, &root, &$0) }
                met.insert(name)
            } else if !passing.contains(name), !context.isFull {
                let near = closestMatch(to: name, in: documentation.map(\.name) + passing)
                if let near { met.insert(near) }
                report(unknown: name, at: key, near: near, &context)
            }
        }
        for field in documentation where field.isRequired && !met.contains(field.name) {
            let place = context.place.isEmpty ? "" : " in \(context.place)"
            let hint = field.example.map { "for example \(field.name): \($0)" }
            context.error("the key '\(field.name)' is missing\(place)", at: node, hint: hint)
        }
    }

    /// `did you mean 'a', 'b' or 'c'?`; nil for none.
    private func suggestion(_ names: [String]) -> String? {
        guard let last = names.last else { return nil }
        let others = names.dropLast().map { "'\($0)'" }.joined(separator: ", ")
        return "did you mean \(others.isEmpty ? "" : "\(others) or ")'\(last)'?"
    }

    private func report(unknown name: String, at key: Node, near: String?, _ context: inout DecodingContext) {
        let place = context.place.isEmpty ? "" : " in \(context.place)"
        var hint = near.map { "did you mean '\($0)'?" }
        if near == nil { hint = suggestion(documentation.map(\.name).filter { $0.names(name) }) }
        if hint == nil, let home = documentation.first(where: { $0.fields.contains { $0.name == name } }) {
            hint = "it belongs in \(home.name)"
        }
        context.error("unknown key \(name.quotedForMessage)\(place)", at: key, hint: hint)
    }
}

/// A mapping with a table of its keys; as a section of a document, an element of a list, or the document itself.
package protocol YAMLRecord: YAMLDecodable {
    /// The keys.
    static var fields: FieldTable<Self> { get }

    /// A record in which every key that may be left out has its default.
    init()
}

extension YAMLRecord {
    /// `mapping`.
    package static var yamlType: String { "mapping" }

    /// The keys of the table.
    package static var yamlFields: [FieldDocumentation] { fields.documentation }

    /// The record; what is at fault in it is reported and has its default.
    package static func decode(_ node: Node, _ context: inout DecodingContext) -> Self? {
        var record = Self()
        fields.decode(node, into: &record, &context)
        return record
    }
}

extension String {
    /// Whether a word says a part of this name, or its singular: `timeout` for `stall_timeout`, `retry` for `retries`.
    fileprivate func names(_ word: String) -> Bool {
        guard word.count >= 4 else { return false }
        let word = word.lowercased()
        let stem = word.hasSuffix("y") ? String(word.dropLast()) + "ies" : word
        return split(separator: "_").contains { [word, word + "s", stem].contains(String($0)) }
    }
}
