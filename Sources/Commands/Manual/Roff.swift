/// A manual page in the making, in the man macros of roff (man(7), groff_man(7)).
///
/// Texts come as they would be printed; what is between backticks in them becomes bold. Lines of the source stay within
/// 80 columns where words allow it, as style checkers want it.
struct Roff {
    private(set) var source: String
    /// Whether a section has just begun, which needs no macro before its first paragraph.
    private var isAtStart = true

    /// The page's heading line; `section` is the manual's, 1 or 5.
    init(title: String, section: Int, date: String, origin: String, volume: String) {
        source = ".TH \(Self.argument(title.uppercased())) \(section) \(date) "
        source += "\(Self.argument(origin)) \(Self.argument(volume))\n"
    }

    /// A section, in capitals as custom has it.
    mutating func section(_ title: String) {
        source += ".SH \(Self.argument(title.uppercased()))\n"
        isAtStart = true
    }

    mutating func subsection(_ title: String) {
        source += ".SS \(Self.argument(title))\n"
        isAtStart = true
    }

    /// Begins a new paragraph, unless it is the first of its section.
    mutating func paragraph(_ text: String) {
        if !isAtStart { source += ".PP\n" }
        isAtStart = false
        source += Self.lines(text)
    }

    /// A term with what is said of it.
    mutating func entry(_ term: String, _ text: String) {
        source += ".TP\n\(Self.lines(term, wraps: false))\(Self.lines(text))"
        isAtStart = false
    }

    /// Lines as they are, in the middle of a page.
    mutating func example(_ text: String) {
        source += ".PP\n.RS 4\n.EX\n"
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            source += Self.protected(Self.escaped(String(line))) + "\n"
        }
        source += ".EE\n.RE\n"
        isAtStart = false
    }

    // MARK: Text

    /// Text as lines of the source.
    private static func lines(_ text: String, wraps: Bool = true) -> String {
        var isBold = false
        var styled = ""
        for part in text.split(separator: "`", omittingEmptySubsequences: false) {
            styled += isBold ? "\\fB\(escaped(String(part)))\\fP" : escaped(String(part))
            isBold.toggle()
        }
        guard wraps else { return protected(styled) + "\n" }
        var lines: [String] = []
        var line = ""
        for word in styled.split(separator: " ") {
            if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > 78 {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        return lines.map { protected($0) + "\n" }.joined()
    }

    /// Characters that roff takes for something else, or replaces by typographic ones.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "~": result += "\\(ti"
            case "^": result += "\\(ha"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            default: result.append(character)
            }
        }
        return result
    }

    /// A line that begins with a dot would be a macro.
    private static func protected(_ line: String) -> String {
        line.hasPrefix(".") ? "\\&" + line : line
    }

    /// One argument of a macro.
    private static func argument(_ text: String) -> String {
        "\"" + escaped(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq") + "\""
    }
}
