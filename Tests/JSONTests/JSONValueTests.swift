import JSON
import Testing

@Suite("JSON values", .timeLimit(.minutes(1)))
struct JSONValueTests {
    @Test("what is written is read as it was")
    func roundTrip() throws {
        let value = JSONValue.object([
            "a": .list([.integer(1), .number(1.5), .flag(true), .null]), "b\"": .text("\u{202E}<>\n"),
        ])
        var json = JSONWriter()
        json.value(value)
        #expect(JSONValue(parsing: json.bytes) == value)
    }

    @Test("a value that is JSON already is put in as it is, with what is around it")
    func encoded() {
        var json = JSONWriter()
        json.beginArray()
        json.value(1)
        json.value(encoded: Array("{\"a\": 2}".utf8))
        json.value(3)
        json.endArray()
        #expect(String(decoding: json.bytes, as: UTF8.self) == #"[1, {"a": 2}, 3]"#)
    }
}
