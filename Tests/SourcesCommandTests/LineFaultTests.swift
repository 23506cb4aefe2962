import Model
import Run
import TestSupport
import Testing

/// What a line that can't be taken costs the list: itself.
@Suite("Lines of scripts that can't be taken", .timeLimit(.minutes(1)))
struct LineFaultTests {
    /// A collection `a` with an item, and further lines.
    private static func list(_ rest: String) -> String {
        #"""
        echo '{"type":"spec","protocol":1,"name":"lines"}'
        echo '{"type":"collection","key":"a"}'
        echo '{"type":"item","collection":"a","key":"a/1","url":"SERVER/1"}'
        \#(rest)
        """#
    }

    @Test(
        "an item whose key can't be taken takes the place of no other",
        arguments: [
            (#""\#(String(repeating: "k", count: 600))""#, String(repeating: "k", count: 512)), ("7", "7"),
            ("null", "#"),
        ])
    func keys(wrong: String, right: String) async throws {
        let items = [wrong, "\"\(right)\""].map {
            "echo '{\"type\":\"item\",\"collection\":\"a\",\"key\":\($0),\"url\":\"SERVER/x\"}'"
        }
        let run = try CommandRun(
            Self.list((items + [#"echo '{"type":"done","items":3}'"#]).joined(separator: "\n")),
            path: "{position}")
        let report = try await run.run()
        #expect(report.warnings == [])
        #expect(try run.items("state") == ["a/1": "stored", "#@2": "failed", right: "stored"])
    }

    @Test("a remark that can't be read costs the list nothing, and a warning quotes it")
    func remarks() async throws {
        let end = #"""
            echo '{"type":"warning"}'
            echo '{"type":"warning","message":7}'
            echo '{"type":"memory"}'
            echo '{"type":"item","collection":"a","key":"last","url":"SERVER/last"}'
            echo '{"type":"done","items":2}'
            """#
        let run = try CommandRun(Self.list(end))
        let report = try await run.run()
        #expect(report.finished.outcome == .complete)
        #expect(
            report.warnings == [
                #"a line of the script has no 'message': {"type":"warning"}; it is ignored"#,
                #"a line of the script has another type in 'message'; it must be a text: {"type":"warning","message":7}; it is ignored"#,
                #"a line of the script has no 'value': {"type":"memory"}; it is ignored"#,
            ])
        #expect(try run.items("state") == ["a/1": "stored", "last": "stored"])
    }
}
