import Model
import SourceKit
import SourcesCommand
import TestSupport
import Testing
import YAML

/// What `runner source test` finds. Each script is a sound one with a slip.
@Suite("The rules for scripts", .timeLimit(.minutes(2)))
struct SuiteTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let spec = #"{"type":"spec","protocol":1,"name":"numbers"}"#
    private static let list = """
        {"type":"collection","key":"a","title":"A"}
        {"type":"item","collection":"a","key":"a/1","url":"https://example.org/1"}
        {"type":"item","collection":"a","key":"a/2","url":"https://example.org/2"}
        {"type":"memory","value":7}
        {"type":"done","collections":1,"items":2}
        """

    /// A script that answers as it should, by lines of text.
    private static func script(spec: String = spec, list: String = list, other: String = "") -> String {
        """
        #!/bin/sh
        n=0
        while read -r line; do
            case $line in
            *'"spec"'*) cat <<'END'
        \(spec)
        END
            ;;
            *'"list"'*) cat <<'END'
        \(list)
        END
            exit;;
            \(other)
            *) echo '{"type":"error","kind":"unsupported","message":"no"}';;
            esac
        done
        """
    }

    /// The lines that the suite gives for a script.
    private func lines(_ script: String, options: String = "{}", idle: String = "5m") async throws -> [String] {
        try directory.write(script, to: "list.sh")
        try Subprocess.run(["chmod", "+x", directory.path("list.sh")])
        let source = YAMLSource(
            name: "job.yaml",
            bytes: Array("type: command\ncommand: [./list.sh]\nidle_timeout: \(idle)\noptions: \(options)\n".utf8))
        var diagnostics: [Diagnostic] = []
        let document = try #require(YAMLParser.documents(in: source, diagnostics: &diagnostics).first)
        var context = DecodingContext(diagnostics: diagnostics)
        let plan = SourceModule(ScriptSuite.self).decode(document, nil, &context)
        #expect(context.diagnostics.isEmpty)
        var pages = try plan.pages(
            in: SourceContext(folder: directory.path, now: { 0 }) { url, _, _ in
                throw TestSupportError("the script asks for \(url)")
            })
        var lines: [String] = []
        while let page = try await pages.next() { lines += page.warnings }
        return lines
    }

    @Test("a sound script keeps every rule, memory and declared options included")
    func sound() async throws {
        let lines = try await lines(
            Self.script(
                spec: #"{"type":"spec","protocol":1,"name":"n","abilities":["check"],"#
                    + #""options":[{"key":"album","type":"string","required":true,"help":"which"}]}"#,
                other: """
                    *album*'"check"'*) echo '{"type":"done"}';;
                    *'"check"'*) echo '{"type":"problem","at":"album","message":"is missing"}'; echo '{"type":"done"}';;
                    """), options: "{album: x}")
        #expect(lines.filter { $0.hasPrefix("FAIL") } == [])
        #expect(lines.filter { $0.hasPrefix("ok") }.count == 17)
        #expect(lines.contains("ok    a problem names its option"))
        #expect(lines.contains("ok    it lists with the memory that it wrote"))
    }

    @Test(
        "a slip is a line that names its rule and its place",
        arguments: [
            (
                #"{"type":"done","collections":1,"items":2}"#, #"{"type":"done","items":3}"#, "counts in done",
                "3 items, of which 2"
            ),
            (#"{"type":"done","collections":1,"items":2}"#, "", "ends with done", "without done"),
            (#"{"type":"memory","value":7}"#, "hello", "only JSON messages", "is not a JSON object: hello"),
            (#""key":"a/2""#, #""key":"a/1""#, "keys are unique", "'a/1' comes twice"),
            (#""key":"a/2""#, "\"key\":\"\(String(repeating: "k", count: 513))\"", "keys are unique", "over 512 bytes"),
            (
                #""key":"a/2""#, "\"key\":\"a/2\",\"title\":\"\(String(repeating: "t", count: 4_097))\"",
                "titles have at most", "'a/2' has more"
            ),
            ("https://example.org/2", "ftp://example.org/2", "can be requested", "'a/2'"),
            (#""key":"a/2""#, #""key":"a/2","size":-1"#, "can be requested", "size"),
            (#""key":"a/2""#, #""key":"a/2","fields":{"artist":"x"}"#, "template fields", #"'a/2' has ["artist"]"#),
            (#""collection":"a","key":"a/2""#, #""collection":"b","key":"a/2""#, "before its items", "'a/2' is in 'b'"),
        ])
    func slip(text: String, slip: String, rule: String, place: String) async throws {
        let failed = try await lines(Self.script(list: Self.list.replacing(text, with: slip)))
            .filter { $0.hasPrefix("FAIL") }
        #expect(failed.count == 1)
        #expect(failed.first?.contains(rule) == true && failed.first?.contains(place) == true, "\(failed)")
    }

    @Test("keys that change from list to list are seen")
    func unstable() async throws {
        let script = Self.script().replacing("cat <<'END'\n\(Self.list)", with: "cat <<END\n\(Self.list)")
            .replacing("a/2", with: "a/$$")
        let failed = try await lines(script).filter { $0.hasPrefix("FAIL") }
        #expect(failed.count == 1)
        #expect(failed.first?.contains("same keys in the same order: number 2 was") == true, "\(failed)")
    }

    @Test("a script that says nothing of itself, or is not there, is asked no more")
    func mute() async throws {
        #expect(
            try await lines("#!/bin/sh\nexit 0") == [
                "FAIL  it says what it is within 10 s, in protocol 1: it ended without an answer"
            ])
        #expect(
            try await lines(Self.script(spec: Self.spec.replacing("1", with: "9"))).first?.contains("protocol 9")
                == true)
    }

    @Test("a script that does not end with its input is seen")
    func endless() async throws {
        let failed = try await lines(
            "#!/bin/sh\necho '\(Self.spec)'\ntrap '' TERM\nwhile :; do sleep 1; done\n", idle: "1s"
        ).filter { $0.hasPrefix("FAIL") }
        #expect(failed.contains { $0.contains("ends when its standard input ends, within 10 s: it had to be killed") })
    }
}
