import Testing
import YAML

@Suite("No file crashes, hangs or fills the memory", .timeLimit(.minutes(1)))
struct HostileInputTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: [UInt8]
        let firstLine: String
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], _ firstLine: String) {
            self.name = name
            self.bytes = bytes
            self.firstLine = firstLine
        }

        init(_ name: String, _ text: String, _ firstLine: String) {
            self.init(name, Array(text.utf8), firstLine)
        }
    }

    /// Nine lists of nine aliases each: 9^9 values of 200 bytes of text.
    private static let bomb = (0..<9).map { level in
        let entry = level == 0 ? "x" : "*l\(level - 1)"
        return "k\(level): &l\(level) [\(Array(repeating: entry, count: 9).joined(separator: ", "))]"
    }.joined(separator: "\n")

    private static let tooDeep = "error: more than 32 lists and mappings within each other"

    @Test(
        "the fault is told, with its place",
        arguments: [
            Case("empty", "", "job.yaml: error: no document; the text is empty or has comments only"),
            Case("comments", "# a\n\n# b\n", "job.yaml: error: no document; the text is empty or has comments only"),
            Case(
                "byte order mark alone", [0xEF, 0xBB, 0xBF],
                "job.yaml: error: no document; the text is empty or has comments only"),
            Case("NUL", "name: a\0b", "job.yaml:1:8: error: the character U+0000 is not allowed"),
            Case("escaped NUL", #"name: "a\0b""#, "job.yaml:1:7: error: a value must not have a NUL character in it"),
            Case(
                "escape character", "a: 1\nname: é\u{1B}[2J", "job.yaml:2:8: error: the character U+001B is not allowed"
            ),
            Case(
                "byte order mark within", "name: \u{FEFF}x", "job.yaml:1:7: error: the character U+FEFF is not allowed"),
            Case(
                "Latin-1", Array("a: 1\nname: caf".utf8) + [0xE9, 0x0A],
                "job.yaml:2:10: error: the byte 0xE9 is not UTF-8; save it as UTF-8"),
            Case(
                "cut UTF-8", Array("name: ".utf8) + [0xE2, 0x82],
                "job.yaml:1:7: error: the byte 0xE2 is not UTF-8; save it as UTF-8"),
            Case(
                "overlong UTF-8", Array("name: ".utf8) + [0xC0, 0xAF],
                "job.yaml:1:7: error: the byte 0xC0 is not UTF-8; save it as UTF-8"),
            Case(
                "surrogate in UTF-8", Array("name: ".utf8) + [0xED, 0xA0, 0x80],
                "job.yaml:1:7: error: the byte 0xED is not UTF-8; save it as UTF-8"),
            Case(
                "UTF-16 with a mark", [0xFF, 0xFE, 0x6E, 0],
                "job.yaml: error: not UTF-8 but UTF-16 or UTF-32; save it as UTF-8"),
            Case(
                "UTF-16, big end first", [0xFE, 0xFF, 0, 0x6E],
                "job.yaml: error: not UTF-8 but UTF-16 or UTF-32; save it as UTF-8"),
            Case(
                "UTF-16 without a mark", [0x6E, 0, 0x61, 0],
                "job.yaml: error: not UTF-8 but UTF-16 or UTF-32; save it as UTF-8"),
            Case(
                "UTF-32", [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x6E],
                "job.yaml: error: not UTF-8 but UTF-16 or UTF-32; save it as UTF-8"),
            Case("20,000 brackets", String(repeating: "[", count: 20_000), "job.yaml:1:33: \(tooDeep)"),
            Case("20,000 braces", String(repeating: "{a: ", count: 20_000), "job.yaml:1:129: \(tooDeep)"),
            Case("20,000 dashes", String(repeating: "- ", count: 20_000), "job.yaml:1:65: \(tooDeep)"),
            Case(
                "deep mappings", (0..<400).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n"),
                "job.yaml:33:33: \(tooDeep)"),
            Case(
                "depth through aliases",
                (0..<8).map { "k\($0): &l\($0) [[[[[\($0 == 0 ? "1" : "*l\($0 - 1)")]]]]]" }.joined(separator: "\n"),
                "job.yaml:7:14: \(tooDeep)"),
            Case("alias bomb", bomb, "job.yaml:6:10: error: more than 100000 values, each alias counted in full"),
            Case(
                "many aliases", "a: &a 1\nb: [" + String(repeating: "*a, ", count: 200) + "]",
                "job.yaml:2:405: error: more than 100 aliases"),
            Case(
                "many values", "a: [" + String(repeating: "1,", count: 100_001) + "]",
                "job.yaml:1:199999: error: more than 100000 values, each alias counted in full"),
            Case(
                "too large", String(repeating: "# comment\n", count: 110_000),
                "job.yaml: error: larger than 1048576 bytes"),
            Case(
                "anchor within itself", "name: x\npins: &a [*a]",
                "job.yaml:2:11: error: the alias *a is inside the value that it refers to"),
            Case(
                "long key", String(repeating: "k", count: 500) + ": 1",
                "job.yaml:1:1: error: unknown key '" + String(repeating: "k", count: 60) + "…'"),
        ])
    func firstFault(sample: Case) {
        #expect(faults(in: sample.bytes).first?.prefix { $0 != "\n" } ?? "" == sample.firstLine)
    }

    @Test("a text of the full size is one value")
    func longScalar() throws {
        let text = String(repeating: "x", count: 1 << 19)
        #expect(try job(in: "name: \(text)\npath: \"\(text.dropLast(64))\"").name == text)
    }

    @Test("the limits are the caller's to set")
    func limits() {
        var limits = YAMLLimits()
        limits.maximumDepth = 1
        limits.maximumNodes = 100
        #expect(faults(in: "name: x", limits: limits).isEmpty)
        #expect(
            faults(in: "exclude: [a]", limits: limits).first?.hasPrefix("job.yaml:1:10: error: more than 1 ") == true)
    }

    @Test("of very many faults on one line the first hundred are told")
    func manyFaults() {
        let keys = (0..<24_000).map { "key\($0): {x}" }.joined(separator: ", ")
        let told = faults(in: "{\(keys)}")
        #expect(told.count == 101)
        #expect(told[0] == "job.yaml: error: too many faults; the others are not shown")
        #expect(told.allSatisfy { $0.utf8.count < 1_000 })
    }
}
