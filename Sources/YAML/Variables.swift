/// A variable of the environment that a document uses, with its value: what is written as `${NAME}` again wherever the
/// value would be shown.
package struct Variable: Hashable, Sendable {
    /// The name in the environment.
    package let name: String

    /// The value; it may be a secret.
    package let value: String

    /// A variable of that value.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// Replaces `${NAME}` in every scalar value below `node` from `environment`; `$${` stands for `${`. Keys stay as they are.
///
/// A plain scalar is looked at anew: with N=8, `${N}` is a number. The variables met are added to `used`, each once, in
/// the order of the document. An unset variable or a bad name is reported where it is written, and its value is
/// `faulty` then.
package func expandVariables(
    in node: Node, environment: [String: String], used: inout [Variable], diagnostics: inout [Diagnostic]
) -> Node {
    switch node.content {
    case .faulty:
        return node
    case .sequence(let elements):
        return node.replacing(
            .sequence(
                elements.map {
                    expandVariables(in: $0, environment: environment, used: &used, diagnostics: &diagnostics)
                }))
    case .mapping(let entries):
        return node.replacing(
            .mapping(
                entries.map { key, value in
                    let expanded = expandVariables(
                        in: value, environment: environment, used: &used, diagnostics: &diagnostics)
                    return (key, expanded)
                }))
    case .scalar(let scalar):
        guard scalar.text.utf8.contains(UInt8(ascii: "$")) else { return node }
        var text = ""
        var faults: [(message: String, hint: String?, place: VariableTemplate.Place)] = []
        for part in VariableTemplate(scalar.text).parts {
            switch part {
            case .literal(let literal):
                text += literal
            case .variable(let name, let place):
                guard let value = environment[name] else {
                    faults.append(("the environment variable \(name) is not set", nil, place))
                    continue
                }
                text += value
                let variable = Variable(name: name, value: value)
                if !used.contains(variable) { used.append(variable) }
            case .malformed(let written, let place):
                let hint = "write ${NAME}, or $${ for a literal ${"
                faults.append(("\(written.quotedForMessage) is no variable", hint, place))
            }
        }
        guard !faults.isEmpty else { return node.replacing(.scalar(scalar.expanded(to: text))) }
        if !diagnostics.isFull {
            let marks = node.marks(of: faults.map(\.place))
            for (fault, mark) in zip(faults, marks) {
                diagnostics.report(Diagnostic(fault.message, at: mark, in: node.source, hint: fault.hint))
            }
        }
        return node.replacing(.faulty)
    }
}
