/// What decoding passes along: where in the document it is, and the faults so far.
package struct DecodingContext: Sendable {
    private enum Step: Sendable {
        /// A key of a table.
        case key(String)
        /// A part of a value whose parts have no names of ours: an element of a list, an entry of a user's own mapping.
        case part(String)

        var text: String {
            switch self {
            case .key(let text), .part(let text): text.shownInMessage(limit: 60)
            }
        }
    }

    /// The faults, in the order in which they were met.
    package private(set) var diagnostics: [Diagnostic]
    private var steps: [Step]
    /// Dotted paths of values that no message repeats.
    private let secretPlaces: [String]

    /// A context at `place`, a dotted path that is empty for a whole document; goes on with the faults so far.
    ///
    /// - Parameter secretPlaces: dotted paths of values that no message repeats, nor what is in them.
    package init(place: String = "", diagnostics: [Diagnostic] = [], secretPlaces: [String] = []) {
        steps = place.split(separator: ".").map { .key(String($0)) }
        self.diagnostics = diagnostics
        self.secretPlaces = secretPlaces
    }

    private var isSecret: Bool {
        let place = place
        return secretPlaces.contains { place == $0 || place.hasPrefix("\($0).") }
    }

    /// The dotted path of the value that is being decoded, as `--set` takes it; empty for the whole document.
    package var place: String {
        steps.map(\.text).joined(separator: ".")
    }

    /// What a message calls the value: its key, followed by the number of the element or the like if it is a part.
    package var name: String {
        guard let key = steps.lastIndex(where: { if case .key = $0 { true } else { false } }) else {
            return steps.isEmpty ? "the document" : place
        }
        return steps[key...].map(\.text).joined(separator: ".")
    }

    /// Whether so many faults are reported that further ones are dropped.
    var isFull: Bool { diagnostics.isFull }

    /// Whether an error is among the faults.
    package var hasErrors: Bool {
        diagnostics.contains { $0.severity == .error }
    }

    /// Reports an error at a value or key.
    package mutating func error(_ message: String, at node: Node, hint: String? = nil) {
        error(message, at: node.mark, in: node.source, hint: hint)
    }

    /// Reports an error at a part of a text, as of a template.
    mutating func error(_ message: String, at mark: Mark, in source: YAMLSource, hint: String? = nil) {
        diagnostics.report(Diagnostic(message, at: mark, in: source, hint: hint))
    }

    /// Reports what is worth a look and keeps no job from running.
    package mutating func warning(_ message: String, at node: Node, hint: String? = nil) {
        diagnostics.report(Diagnostic(message, severity: .warning, at: node.mark, in: node.source, hint: hint))
    }

    /// Reports that `node` is not `wanted`, such as `a whole number`; silent where its fault is reported already.
    package mutating func mismatch(_ node: Node, wanted: String, hint: String? = nil) {
        if case .faulty = node.content { return }
        guard !diagnostics.isFull else { return }
        if isSecret { return error("\(name) must be \(wanted), not \(node.kindName)", at: node, hint: hint) }
        if node.isUnquotedTemplate {
            let written = node.source.text(at: node.mark)
            diagnostics.report(SyntaxFault.mustBeQuoted(written, at: node.mark, in: node.source))
            return
        }
        error("\(name) must be \(wanted), not \(node.kindDescription)", at: node, hint: hint)
    }

    /// Runs `body` for the value of `key`.
    package mutating func within<Value>(_ key: String, _ body: (inout DecodingContext) -> Value) -> Value {
        within(.key(key), body)
    }

    /// Runs `body` for a part of a value: the number of an element from 0, or a key of the user's own.
    mutating func within<Value>(part: String, _ body: (inout DecodingContext) -> Value) -> Value {
        within(.part(part), body)
    }

    private mutating func within<Value>(_ step: Step, _ body: (inout DecodingContext) -> Value) -> Value {
        steps.append(step)
        defer { steps.removeLast() }
        return body(&self)
    }
}
