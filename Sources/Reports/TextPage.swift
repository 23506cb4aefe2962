/// Lines of text on their way out, with empty lines between paragraphs.
struct TextPage {
    /// Columns that lines must fit; `nil` for none.
    let width: Int?
    /// Columns that titles at the end of lines are cut to fit; `nil` leaves them whole.
    let titleWidth: Int?
    let hasColour: Bool
    private var bytes: [UInt8] = []
    private var hasText = false

    /// Titles keep so many columns, however narrow the terminal is.
    static let leastTitleWidth = 6

    init(width: Int?, cutsTitles: Bool, hasColour: Bool) {
        self.width = width
        titleWidth = cutsTitles ? width : nil
        self.hasColour = hasColour
    }

    /// Begins a paragraph: after an empty line, unless it is the first.
    mutating func paragraph() {
        if hasText { bytes.append(UInt8(ascii: "\n")) }
    }

    mutating func line(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\n"))
        hasText = true
    }

    /// A line that ends with a title, which is cut to fit.
    mutating func line(_ text: String, title: String) {
        guard let titleWidth else { return line(text + title) }
        line(text + cut(title, toWidth: max(titleWidth - displayWidth(of: text), TextPage.leastTitleWidth)))
    }

    /// Words in as many lines as the width takes, behind `label`, which the other lines are indented as.
    mutating func prose(_ text: String, label: String) {
        guard let width else { return line(label + text) }
        let margin = displayWidth(of: label)
        var current = label
        var used = margin
        for word in text.split(separator: " ") {
            let needed = displayWidth(of: String(word))
            if used > margin, used + 1 + needed > width {
                line(current)
                current = String(repeating: " ", count: margin)
                used = margin
            }
            current += (used > margin ? " " : "") + word
            used += needed + (used > margin ? 1 : 0)
        }
        line(current)
    }

    /// A word in a colour (ECMA-48, SGR) where there are colours. It must say the same without.
    func coloured(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m" : text
    }

    enum Colour: Int {
        case bold = 1
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
    }

    mutating func flush(to output: ReportOutput) throws {
        guard !bytes.isEmpty else { return }
        try output(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
