/// Turns libyaml's problems into faults in the words of somebody who writes job files.
enum SyntaxFault {
    /// The fault for `problem`.
    static func diagnostic(for problem: EventReader.Problem, in source: YAMLSource) -> Diagnostic {
        if let fault = unquotedTemplate(at: problem.position, in: source) { return fault }
        if let fault = missingSpace(problem, in: source) { return fault }
        let (message, hint, isAtContext) = words(for: problem, in: source)
        let position = isAtContext ? problem.contextPosition : problem.position
        return Diagnostic(message, at: Mark(line: position.line, column: position.column), in: source, hint: hint)
    }

    /// The message, the hint, and whether the place to fix is where the context began.
    private static func words(
        for problem: EventReader.Problem, in source: YAMLSource
    ) -> (message: String, hint: String?, isAtContext: Bool) {
        let line = Array(source.scalars(ofLine: problem.position.line))
        let index = problem.position.column - 1
        let character: Unicode.Scalar? = line.indices.contains(index) ? line[index] : nil

        switch (problem.context, problem.text) {
        case (_, "found character that cannot start any token"):
            if character == "\t" { return ("a tab cannot indent", "use spaces", false) }
            let shown = character.map { String($0).quotedForMessage } ?? "it"
            return ("a value cannot start with \(shown)", "quote it", false)
        case (_, "mapping values are not allowed in this context"):
            return ("a key cannot be here", "check the indentation, or quote a value that has ': ' in it", false)
        case (_, "block sequence entries are not allowed in this context"):
            return ("a list entry cannot start here", "put it on a line of its own, or quote the value", false)
        case (_, "did not find expected '-' indicator"):
            return ("expected '- ' for the next list entry", "check the indentation", false)
        case (_, "did not find expected key"):
            if let last = line[..<min(max(index, 0), line.count)].last(where: { $0 != " " }),
                "\"']}".unicodeScalars.contains(last)
            {
                return ("text behind the closing \(last)", "quote the whole value", false)
            }
            return ("expected a key", "check the indentation", false)
        case (_, "could not find expected ':'"):
            return ("expected ': ' behind a key", nil, false)
        case (_, "did not find expected node content"):
            return ("a value cannot start with \(character.map { "'\($0)'" } ?? "nothing")", "quote it", false)
        case (_, "did not find expected <document start>"):
            return ("expected the end of the document", "another one begins with '---'", false)
        case (_, "found unexpected end of stream"), (_, "found unexpected document indicator"):
            return ("the quote is never closed", nil, true)
        case (_, "found unknown escape character"):
            return ("unknown escape in double quotes", "write \\\\ for a backslash, or use single quotes", false)
        case ("while scanning an alias", "did not find expected alphabetic or numeric character"):
            return ("a value that starts with * must be quoted", nil, true)
        case ("while scanning an anchor", "did not find expected alphabetic or numeric character"):
            return ("a value that starts with & must be quoted", nil, true)
        case ("while scanning a block scalar", "did not find expected comment or line break"):
            return ("a value that starts with | or > must be quoted", nil, true)
        case ("while scanning a tag", _), ("while parsing a tag", _), (_, "found undefined tag handle"):
            return ("a value that starts with ! must be quoted", nil, problem.context != nil)
        case ("while parsing a flow sequence", _), ("while parsing a flow mapping", _):
            return flowWords(for: problem, character, line)
        default:
            return ([problem.context, problem.text].compactMap { $0 }.joined(separator: ": "), nil, false)
        }
    }

    /// The words for a list or mapping in brackets that goes on in a wrong way.
    private static func flowWords(
        for problem: EventReader.Problem, _ character: Unicode.Scalar?, _ line: [Unicode.Scalar]
    ) -> (message: String, hint: String?, isAtContext: Bool) {
        let isList = problem.context == "while parsing a flow sequence"
        guard let character else {
            return (isList ? "the '[' is never closed" : "the '{' is never closed", nil, true)
        }
        if character == "{", problem.position.column > 1, line[problem.position.column - 2] == "$" {
            return ("a value with ${…} must be quoted within [ ] and { }", nil, false)
        }
        return (
            isList ? "expected ',' or ']'" : "expected ',' or '}'",
            "the '\(isList ? "[" : "{")' is on line \(problem.contextPosition.line)", false
        )
    }

    /// The fault of `name:a`, which YAML takes for text and so stumbles over what follows; nil if neither the line of the
    /// problem nor the one before it is so.
    private static func missingSpace(_ problem: EventReader.Problem, in source: YAMLSource) -> Diagnostic? {
        let texts = ["mapping values are not allowed in this context", "could not find expected ':'"]
        guard texts.contains(problem.text) else { return nil }
        let isKeyItself = problem.text == texts[1]
        var number = isKeyItself ? problem.contextPosition.line + 1 : problem.position.line
        // Where the text began is above blank lines and comments.
        while number > 1 {
            number -= 1
            let line = String(source.scalars(ofLine: number))
            let start = line.drop { $0 == " " || $0 == "-" }
            if start.isEmpty || start.hasPrefix("#") { continue }
            guard let key = keyWithoutSpace(start) else { return nil }
            let column = line.unicodeScalars.count - start.unicodeScalars.count + 1
            let mark = Mark(line: number, column: column, length: key.unicodeScalars.count + 1)
            return Diagnostic("a space is missing behind '\(key):'", at: mark, in: source, hint: spaceHint(start, key))
        }
        return nil
    }

    /// The key of `name:a`; nil for other text, such as a URL.
    private static func keyWithoutSpace(_ text: Substring) -> Substring? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let key = text[..<colon]
        let rest = text[text.index(after: colon)...]
        guard let first = rest.first, first != " ", !rest.hasPrefix("//"), !key.isEmpty,
            key.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        else { return nil }
        return key
    }

    /// How a value of the form `name:a` was meant; nil for other text.
    static func spaceHint(for text: String) -> String? {
        keyWithoutSpace(text[...]).map { spaceHint(text[...], $0) }
    }

    private static func spaceHint(_ text: Substring, _ key: Substring) -> String {
        let value = String(text.dropFirst(key.count + 1).prefix { $0 != " " && $0 != "\n" })
        return "write '\(key): \(value.shownInMessage(limit: 40))'"
    }

    /// The fault of a template without quotes, which YAML takes for a mapping in braces with something behind it, as
    /// in `{title}.{extension}`; nil if what is before `position` is no such thing.
    private static func unquotedTemplate(at position: EventReader.Position, in source: YAMLSource) -> Diagnostic? {
        let line = Array(source.scalars(ofLine: position.line))
        guard var start = line[..<min(position.column - 1, line.count)].lastIndex(where: { $0 != " " }),
            line[start] == "}"
        else { return nil }
        var depth = 1
        while depth > 0 {
            guard start > 0 else { return nil }
            start -= 1
            if line[start] == "}" { depth += 1 } else if line[start] == "{" { depth -= 1 }
        }
        // A mapping in braces follows what begins a value, else it is a part of something longer.
        let before = line[..<start].last { $0 != " " } ?? ":"
        let isInList = before == "[" || before == ","
        guard isInList || before == ":" || before == "-" else { return nil }

        var value = line[start...]
        if let end = value.indices.first(where: { value[$0] == "#" && value[$0 - 1] == " " }) { value = value[..<end] }
        if isInList, let end = value.firstIndex(where: { $0 == "," || $0 == "]" }) { value = value[..<end] }
        while let last = value.last, last == " " || last == "\t" { value.removeLast() }
        let mark = Mark(line: position.line, column: start + 1, length: value.count)
        return mustBeQuoted(source.text(at: mark), at: mark, in: source)
    }

    /// The fault of a value that needs quotes because of its first character.
    static func mustBeQuoted(_ value: String, at mark: Mark, in source: YAMLSource) -> Diagnostic {
        let shown = value.shownInMessage(limit: 60)
        return Diagnostic("a value that starts with { must be quoted: \"\(shown)\"", at: mark, in: source)
    }
}
