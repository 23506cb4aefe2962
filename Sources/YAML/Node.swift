/// A value of a document, with the place where it is written.
package struct Node: Sendable {
    package enum Content: Sendable {
        case scalar(Scalar)
        case sequence([Node])
        /// The entries in the order of the file. Keys are scalars and unique.
        case mapping([(key: Node, value: Node)])
        /// A value whose fault is reported already, such as an unknown alias or an unset variable. Decoding it gives
        /// nothing and reports nothing.
        case faulty
    }

    package let content: Content

    /// Where the value is written. An aliased value is marked at its anchor: that is where its text is.
    package let mark: Mark

    /// The text that `mark` points into.
    package let source: YAMLSource

    /// Whether it is a list or mapping written in brackets.
    let isFlow: Bool

    init(content: Content, mark: Mark, source: YAMLSource, isFlow: Bool = false) {
        self.content = content
        self.mark = mark
        self.source = source
        self.isFlow = isFlow
    }

    /// The scalar; nil for a list or a mapping.
    package var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// Whether it is `null`, `~` or left out.
    package var isNull: Bool { scalar?.kind == .null }

    /// The keys of a mapping in order; empty for anything else.
    package var keys: [String] {
        if case .mapping(let entries) = content { entries.compactMap(\.key.scalar?.text) } else { [] }
    }

    /// The value of a mapping's key; nil where there is none. Linear in the number of keys.
    package subscript(key: String) -> Node? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key.scalar?.text == key }?.value
    }

    /// Where `part` is written within the value, for a fault of a template or the like; the value's own mark where an
    /// escape or a variable hides it. The first of several.
    package func mark(of part: String) -> Mark {
        let written = Array(source.text(at: mark).unicodeScalars)
        let sought = Array(part.unicodeScalars)
        let offset = written.indices.first { written[$0...].starts(with: sought) }
        guard let offset, !sought.isEmpty else { return mark }
        return Mark(line: mark.line, column: mark.column + offset, length: sought.count)
    }

    /// What it is, in the words of a message: `a list`, `nothing`, `true`, `the number 1.5`, `text 'many'`. Shows the
    /// text as written, never the value of a variable.
    package var kindDescription: String {
        switch content {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .faulty: "a faulty value"
        case .scalar(let scalar):
            switch scalar.kind {
            case .null: scalar.isExpanded ? "the empty \(scalar.written.quotedForMessage)" : "nothing"
            case .bool where !scalar.isExpanded: scalar.text
            case .int where !scalar.isExpanded: "the number \(scalar.text.shownInMessage(limit: 60))"
            case .float where !scalar.isExpanded: "the number \(scalar.text.shownInMessage(limit: 60))"
            case .bool, .int, .float, .string: "text \(scalar.written.quotedForMessage)"
            }
        }
    }

    /// The same without what is written, for a value that may be a secret.
    var kindName: String {
        switch content {
        case .sequence, .mapping, .faulty: kindDescription
        case .scalar(let scalar): scalar.kind == .null ? "nothing" : "this text"
        }
    }

    /// Whether it is what YAML makes of an unquoted template such as `{title}`: a mapping in braces with one key alone.
    var isUnquotedTemplate: Bool {
        guard isFlow, case .mapping(let entries) = content, entries.count == 1 else { return false }
        guard let value = entries[0].value.scalar else { return false }
        return value.isPlain && value.text.isEmpty
    }

    func replacing(_ content: Content) -> Node {
        Node(content: content, mark: mark, source: source, isFlow: isFlow)
    }
}
