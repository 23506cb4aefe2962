/// Turns rows into what a terminal has to be sent so that it shows them, from where the cursor is downwards. A value.
///
/// Only rows that differ from what is shown are sent. Between two drawings the cursor stays in the first row's first
/// column: wherever a resize moves text, what must be erased begins at the cursor.
struct ScreenPainter: Sendable {
    let hasColour: Bool
    /// What is shown.
    private(set) var rows: [Row] = []

    init(hasColour: Bool) {
        self.hasColour = hasColour
    }

    // DEC private modes; a terminal passes over those that it does not know. Synchronised output shows a drawing at
    // once, and without wrapping a row that a terminal takes for longer than it is stays one row.
    private static let beginUpdate = "\u{1B}[?2026h"
    private static let endUpdate = "\u{1B}[?2026l"
    private static let begin = beginUpdate + "\u{1B}[?7l"
    private static let end = "\u{1B}[?7h" + endUpdate
    private static let hideCursor = "\u{1B}[?25l"
    private static let showCursor = "\u{1B}[?25h"
    // The first row, then the rest from the second column on: tmux takes an erasure of the whole screen, from its first
    // column, for clear(1), and keeps what was there in its history.
    private static let eraseBelow = "\r\u{1B}[K\u{1B}[C\u{1B}[J\r"

    /// What to send to show these rows in place of those before, below `lines` that stay: whole lines, each with its line
    /// feed. Empty when there is nothing to do.
    mutating func paint(_ new: [Row], below lines: String = "") -> String {
        guard lines.isEmpty else {
            let erasure = new.isEmpty ? erase() : restart()
            return Self.beginUpdate + erasure + lines + paint(new) + (new.isEmpty ? Self.endUpdate : "")
        }
        guard new != rows else { return "" }
        if new.isEmpty { return erase() }
        var text = Self.begin + (rows.isEmpty ? Self.hideCursor + "\r" : "")
        var row = 0
        func move(to target: Int) {
            if target > row { text += "\u{1B}[\(target - row)B" }
            if target < row { text += "\u{1B}[\(row - target)A" }
            row = target
        }
        if new.count > max(1, rows.count) {
            // Line feeds make room at the bottom of the screen, where moving down would not.
            move(to: max(0, rows.count - 1))
            text += String(repeating: "\r\n", count: new.count - 1 - row)
            row = new.count - 1
        }
        for index in new.indices where index >= rows.count || new[index] != rows[index] {
            move(to: index)
            text += "\r" + new[index].encoded(hasColour: hasColour)
        }
        if new.count < rows.count {
            move(to: new.count)
            text += Self.eraseBelow
        }
        move(to: 0)
        rows = new
        return text + "\r" + Self.end
    }

    /// What to send to remove all rows and give the cursor back. Empty when nothing is shown.
    mutating func erase() -> String {
        guard !rows.isEmpty else { return "" }
        rows = []
        return Self.eraseBelow + Self.showCursor
    }

    /// What to send before the next drawing, which then draws all rows: after a resize, or when something else may have
    /// written to the terminal.
    mutating func restart() -> String {
        guard !rows.isEmpty else { return "" }
        rows = []
        return Self.eraseBelow
    }

    /// What brings a terminal back from the middle of a drawing; for the last breath of a process.
    static let rescue = end + showCursor + eraseBelow
}
