/// The text of a bit of HTML, as Flickr has it in descriptions: links, emphasis and entities.
///
/// A line break stays one; at most one empty line is left between others. What only looks like a tag or an entity is text.
func plainText(ofHTML html: String) -> String {
    guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return tidied(html) }
    var text = ""
    var rest = html[...]
    while let mark = rest.firstIndex(where: { $0 == "<" || $0 == "&" }) {
        text += rest[..<mark]
        rest = rest[mark...]
        if let tag = Tag(rest) {
            if tag.breaksLine { text += "\n" }
            rest = rest[tag.end...]
        } else if let entity = HTMLEntity(rest) {
            text += entity.text
            rest = rest[entity.end...]
        } else {
            text.append(rest.removeFirst())
        }
    }
    return tidied(text + rest)
}

/// A tag at the beginning of a text.
private struct Tag {
    let end: String.Index
    let breaksLine: Bool

    init?(_ text: Substring) {
        guard text.first == "<", let first = text.dropFirst().first, first.isLetter || first == "/" || first == "!",
            let close = text.firstIndex(of: ">")
        else { return nil }
        end = text.index(after: close)
        let name = text.dropFirst().drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
        breaksLine = ["br", "p", "div", "li", "tr"].contains(name)
    }
}

private func tidied(_ text: String) -> String {
    var lines: [String] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map({ trimmed($0) })
    where !(line.isEmpty && lines.last?.isEmpty ?? true) {
        lines.append(line)
    }
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.joined(separator: "\n")
}
