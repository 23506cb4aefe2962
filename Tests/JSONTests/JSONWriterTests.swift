import JSON
import Testing

@Suite("Writing JSON", .timeLimit(.minutes(1)))
struct JSONWriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("members and elements are separated, nested ones too")
    func nesting() {
        let text = written { writer in
            writer.beginObject()
            writer.member("event", "run-started")
            writer.member("at", 5)
            writer.member("status", nil as Int64?)
            writer.key("list")
            writer.beginArray()
            writer.value(true)
            writer.beginObject()
            writer.endObject()
            writer.beginArray()
            writer.endArray()
            writer.null()
            writer.endArray()
            writer.member("title", nil as String?)
            writer.endObject()
            writer.endLine()
            writer.beginObject()
            writer.endObject()
            writer.endLine()
        }
        #expect(
            text == """
                {"event": "run-started", "at": 5, "status": null, "list": [true, {}, [], null], "title": null}
                {}

                """)
    }

    @Test("elements may have a line each")
    func lines() {
        let text = written { writer in
            writer.beginArray()
            for n in 1...2 {
                writer.nextLine()
                writer.value(Int64(n))
            }
            writer.endLine()
            writer.endArray()
        }
        #expect(text == "[\n1,\n2\n]")
    }

    @Test("a document goes on after its bytes were taken")
    func taking() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.value(1)
        #expect(writer.bytes == Array("[1".utf8))
        writer.removeBytes()
        writer.value(2)
        #expect(writer.bytes == Array(", 2".utf8))
    }

    @Test(
        "strings",
        arguments: [
            ("", #""""#), ("flag", #""flag""#), ("a\"b\\c/d", #""a\"b\\c/d""#), ("\n\r\t", #""\n\r\t""#),
            ("\0\u{1b}\u{7f}", #""\u0000\u001b\u007f""#), ("\u{80}\u{9f}\u{a0}", "\"\\u0080\\u009f\u{a0}\""),
            ("\u{61c}\u{61b}", "\"\\u061c\u{61b}\""), ("\u{200d}\u{200e}\u{200f}", "\"\u{200d}\\u200e\\u200f\""),
            ("\u{2027}\u{2028}\u{2029}\u{202e}", "\"\u{2027}\\u2028\\u2029\\u202e\""),
            ("\u{2066}\u{206a}", "\"\\u2066\u{206a}\""), ("Việt 日本 🇻🇳", "\"Việt 日本 🇻🇳\""),
        ])
    func strings(value: String, text: String) {
        // Not ==, which takes composed and decomposed forms for equal.
        #expect(Array(written { $0.value(value) }.utf8) == Array(text.utf8))
    }

    @Test(
        "numbers",
        arguments: [(0.5, "0.5"), (-0.0, "-0.0"), (1e300, "1e+300"), (.infinity, "null"), (.nan, "null")])
    func numbers(value: Double, text: String) {
        #expect(written { $0.value(value) } == text)
    }

    @Test("integers", arguments: [(Int64.min, "-9223372036854775808"), (0, "0"), (.max, "9223372036854775807")])
    func integers(value: Int64, text: String) {
        #expect(written { $0.value(value) } == text)
    }
}
