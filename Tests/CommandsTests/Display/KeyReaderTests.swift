import Testing

@testable import Commands

@Suite("Keys", .timeLimit(.minutes(1)))
struct KeyReaderTests {
    @Test("letters are keys, what arrows and the keypad send is none")
    func keys() {
        var reader = KeyReader()
        #expect(reader.keys(in: "p+=-q?x".utf8) == [.pause, .more, .more, .fewer, .quit, .help])
        #expect(reader.keys(in: "\u{1B}[A\u{1B}[3~\u{1B}Oq\u{1B}q\u{1B}[1;5Pp".utf8) == [.pause])
        // A sequence in two reads.
        #expect(reader.keys(in: "\u{1B}".utf8) == [] && reader.keys(in: "Op\u{0C}".utf8) == [.redraw])
    }
}
