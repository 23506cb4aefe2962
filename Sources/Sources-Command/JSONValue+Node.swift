import JSON
import YAML

extension JSONValue {
    /// A value of a job file, by the kinds of YAML's core schema.
    init(_ node: Node) {
        switch node.content {
        case .scalar(let scalar):
            switch scalar.kind {
            case .null: self = .null
            case .bool: self = .flag(scalar.text.lowercased() == "true")
            case .int: self = Int64(scalar.text).map(Self.integer) ?? .text(scalar.text)
            case .float: self = Double(scalar.text).map(Self.number) ?? .text(scalar.text)
            case .string: self = .text(scalar.text)
            }
        case .sequence(let elements): self = .list(elements.map { JSONValue($0) })
        case .mapping(let entries):
            let pairs = entries.compactMap { entry in entry.key.scalar.map { ($0.text, JSONValue(entry.value)) } }
            self = .object(Dictionary(pairs) { first, _ in first })
        case .faulty: self = .null
        }
    }
}
