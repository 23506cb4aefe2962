import Model
import Run
import TestSupport
import Testing

@Suite("Requests of scripts", .timeLimit(.minutes(1)))
struct FetchServiceTests {
    /// A script that sends these lines after the requests, keeps so many answers in `answers.txt`, and ends its list.
    private static func script(_ requests: [String], answers: Int) -> String {
        let lines = requests.map { "echo '\($0)'" }.joined(separator: "\n")
        return """
            read -r spec; read -r list
            \(lines)
            head -n \(answers) > answers.txt
            echo '{"type":"done","items":0}'
            """
    }

    private func answers(_ run: CommandRun) -> [String] {
        String(decoding: run.directory.read("answers.txt") ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("a script's requests are done for it, whatever their status, and counted as the run's")
    func answered() async throws {
        let run = try CommandRun(
            Self.script(
                [
                    #"{"type":"request","id":1,"url":"SERVER/one"}"#,
                    #"{"type":"request","id":2,"url":"SERVER/missing"}"#,
                    #"{"type":"request","id":3,"url":"ftp://example.org/"}"#,
                ], answers: 3))
        let finished = try await run.run().finished
        #expect(finished.outcome == .complete)
        #expect(finished.figures.listRequests == 2)
        let answers = answers(run).sorted { $0.contains(#""id":1"#) && !$1.contains(#""id":1"#) }
        #expect(answers.count == 3)
        #expect(
            answers.contains {
                $0.contains(#""body":"/one""#) && $0.contains(#""id":1"#) && $0.contains(#""status":200"#)
            })
        #expect(answers.contains { $0.contains(#""id":2"#) && $0.contains(#""status":404"#) })
        #expect(answers.contains { $0.contains(#""error":"invalid""#) && $0.contains(#""id":3"#) })
    }

    @Test("bytes that are no text come as base64")
    func binary() async throws {
        let run = try CommandRun(Self.script([#"{"type":"request","id":1,"url":"SERVER/%FF"}"#], answers: 1))
        _ = try await run.run()
        // The server answers with the path, whose bytes are ASCII.
        #expect(answers(run).first?.contains(#""body":"/%FF""#) == true)
    }

    @Test("at most sixteen requests are open at a time")
    func limit() async throws {
        let requests = (1...17).map { #"{"type":"request","id":\#($0),"url":"SERVER/\#($0)"}"# }
        let all = try CommandRun(
            "read -r spec; read -r list\nprintf '%s\\n' \(requests.map { "'\($0)'" }.joined(separator: " "))\n"
                + "head -n 17 > answers.txt\necho '{\"type\":\"done\"}'")
        _ = try await all.run()
        #expect(answers(all).count == 17)
        #expect(answers(all).count { $0.contains(#""error":"busy""#) } <= 1)
    }

    @Test("requests over the budget wait, in the next run too, and a run that ends does not wait for them")
    func budget() async throws {
        let run = try CommandRun(
            Self.script(
                [
                    #"{"type":"request","id":1,"url":"SERVER/one"}"#, #"{"type":"request","id":2,"url":"SERVER/two"}"#,
                    #"{"type":"request","id":3,"url":"SERVER/three"}"#,
                ], answers: 3),
            source: ["budget: 2/d"])
        for _ in 1...2 {
            let report = try await run.run { ($0.deadline, $0.gracePeriod) = (1_500_000, 1_000) }
            #expect(report.finished.outcome == .partial)
            #expect(report.warnings.contains { $0.hasPrefix("the budget of 2 requests in 24 h is spent") })
            #expect(run.server.requests.count == 2)
        }
    }

    @Test(
        "a budget is a whole number in a time",
        arguments: ["0/h", "-1/h", "1.5/h", "10", "10/w", "9223372036854775808/h"])
    func wrongBudget(_ text: String) {
        #expect(throws: TestSupportError.self) { try CommandRun("exit 0", source: ["budget: \(text)"]) }
    }

    @Test(
        "a secret goes only to hosts of the job file: other requests with one are refused, and name the rule",
        arguments: [
            #""url":"FOREIGN/list?key=t%6Fken-of-mine""#,
            #""url":"FOREIGN/list","headers":{"X-Api-Key":"token-of-mine"}"#,
            #""url":"FOREIGN/list","headers":{"Authorization":"Bearer else"}"#,
        ])
    func secret(request: String) async throws {
        let foreign = try FaultyServer { _ in .ok([]) }
        let line = "{\"type\":\"request\",\"id\":1,\(request)}"
        let run = try CommandRun(
            Self.script(
                [
                    line.replacing("FOREIGN", with: foreign.url("")),
                    line.replacing("FOREIGN", with: "SERVER").replacing(#""id":1"#, with: #""id":2"#),
                    #"{"type":"request","id":3,"url":"\#(foreign.url("/plain"))"}"#,
                ], answers: 3),
            source: ["options: {api: SERVER, token: \"${TOKEN}\"}"], top: ["secrets: [TOKEN]"],
            environment: ["TOKEN": "token-of-mine"])
        #expect(try await run.run().finished.outcome == .complete)
        let answers = answers(run)
        let refused = try #require(answers.first { $0.contains(#""id":1"#) })
        #expect(refused.contains(#""error":"untrusted-host""#))
        #expect(refused.contains("sent only to hosts that the job file or --set names"))
        #expect(!refused.contains("token-of-mine"))
        #expect(answers.filter { $0.contains(#""status":200"#) }.count == 2)
        #expect(foreign.requests.map(\.target) == ["/plain"])
    }

    @Test(
        "an item whose URL or header would take a secret to another host is not fetched, and says why",
        arguments: [#""url":"FOREIGN/a?key=token-of-mine""#, #""url":"FOREIGN/a","headers":{"X-Key":"token-of-mine"}"#])
    func secretOfItem(item: String) async throws {
        let foreign = try FaultyServer { _ in .ok([]) }
        func line(_ key: String, _ host: String) -> String {
            "echo '{\"type\":\"item\",\"collection\":\"c\",\"key\":\"\(key)\","
                + "\(item.replacing("FOREIGN", with: host))}'"
        }
        let run = try CommandRun(
            """
            echo '{"type":"collection","key":"c","title":"C"}'
            \(line("foreign", foreign.url("")))
            \(line("own", "SERVER"))
            echo '{"type":"done"}'
            """,
            source: ["options: {api: SERVER, token: \"${TOKEN}\"}"], top: ["secrets: [TOKEN]"],
            environment: ["TOKEN": "token-of-mine"])
        let finished = try await run.run().finished
        #expect((finished.figures.downloaded, finished.figures.failed) == (1, 1))
        #expect(foreign.requests.isEmpty)
        let details = try run.failures()
        #expect(
            details.first?.hasPrefix("invalid: a secret of the job is sent only to hosts that the job file") == true)
        #expect(details.first?.contains("token-of-mine") == false)
    }
}
