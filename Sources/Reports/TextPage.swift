/// Lines of text on their way out, with empty lines between paragraphs.
struct TextPage {
    /// Columns of the terminal; `nil` leaves titles whole.
    let width: Int?
    private var bytes: [UInt8] = []
    private var hasText = false

    /// Titles keep so many columns, however narrow the terminal is.
    private static let leastTitleWidth = 12

    init(width: Int?) {
        self.width = width
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
        guard let width else { return line(text + title) }
        line(text + cut(title, toWidth: max(width - displayWidth(of: text), TextPage.leastTitleWidth)))
    }

    mutating func flush(to output: ReportOutput) throws {
        guard !bytes.isEmpty else { return }
        try output(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
