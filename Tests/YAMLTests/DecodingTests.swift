import Testing
import YAML

@Suite("Nodes become values", .timeLimit(.minutes(1)))
struct DecodingTests {
    @Test("a whole job is decoded, and what is left out has its default")
    func wholeJob() throws {
        let text = """
            name: 2024                 # a number is text where text is wanted
            path: "{title}.{extension}"
            exclude: [aq, no]
            expect: image
            refresh: never
            transfer:
              concurrency: 0x10
              ratio: 2
              headers: {X-B: 1, X-A: two}
            pins:
              - {name: home, latitude: -1.5e1}
            """
        var expected = SampleJob()
        expected.name = "2024"
        expected.path = "{title}.{extension}"
        expected.exclude = ["aq", "no"]
        expected.expect = OneOrMany(["image"])
        expected.refresh = .never
        expected.transfer.concurrency = 16
        expected.transfer.ratio = 2
        expected.transfer.headers = OrderedMap([.init(key: "X-B", value: "1"), .init(key: "X-A", value: "two")])
        var pin = SampleJob.Pin()
        pin.name = "home"
        pin.latitude = -15
        expected.pins = [pin]
        #expect(try job(in: text) == expected)
    }

    @Test("nine faults are nine messages, each under its place")
    func nineFaults() {
        let text = """
            name: x
            transfer:
              concurency: 16
              concurrency: many
              ratio: .inf
              bandwidth: 99999999999999999999
              headers: {A: [1]}
            refresh: nver
            durable: yes
            exclude: aq
            pins: [{latitude: 1}]
            """
        #expect(
            faults(in: text) == [
                """
                job.yaml:3:3: error: unknown key 'concurency' in transfer; did you mean 'concurrency'?
                  concurency: 16
                  ^~~~~~~~~~
                """,
                """
                job.yaml:4:16: error: concurrency must be a whole number, not text 'many'
                  concurrency: many
                               ^~~~
                """,
                """
                job.yaml:5:10: error: ratio must be a finite number, not the number .inf
                  ratio: .inf
                         ^~~~
                """,
                """
                job.yaml:6:14: error: bandwidth is too large
                  bandwidth: 99999999999999999999
                             ^~~~~~~~~~~~~~~~~~~~
                """,
                """
                job.yaml:7:16: error: headers.A must be text, not a list
                  headers: {A: [1]}
                               ^~~
                """,
                """
                job.yaml:8:10: error: refresh must be changed, always or never, not text 'nver'; did you mean 'never'?
                refresh: nver
                         ^~~~
                """,
                """
                job.yaml:9:10: error: durable must be true or false, not text 'yes'
                durable: yes
                         ^~~
                """,
                """
                job.yaml:10:10: error: exclude must be a list of text, not text 'aq'
                exclude: aq
                         ^~
                """,
                """
                job.yaml:11:8: error: the key 'name' is missing in pins.0
                pins: [{latitude: 1}]
                       ^~~~~~~~~~~~~
                """,
            ])
    }

    @Test(
        "a wrong value is named by what it is",
        arguments: [
            ("name: x\ntransfer: 5", "2:11: error: transfer must be a mapping, not the number 5"),
            ("name: x\ntransfer: [a]", "2:11: error: transfer must be a mapping, not a list"),
            ("name:", "1:6: error: name must be text, not nothing"),
            ("name: {a: b}", "1:7: error: name must be text, not a mapping"),
            ("name: x\nexclude: [a, [b]]", "2:14: error: exclude.1 must be text, not a list"),
            ("name: x\npins: [{name: a, latitude: true}]", "2:28: error: latitude must be a number, not true"),
            (
                "name: x\ntransfer: {concurrency: 1.5}",
                "2:25: error: concurrency must be a whole number, not the number 1.5"
            ),
            ("name: x\ntransfer: {concurrency: 0}", "2:25: error: concurrency must be 1 to 1024"),
            ("name: x\ntransfer: {bandwidth: }", "2:23: error: bandwidth must be a whole number, not nothing"),
            ("[a]", "1:1: error: the document must be a mapping, not a list"),
            ("name: x\nconcurrency: 4", "2:1: error: unknown key 'concurrency'; it belongs in transfer"),
            ("name: x\n\"a\\tb\\e[1m\": 4", #"2:1: error: unknown key 'a\tb\u{1B}[1m'"#),
            ("path: x", "1:1: error: the key 'name' is missing; for example name: flags"),
            ("nmae: x", "1:1: error: unknown key 'nmae'; did you mean 'name'?"),
        ])
    func wrongValues(text: String, printed: String) {
        #expect(faults(in: text).map { $0.prefix { $0 != "\n" } } == ["job.yaml:\(printed)"])
    }

    @Test("an empty section is a section of defaults")
    func emptySection() throws {
        #expect(try job(in: "name: x\ntransfer:\n  # concurrency: 4\n").transfer == SampleJob.Transfer())
    }

    @Test("a value that may be nothing is made so by null")
    func explicitNull() throws {
        #expect(try job(in: "name: x\npath: null").path == nil)
        #expect(try job(in: "name: x\npath: 'null'").path == "null")
    }

    @Test("one value may stand for a list only where the type says so")
    func oneOrMany() throws {
        #expect(try job(in: "name: x\nexpect: a").expect.values == ["a"])
        #expect(try job(in: "name: x\nexpect: [a, b]").expect.values == ["a", "b"])
    }

    @Test("an aliased value at fault is told once")
    func aliasedFault() {
        #expect(faults(in: "name: x\npins: [&p {name: a, latitude: north}, *p]").count == 1)
    }

    @Test("keys that belong to somebody else are passed over, and are near misses too")
    func passedKeys() throws {
        var diagnostics: [Diagnostic] = []
        let source = YAMLSource(name: "job.yaml", bytes: Array("type: x\nnaem: a\ntpye: b".utf8))
        let root = try #require(YAMLParser.documents(in: source, diagnostics: &diagnostics).first)
        var pin = SampleJob.Pin()
        var context = DecodingContext(place: "source.pin")
        SampleJob.Pin.fields.decode(root, into: &pin, passing: ["type"], &context)
        #expect(
            context.diagnostics.map { "\($0.message); \($0.hint ?? "")" } == [
                "unknown key 'naem' in source.pin; did you mean 'name'?",
                "unknown key 'tpye' in source.pin; did you mean 'type'?",
            ])
        #expect(context.hasErrors)
    }

    @Test("a value is kept for later, and a part of it can be marked")
    func keptValue() throws {
        struct Kept: YAMLRecord {
            var source: Node?
            static let fields = FieldTable<Kept>([.required("source", \.source, help: "what to list")])
        }
        var diagnostics: [Diagnostic] = []
        let text = "source: '{a}/{b}'\n---\nsource: *gone"
        let source = YAMLSource(name: "job.yaml", bytes: Array(text.utf8))
        let roots = YAMLParser.documents(in: source, diagnostics: &diagnostics)
        #expect(roots.count == 2 && diagnostics.count == 1)
        var context = DecodingContext()
        let node = try #require(Kept.decode(roots[0], &context)?.source)
        #expect(node.mark(of: "{b}") == Mark(line: 1, column: 14, length: 3))
        #expect(node.mark(of: "{c}") == node.mark)
        #expect(Kept.decode(roots[1], &context)?.source == nil)
        #expect(context.diagnostics.isEmpty)
    }

    @Test("a warning keeps no job from running")
    func warning() throws {
        var diagnostics: [Diagnostic] = []
        let source = YAMLSource(name: "job.yaml", bytes: Array("name: x".utf8))
        let root = try #require(YAMLParser.documents(in: source, diagnostics: &diagnostics).first)
        var context = DecodingContext()
        context.warning("looks odd", at: try #require(root["name"]))
        #expect(context.diagnostics.map(\.description) == ["job.yaml:1:7: warning: looks odd\nname: x\n      ^"])
        #expect(!context.hasErrors)
    }

    @Test("the table that decodes documents, too")
    func documentation() throws {
        let rows = SampleJob.fields.documentation
        #expect(
            rows.map { "\($0.name): \($0.type)\($0.isRequired ? ", required" : "") [\($0.default ?? "-")]" } == [
                "name: text, required [-]",
                "path: text [-]",
                "exclude: list of text [[]]",
                "expect: text, or a list [-]",
                "refresh: changed, always or never [changed]",
                "durable: true or false [true]",
                "transfer: mapping [-]",
                "pins: list of mappings [-]",
            ])
        #expect(rows[4].choices == ["changed", "always", "never"])
        #expect(rows[6].fields.map(\.name) == ["concurrency", "bandwidth", "ratio", "headers"])
        #expect(rows[6].fields[3].type == "mapping to text")
        #expect(rows[7].fields.map(\.help) == ["what the pin is called", "degrees north"])
    }
}
