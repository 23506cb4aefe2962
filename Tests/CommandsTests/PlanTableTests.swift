import Testing

@testable import Commands

@Suite("Table of a plan", .timeLimit(.minutes(1)))
struct PlanTableTests {
    private let rows = [
        ["vn", "Việt Nam", "Việt Nam.png", "fetch", "http://h/vn.png"],
        ["jp", "日本", "日本.png", "fresh", "http://h/jp.png"],
    ]

    @Test("on a terminal columns are aligned by the width of what is drawn")
    func aligned() {
        var table = TextTable(["key", "title", "path", "action", "url"], isAligned: true)
        #expect(
            table.lines(for: rows) == """
                key  title     path          action  url
                vn   Việt Nam  Việt Nam.png  fetch   http://h/vn.png
                jp   日本      日本.png      fresh   http://h/jp.png

                """)
        #expect(
            table.lines(for: [["a-longer-key", "x", "x", "ask", "u"]])
                == "a-longer-key  x         x             ask     u\n")
    }

    @Test("elsewhere fields stand between tabs, and none holds a tab or a line feed")
    func tabs() {
        var table = TextTable(["key", "title", "path", "action", "url"], isAligned: false)
        #expect(table.lines(for: [["k", "a\tb\nc", "p", "fetch", "u"]]) == "k\ta\u{FFFD}b\u{FFFD}c\tp\tfetch\tu\n")
    }
}
