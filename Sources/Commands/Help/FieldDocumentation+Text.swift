import YAML

extension FieldDocumentation {
    /// What a value is, and whether or what without one: `duration; default: 10s`.
    var facts: String {
        if isRequired { return "\(type), required" }
        return `default`.map { "\(type); default: \($0)" } ?? type
    }
}
