import Reports

/// What a text means, for terminals with colours. The words say the same.
enum Style: Sendable {
    case plain, good, bad, caution, faint

    /// The parameter of SGR (ECMA-48).
    var code: String? {
        switch self {
        case .plain: nil
        case .good: "32"
        case .bad: "31"
        case .caution: "33"
        case .faint: "2"
        }
    }
}

/// One row of a screen: texts, each from a column of its own.
struct Row: Equatable, Sendable {
    struct Cell: Equatable, Sendable {
        var column: Int
        var text: String
        var style: Style
    }

    private(set) var cells: [Cell] = []

    static let empty = Row()

    init() {}

    init(_ text: String, column: Int = 0, style: Style = .plain) {
        add(text, at: column, style)
    }

    /// Adds a text right of all others. It holds no control characters.
    mutating func add(_ text: String, at column: Int, _ style: Style = .plain) {
        if !text.isEmpty { cells.append(Cell(column: column, text: text, style: style)) }
    }

    /// What of the row is in the first so many columns.
    func clipped(to columns: Int) -> Row {
        var row = Row()
        for cell in cells where cell.column < columns {
            row.add(cut(cell.text, toWidth: columns - cell.column), at: cell.column, cell.style)
        }
        return row
    }

    /// As text, without styles: what a person reads.
    var text: String {
        var result = ""
        var column = 0
        for cell in cells {
            result += String(repeating: " ", count: max(0, cell.column - column)) + cell.text
            column = cell.column + displayWidth(of: cell.text)
        }
        return result
    }

    /// As a terminal takes it, from the row's first column.
    ///
    /// After a text outside ASCII the column is set anew, since terminals differ in the widths of such characters.
    func encoded(hasColour: Bool) -> String {
        var result = ""
        var column: Int? = 0
        for cell in cells {
            if let column, cell.column >= column {
                result += String(repeating: " ", count: cell.column - column)
            } else {
                result += "\u{1B}[K\u{1B}[\(cell.column + 1)G"
            }
            if hasColour, let code = cell.style.code {
                result += "\u{1B}[\(code)m\(cell.text)\u{1B}[0m"
            } else {
                result += cell.text
            }
            let isASCII = cell.text.utf8.allSatisfy { $0 < 0x80 }
            column = isASCII ? cell.column + cell.text.utf8.count : nil
        }
        return result + "\u{1B}[K"
    }
}
