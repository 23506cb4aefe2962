/// What is to be known of a key without decoding it.
package struct FieldDocumentation: Sendable {
    /// The key.
    package let name: String

    /// What a document writes: `text`, `duration`, `changed, always or never`.
    package let type: String

    /// Whether a document without it is at fault.
    package let isRequired: Bool

    /// What holds where the key is left out, as a document writes it or in words; nil where there is nothing to say.
    package let `default`: String?

    /// What it does, in one sentence without a period.
    package let help: String

    /// A value worth showing.
    package let example: String?

    /// The texts to choose from; empty where there are too many.
    package let choices: [String]

    /// The keys within the value, or within each element of a list; empty for plain values.
    package let fields: [FieldDocumentation]

    /// Describes a key in words, where no one type says what its value is.
    package init(
        _ name: String, type: String, isRequired: Bool = false, default: String? = nil, help: String,
        example: String? = nil, choices: [String] = [], fields: [FieldDocumentation] = []
    ) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
        self.default = `default`
        self.help = help
        self.example = example
        self.choices = choices
        self.fields = fields
    }

    /// Describes a key whose values are of type `Value`.
    package init<Value: YAMLDecodable>(
        _ name: String, of type: Value.Type, isRequired: Bool = false, default: String? = nil, help: String,
        example: String? = nil
    ) {
        self.init(
            name, type: type.yamlType, isRequired: isRequired, default: `default`, help: help, example: example,
            choices: type.yamlChoices, fields: type.yamlFields)
    }
}
