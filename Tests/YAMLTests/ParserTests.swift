import Testing
import YAML

@Suite("Text becomes nodes", .timeLimit(.minutes(1)))
struct ParserTests {
    private func documents(_ text: String) throws -> [Node] {
        var diagnostics: [Diagnostic] = []
        let source = YAMLSource(name: "job.yaml", bytes: Array(text.utf8))
        let documents = YAMLParser.documents(in: source, diagnostics: &diagnostics)
        guard diagnostics.isEmpty else { throw Faults(all: diagnostics) }
        return documents
    }

    @Test("every value knows its line, column and length")
    func marks() throws {
        let root = try #require(try documents("a: one\nb:\n  - 'two'\n  - [é, four]\nc:\n").first)
        #expect(root.mark == Mark(line: 1, column: 1))
        #expect(root["a"]?.mark == Mark(line: 1, column: 4, length: 3))
        guard case .sequence(let list)? = root["b"]?.content else { throw Faults(all: []) }
        #expect(list[0].mark == Mark(line: 3, column: 5, length: 5))
        #expect(list[1].mark == Mark(line: 4, column: 5, length: 9))
        guard case .sequence(let inner) = list[1].content else { throw Faults(all: []) }
        #expect(inner[1].mark == Mark(line: 4, column: 9, length: 4))
        #expect(root["c"]?.mark == Mark(line: 5, column: 3))
        #expect(root["c"]?.isNull == true)
    }

    @Test("keys keep the order of the file")
    func keyOrder() throws {
        #expect(try documents("z: 1\na: 2\n\"m n\": 3").first?.keys == ["z", "a", "m n"])
    }

    @Test("several documents are told apart")
    func documentsOfAFile() throws {
        let all = try documents("name: a\n---\nname: b\n...\n---\nname: c")
        #expect(all.map { $0["name"]?.scalar?.text } == ["a", "b", "c"])
        #expect(all[2]["name"]?.mark.line == 6)
    }

    @Test("lines end in any of the three ways, and a byte order mark is passed over", arguments: ["\n", "\r\n", "\r"])
    func lineEnds(end: String) throws {
        let root = try #require(try documents("\u{FEFF}a: 1\(end)b: 2\(end)").first)
        #expect(root["a"]?.mark == Mark(line: 1, column: 4))
        #expect(root["b"]?.mark == Mark(line: 2, column: 4))
    }

    @Test("an alias stands for what its anchor names")
    func aliases() throws {
        let root = try #require(try documents("a: &x [1, 2]\nb: *x").first)
        guard case .sequence(let list)? = root["b"]?.content else { throw Faults(all: []) }
        #expect(list.map(\.scalar?.text) == ["1", "2"])
    }

    @Test(
        "an unquoted value is what the core schema of YAML 1.2 says",
        arguments: [
            (Scalar.Kind.null, ["", "~", "null", "Null", "NULL"]),
            (.bool, ["true", "True", "TRUE", "false", "False", "FALSE"]),
            (.int, ["0", "7", "-19", "+3", "017", "0o17", "0x3A", "0xfF"]),
            (
                .float,
                ["0.", ".5", "-0.0", "12e03", "-2E+05", "1.5e-3", ".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".NAN"]
            ),
            (
                .string,
                [
                    "no", "yes", "on", "off", "y", "nULL", "tRUE", "1:30", "0b1", "0o8", "0x", "-0x1", "0xG", "1_000",
                    ".",
                    "e3", "1e", "1e+", ".e3", "-.nan", "inf", "1.2.3", "20/s", "2024-01-01", "10MB/s", "+", "1 2",
                ]
            ),
        ])
    func coreSchema(kind: Scalar.Kind, texts: [String]) throws {
        for text in texts {
            let scalar = try documents("a: \(text)").first?["a"]?.scalar
            #expect(scalar?.kind == kind, "\(text)")
            #expect(scalar?.text == text)
        }
    }

    @Test(
        "quotes and tags decide over the look of a value",
        arguments: [
            ("'12'", Scalar.Kind.string), ("\"true\"", .string), ("''", .string), ("! 12", .string),
            ("!!str 12", .string),
            ("!!int '12'", .int), ("!!float 12", .float), ("!!bool \"true\"", .bool), ("!!null ''", .null),
        ])
    func explicitKinds(text: String, kind: Scalar.Kind) throws {
        #expect(try documents("a: \(text)").first?["a"]?.scalar?.kind == kind)
    }
}
