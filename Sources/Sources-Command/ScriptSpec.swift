import JSON
import Model
import YAML

/// What a script says of itself.
struct ScriptSpec: Decodable, Sendable {
    struct Option: Decodable, Sendable {
        let key: String
        /// One of ``OptionType``; another one, or none, takes any value.
        let type: String?
        let required: Bool?
        let `default`: JSONValue?
        let help: String?
        let secret: Bool?
    }

    /// The types of options, and what else scripts call them.
    enum OptionType: String, CaseIterable {
        case string, integer, number, boolean, list, mapping

        init?(named name: String) {
            switch name {
            case "text": self = .string
            case "array": self = .list
            case "object": self = .mapping
            default: self.init(rawValue: name)
            }
        }

        var words: String {
            switch self {
            case .string: "text"
            case .integer: "whole number"
            case .number: "number"
            case .boolean: "true or false"
            case .list: "list"
            case .mapping: "mapping"
            }
        }
    }

    let `protocol`: Int
    let name: String
    let version: String?
    /// nil: whatever a job file has is passed on.
    let options: [Option]?
    /// Fields that its items have for templates, beside the common ones.
    let template: [String]?
    let expect: [String]?
    let abilities: [String]?

    /// The protocol that this program speaks, and the newest that a script may answer.
    static let protocolVersion = 1
    /// More options or fields than this are a mistake.
    private static let most = 200

    /// Whether the script can do what it need not.
    func can(_ ability: String) -> Bool { abilities?.contains(ability) == true }

    /// Why it can't be taken, to follow "a line of the script"; nil where it can.
    var complaint: String? {
        guard (1...Self.protocolVersion).contains(`protocol`) else {
            return "speaks protocol \(`protocol`), this program \(Self.protocolVersion)"
        }
        let keys = (options ?? []).map(\.key)
        let fields = template ?? []
        guard keys.count <= Self.most, fields.count <= Self.most else {
            return "declares over \(Self.most) options or fields"
        }
        for (what, names) in [("option", keys), ("template field", fields)] {
            if let name = names.first(where: { !Self.isName($0) }) {
                return
                    "declares the \(what) '\(name.shownInMessage(limit: 60))'; names have letters, digits, '_' and '-'"
            }
            if let name = names.enumerated().first(where: { names.prefix($0.offset).contains($0.element) })?.element {
                return "declares the \(what) '\(name)' twice"
            }
        }
        if let name = fields.first(where: { name in PathTemplate.commonFields.contains { $0.name == name } }) {
            return "declares the template field '\(name)', which every item has"
        }
        if let word = (expect ?? []).first(where: { Expectation(rawValue: $0) == nil }) {
            let known = Expectation.allCases.map(\.rawValue).joined(separator: ", ")
            return "expects '\(word.shownInMessage(limit: 60))', which is none of \(known)"
        }
        return nil
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x5F || byte == 0x2D
            }
    }

    // MARK: Its options

    /// The table that decodes and documents the options; nil where the script declares none.
    var fields: FieldTable<[String: JSONValue]>? {
        options.map { FieldTable($0.map(\.field)) }
    }

    /// The options with the defaults of those that are left out.
    func completed(_ options: JSONValue) -> JSONValue {
        guard case .object(var values) = options else { return options }
        for option in self.options ?? [] where values[option.key] == nil {
            if let value = option.default, value != .null { values[option.key] = value }
        }
        return .object(values)
    }
}

extension ScriptSpec.Option {
    fileprivate var field: Field<[String: JSONValue]> {
        let kind = type.flatMap(ScriptSpec.OptionType.init(named:))
        let documentation = FieldDocumentation(
            key, type: kind?.words ?? "value", isRequired: required == true,
            default: `default`.flatMap { $0 == .null ? nil : String(decoding: $0.line, as: UTF8.self) },
            help: (help ?? "").shownInMessage(limit: 500), choices: kind == .boolean ? ["true", "false"] : [])
        return Field(documentation) { node, root, context in
            if case .faulty = node.content { return }
            var value = JSONValue(node)
            // Who writes `album: 2024` means the text.
            if kind == .string, let scalar = node.scalar, !node.isNull { value = .text(scalar.text) }
            if let kind, !kind.takes(value), !(value == .null && required != true) {
                // Nothing that is secret, or may be, is repeated.
                guard secret != true else {
                    return context.error("\(context.name) must be \(kind.phrase)", at: node)
                }
                return context.mismatch(node, wanted: kind.phrase)
            }
            root[key] = value
        }
    }
}

extension ScriptSpec.OptionType {
    fileprivate var phrase: String {
        switch self {
        case .string, .boolean: words
        case .integer, .number, .list, .mapping: "a \(words)"
        }
    }

    fileprivate func takes(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.string, .text), (.integer, .integer), (.number, .integer), (.number, .number), (.boolean, .flag),
            (.list, .list), (.mapping, .object):
            true
        default: false
        }
    }
}
