/// Where a key's value goes: a key path such as `\.concurrency`.
package typealias FieldPath<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

/// One key of a mapping: how to decode it into `Root`, and what the documentation says of it.
package struct Field<Root>: Sendable {
    /// What the tables, the help and the completion know of the key.
    package let documentation: FieldDocumentation

    /// Decodes a value into its place in the root; reports what it cannot take.
    let decode: @Sendable (_ node: Node, _ root: inout Root, _ context: inout DecodingContext) -> Void

    /// A key that is decoded by `decode`, for what no other field can say.
    package init(
        _ documentation: FieldDocumentation,
        decode: @escaping @Sendable (_ node: Node, _ root: inout Root, _ context: inout DecodingContext) -> Void
    ) {
        self.documentation = documentation
        self.decode = decode
    }

    /// A key that must be there; what `path` holds before is never seen where decoding reports nothing.
    ///
    /// `check` returns what is wrong with a value, to follow the key: `must be 1 to 1024`.
    package static func required<Value: YAMLDecodable>(
        _ name: String, _ path: FieldPath<Root, Value>, help: String, example: String? = nil,
        check: (@Sendable (Value) -> String?)? = nil
    ) -> Field {
        let documentation = FieldDocumentation(
            name, of: Value.self, isRequired: true, default: nil, help: help, example: example)
        return Field(documentation) { node, root, context in
            if let value = checked(node, check, &context) { root[keyPath: path] = value }
        }
    }

    /// A key that must be there, into a place that is nil before.
    package static func required<Value: YAMLDecodable>(
        _ name: String, _ path: FieldPath<Root, Value?>, help: String, example: String? = nil,
        check: (@Sendable (Value) -> String?)? = nil
    ) -> Field {
        let documentation = FieldDocumentation(
            name, of: Value.self, isRequired: true, default: nil, help: help, example: example)
        return Field(documentation) { node, root, context in
            if let value = checked(node, check, &context) { root[keyPath: path] = value }
        }
    }

    /// A key that may be left out: what `path` holds before stays then. `default` is that value as a document writes it.
    package static func optional<Value: YAMLDecodable>(
        _ name: String, _ path: FieldPath<Root, Value>, default: String?, help: String,
        example: String? = nil, check: (@Sendable (Value) -> String?)? = nil
    ) -> Field {
        let documentation = FieldDocumentation(
            name, of: Value.self, isRequired: false, default: `default`, help: help, example: example)
        return Field(documentation) { node, root, context in
            if let value = checked(node, check, &context) { root[keyPath: path] = value }
        }
    }

    /// A key that may be left out, into a place that can be nil. `null` and `~` make it nil, so that a flag can take back
    /// what the file says; an empty value is a fault all the same.
    package static func optional<Value: YAMLDecodable>(
        _ name: String, _ path: FieldPath<Root, Value?>, default: String? = nil, help: String,
        example: String? = nil, check: (@Sendable (Value) -> String?)? = nil
    ) -> Field {
        let documentation = FieldDocumentation(
            name, of: Value.self, isRequired: false, default: `default`, help: help, example: example)
        return Field(documentation) { node, root, context in
            if node.isNull, node.scalar?.written != "" {
                root[keyPath: path] = nil
            } else if let value = checked(node, check, &context) {
                root[keyPath: path] = value
            }
        }
    }

    private static func checked<Value: YAMLDecodable>(
        _ node: Node, _ check: (@Sendable (Value) -> String?)?, _ context: inout DecodingContext
    ) -> Value? {
        guard let value = Value.decode(node, &context) else { return nil }
        if let complaint = check?(value) {
            context.error("\(context.name) \(complaint)", at: node)
            return nil
        }
        return value
    }
}
