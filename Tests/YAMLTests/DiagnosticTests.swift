import Testing
import YAML

@Suite("A fault looks like a compiler's", .timeLimit(.minutes(1)))
struct DiagnosticTests {
    @Test("tabs and characters that would steer a terminal are shown as one harmless column each")
    func harmlessLine() {
        let bytes = Array("path: x\n\"k\u{202E}\"\t:\t5".utf8)
        let source = YAMLSource(name: "a\u{1B}[2J.yaml", bytes: bytes)
        #expect(source.line(2) == "\"k\u{FFFD}\" : 5")
        let fault = Diagnostic("odd\n\u{1B}[31m", at: Mark(line: 2, column: 7), in: source)
        #expect(fault.description == #"a\u{1B}[2J.yaml:2:7: error: odd\n\u{1B}[31m"# + "\n\"k\u{FFFD}\" : 5\n      ^")
    }

    @Test("a long line is cut around the mark")
    func longLine() throws {
        let filler = String(repeating: "x", count: 200)
        let told = try #require(faults(in: "{name: \(filler), durable: no, path: \(filler)}").first)
        let lines = told.split(separator: "\n")
        #expect(lines[1].count == 122)
        #expect(lines[1].hasPrefix("…xxx") && lines[1].hasSuffix("xxx…"))
        let caret = try #require(lines[2].firstIndex(of: "^"))
        let column = lines[2].distance(from: lines[2].startIndex, to: caret)
        #expect(lines[1].dropFirst(column).hasPrefix("no, "))
        #expect(lines[2].hasSuffix("^~"))
    }

    @Test("a mark at the end of a line, or beyond the text, is shown without harm")
    func endOfLine() {
        let source = YAMLSource(name: "job.yaml", bytes: Array("a:\n".utf8))
        #expect(
            Diagnostic("x", at: Mark(line: 1, column: 3, length: 9), in: source).description
                == "job.yaml:1:3: error: x\na:\n  ^")
        #expect(Diagnostic("x", at: Mark(line: 7, column: 1), in: source).description == "job.yaml:7:1: error: x")
        #expect(Diagnostic("x", in: source).description == "job.yaml: error: x")
        #expect(Diagnostic("x", severity: .warning, hint: "y").description == "warning: x; y")
    }

    @Test("a message has an end")
    func longMessage() {
        let long = String(repeating: "é", count: 5_000)
        #expect(Diagnostic(long, hint: long).description.count < 700)
        #expect(long.quotedForMessage == "'\(String(repeating: "é", count: 60))…'")
    }

    @Test("faults are sorted by source as met, then by place")
    func sorting() {
        let first = YAMLSource(name: "z.yaml", bytes: [])
        let second = YAMLSource(name: "a.yaml", bytes: [])
        let faults = [
            Diagnostic("3", at: Mark(line: 2, column: 9), in: first),
            Diagnostic("5", at: Mark(line: 1, column: 1), in: second),
            Diagnostic("4", at: Mark(line: 10, column: 1), in: first),
            Diagnostic("2", at: Mark(line: 2, column: 1), in: first),
            Diagnostic("6", at: Mark(line: 1, column: 1), in: second),
            Diagnostic("1", in: first),
        ]
        #expect(faults.sorted().map(\.message) == ["1", "2", "3", "4", "5", "6"])
    }
}
