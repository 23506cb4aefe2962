import TestSupport
import Testing

@testable import Commands

@Suite("Drawing rows", .timeLimit(.minutes(1)))
struct ScreenPainterTests {
    private func rows(_ texts: String...) -> [Row] { texts.map { Row($0) } }

    @Test("whatever came before, the screen shows the rows below the lines, and the cursor is in their first column")
    func random() {
        var generator = SplitMix(7)
        var screen = ScreenGrid(columns: 20, rows: 8)
        var painter = ScreenPainter(hasColour: false)
        var lines: [String] = []
        screen.write("$ runner jobs\n")
        for step in 0..<500 {
            let rows = (0..<Int.random(in: 1...7, using: &generator)).map { _ in
                Row("row \(Int.random(in: 0...9, using: &generator))", column: Int.random(in: 0...3, using: &generator))
            }
            var new = ""
            if Int.random(in: 0...9, using: &generator) == 0 {
                lines.append("line \(step)")
                new = "line \(step)\n"
            }
            if Int.random(in: 0...19, using: &generator) == 0 { screen.write(painter.restart()) }
            screen.write(painter.paint(rows, below: new))
            let shown = (screen.scrolled + screen.lines)
            #expect(shown == ["$ runner jobs"] + lines + rows.map(\.text))
            #expect(screen.cursor == [screen.lines.count - rows.count, 0])
            #expect(!screen.isCursorVisible)
        }
        screen.write(painter.paint([], below: "the end\n"))
        #expect(screen.scrolled + screen.lines == ["$ runner jobs"] + lines + ["the end"])
        #expect(screen.isCursorVisible)
    }

    @Test("only rows that differ are sent")
    func differences() {
        var painter = ScreenPainter(hasColour: false)
        _ = painter.paint(rows("one", "two", "three"))
        let text = painter.paint(rows("one", "zwei", "three"))
        #expect(text == "\u{1B}[?2026h\u{1B}[?7l\u{1B}[1B\rzwei\u{1B}[K\u{1B}[1A\r\u{1B}[?7h\u{1B}[?2026l")
        #expect(painter.paint(rows("one", "zwei", "three")).isEmpty)
    }

    @Test("nothing is erased that was not drawn")
    func nothing() {
        var painter = ScreenPainter(hasColour: false)
        #expect(painter.erase().isEmpty && painter.restart().isEmpty && painter.paint([]).isEmpty)
    }

    @Test("after characters that terminals measure differently the column is set anew")
    func widths() {
        var row = Row("東京")
        row.add("1 of 2", at: 6)
        #expect(row.encoded(hasColour: false) == "東京\u{1B}[K\u{1B}[7G1 of 2\u{1B}[K")
        #expect(row.text == "東京  1 of 2")
    }

    @Test("colours are for terminals that have them")
    func colour() {
        let row = Row("paused", style: .caution)
        #expect(row.encoded(hasColour: true) == "\u{1B}[33mpaused\u{1B}[0m\u{1B}[K")
        #expect(row.encoded(hasColour: false) == "paused\u{1B}[K")
    }
}
