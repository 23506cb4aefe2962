import Reports

/// Words in lines, for the pages of help.
enum TextLayout {
    /// The columns of help, which every terminal has.
    static let width = 80

    /// The text with spaces after it up to a column, at least one.
    static func padded(_ text: String, to column: Int) -> String {
        text + String(repeating: " ", count: max(1, column - displayWidth(of: text)))
    }

    /// The text in lines behind a margin of `indent` columns, or `first` before the first line; `label` is in the
    /// margin of the first.
    ///
    /// A word that is longer than a line has a line of its own.
    static func wrapped(
        _ text: String, indent: Int, first: Int? = nil, label: String = "", width: Int = width
    ) -> String {
        var lines: [String] = []
        let margin = String(repeating: " ", count: indent)
        var line = label.isEmpty ? String(repeating: " ", count: first ?? indent) : padded(label, to: indent)
        var used = displayWidth(of: line)
        var isEmpty = true
        for word in text.split(separator: " ") {
            let needed = displayWidth(of: String(word))
            if !isEmpty, used + 1 + needed > width {
                lines.append(line)
                line = margin
                used = indent
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            used += needed + (isEmpty ? 0 : 1)
            isEmpty = false
        }
        lines.append(line)
        return lines.map { $0 + "\n" }.joined()
    }

    /// A line of help as a sentence: a capital at the front, unless it begins with a sign, and a full stop.
    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
