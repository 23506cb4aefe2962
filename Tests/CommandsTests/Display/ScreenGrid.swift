/// A small terminal: what a stream of text and control sequences leaves on a screen. ASCII only.
struct ScreenGrid {
    private let columns: Int
    private let rows: Int
    private var cells: [[Character]]
    private var row = 0
    private var column = 0
    private var wraps = true
    private(set) var isCursorVisible = true
    /// Rows that have left the screen at its top.
    private(set) var scrolled: [String] = []

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    var cursor: [Int] { [row, column] }

    /// The rows without trailing spaces, down to the last one with something on it.
    var lines: [String] {
        var lines = cells.map(Self.text)
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func text(_ cells: [Character]) -> String {
        String(cells.reversed().drop { $0 == " " }.reversed())
    }

    /// Takes what a program writes; a terminal's driver turns a line feed into a carriage return and a line feed.
    mutating func write(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": column = 0
            case "\n":
                column = 0
                feed()
            case "\u{1B}":
                precondition(rest.popFirst() == "[")
                var parameters = ""
                while let next = rest.popFirst() {
                    if (0x40...0x7e).contains(next.value) {
                        control(next, parameters)
                        break
                    }
                    parameters.unicodeScalars.append(next)
                }
            default: put(Character(scalar))
            }
        }
    }

    private mutating func put(_ character: Character) {
        if column == columns {
            guard wraps else {
                cells[row][columns - 1] = character
                return
            }
            column = 0
            feed()
        }
        cells[row][column] = character
        column += 1
    }

    private mutating func feed() {
        if row < rows - 1 {
            row += 1
        } else {
            scrolled.append(Self.text(cells.removeFirst()))
            cells.append(Array(repeating: " ", count: columns))
        }
    }

    private mutating func control(_ final: Unicode.Scalar, _ parameters: String) {
        let number = Int(parameters) ?? 1
        switch final {
        case "A": row = max(0, row - number)
        case "B": row = min(rows - 1, row + number)
        case "C": column = min(columns - 1, column + number)
        case "G": column = number - 1
        case "K": eraseRow()
        case "J":
            eraseRow()
            for below in cells.indices where below > row { cells[below] = Array(repeating: " ", count: columns) }
        case "m": break
        case "h", "l":
            if parameters == "?25" { isCursorVisible = final == "h" }
            if parameters == "?7" { wraps = final == "h" }
        default: preconditionFailure("\(final)")
        }
    }

    private mutating func eraseRow() {
        for place in min(column, columns)..<columns { cells[row][place] = " " }
    }
}
