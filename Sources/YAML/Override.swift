/// `KEY=VALUE` of a `--set` flag: a dotted path into the document and a value in YAML.
package struct Override: Sendable {
    private struct Component {
        let name: String
        let mark: Mark
    }

    private let source: YAMLSource
    private let path: [Component]
    private let value: Node

    /// Reads the argument of `--set`; nil, with a report that names the flag, if it is no path or no YAML.
    ///
    /// A value that starts with `{` and is no mapping, such as the template `{title}.{extension}`, is text here: a shell
    /// has taken away the quotes that a file would need.
    package init?(parsing argument: String, diagnostics: inout [Diagnostic]) {
        let scalars = argument.unicodeScalars
        guard let equals = scalars.firstIndex(of: "=") else {
            let mark = Mark(line: 1, column: scalars.count + 1)
            let source = YAMLSource(flag: "--set", argument: argument, prefix: "")
            diagnostics.report(Diagnostic("expected KEY=VALUE", at: mark, in: source))
            return nil
        }
        source = YAMLSource(flag: "--set", argument: argument, prefix: Substring(scalars[...equals]))
        var path: [Component] = []
        var column = 1
        for name in Substring(scalars[..<equals]).split(separator: ".", omittingEmptySubsequences: false) {
            let mark = Mark(line: 1, column: column, length: name.unicodeScalars.count)
            guard !name.isEmpty else {
                let hint = "a path looks like transfer.rate"
                diagnostics.report(Diagnostic("a part of the path is empty", at: mark, in: source, hint: hint))
                return nil
            }
            path.append(Component(name: String(name), mark: mark))
            column += mark.length + 1
        }
        self.path = path
        guard let value = Self.value(in: source, diagnostics: &diagnostics) else { return nil }
        self.value = value
    }

    /// The value behind `=`; nil with a report.
    private static func value(in source: YAMLSource, diagnostics: inout [Diagnostic]) -> Node? {
        let written = String(decoding: source.bytes[source.contentStart...], as: UTF8.self)
        let mark = Mark(line: 1, column: source.contentColumn + 1, length: written.unicodeScalars.count)
        func scalar(_ text: String) -> Node {
            Node(content: .scalar(Scalar(text: text, isPlain: true)), mark: mark, source: source)
        }
        let result = YAMLParser.read(source)
        let isBroken = !result.isComplete || result.documents.first?.isUnquotedTemplate == true
        if written.hasPrefix("{"), isBroken { return scalar(written) }
        for diagnostic in result.diagnostics { diagnostics.report(diagnostic) }
        guard result.isComplete else { return nil }
        guard result.documents.count <= 1 else {
            diagnostics.report(Diagnostic("more than one value", at: mark, in: source, hint: "quote the value"))
            return nil
        }
        return result.documents.first ?? scalar("")
    }

    /// The document with the value at the path: in place of what is there, else added, with the mappings on the way. A
    /// number in the path picks an element of a list, the first by 0. A path that leads through a value of another kind is
    /// reported, and the document stays as it is. The new value keeps the flag as its source, so that later faults name it.
    package func apply(to root: Node, diagnostics: inout [Diagnostic]) -> Node {
        replace(root, path[...], &diagnostics)
    }

    private func replace(_ node: Node, _ rest: ArraySlice<Component>, _ diagnostics: inout [Diagnostic]) -> Node {
        guard let component = rest.first else { return value }
        let rest = rest.dropFirst()
        switch node.content {
        case .mapping(var entries):
            if let index = entries.firstIndex(where: { $0.key.scalar?.text == component.name }) {
                entries[index].value = replace(entries[index].value, rest, &diagnostics)
            } else {
                entries.append((key(component), made(rest)))
            }
            return node.replacing(.mapping(entries))
        case .sequence(var elements):
            guard let index = Int(component.name), elements.indices.contains(index) else {
                let message = "\(component.name.quotedForMessage) is not in the list of \(elements.count)"
                report(message, component, &diagnostics, hint: "elements are counted from 0")
                return node
            }
            elements[index] = replace(elements[index], rest, &diagnostics)
            return node.replacing(.sequence(elements))
        case .scalar where node.isNull:
            return Node(content: .mapping([(key(component), made(rest))]), mark: component.mark, source: source)
        case .scalar:
            let message = "\(component.name.quotedForMessage) cannot be set in \(node.kindDescription)"
            report(message, component, &diagnostics)
            return node
        case .faulty:
            return node
        }
    }

    /// The value in the mappings that `rest` names.
    private func made(_ rest: ArraySlice<Component>) -> Node {
        rest.reversed().reduce(value) { inner, component in
            Node(content: .mapping([(key(component), inner)]), mark: component.mark, source: source)
        }
    }

    private func key(_ component: Component) -> Node {
        let scalar = Scalar(text: component.name, isPlain: true)
        return Node(content: .scalar(scalar), mark: component.mark, source: source)
    }

    private func report(
        _ message: String, _ component: Component, _ diagnostics: inout [Diagnostic], hint: String? = nil
    ) {
        diagnostics.report(Diagnostic(message, at: component.mark, in: source, hint: hint))
    }
}
