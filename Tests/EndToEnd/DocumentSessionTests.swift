import FoundationEssentials
import TestSupport
import Testing

/// The sessions that README.md and the pages of docs show print what they show, but for figures.
@Suite("End to end: sessions of documents", .wholeProgramLimit)
struct DocumentSessionTests {
    @Test("each block with a command and its output has a name, by which a test runs it")
    func named() throws {
        let documents = try ShownDocument.all()
        #expect(documents.flatMap(\.unnamedSessions) == [])
        #expect(Set(documents.flatMap(\.sessions)) == ["urls", "typo", "crontab", "shards"])
    }

    @Test("a mistyped key is reported as it is shown", arguments: ["README.md", "docs/job-file.md"])
    func mistypedKey(_ path: String) throws {
        let workplace = try Workplace()
        try workplace.directory.write(
            """
            name: flags
            source:
              type: flags
            output:
              directory: ../downloads/flags
            transfer:
              concurency: 16

            """, to: "jobs/flags.yaml")
        var document = try ShownDocument(path)
        let printed = try print(document, session: "typo", in: workplace)
        #expect(try document.differences(ofSession: "typo", printed: printed) == [])
    }

    @Test("the lines of a crontab are as they are shown")
    func crontab() throws {
        let workplace = try Workplace()
        let place = workplace.directory.path
        try workplace.directory.write(
            "name: flags\nsource: {type: flags}\noutput: {directory: /srv/downloads/flags}\n", to: "flags.yaml")
        var document = try ShownDocument("docs/unattended.md")
        let printed = try print(document, session: "crontab", in: workplace, environment: ["RUNNER_DATABASE": ""]) {
            $0.replacing("/etc/runner", with: place)
        } restoring: { text in
            let adapted = text.replacing(place, with: "/etc/runner")
            // Where the machine has no user runner, a line says so.
            return adapted.split(separator: "\n").filter { !$0.hasPrefix("there is no user runner") }.map { line in
                line.replacing(#/ \/[^ ]*\/runner run /#, with: " /usr/bin/runner run ") + "\n"
            }.joined()
        }
        #expect(try document.differences(ofSession: "crontab", printed: printed) == [])
    }

    @Test("the report of shards has the tables that are shown")
    func shards() throws {
        let workplace = try Workplace()
        let servers = try (0..<3).map { _ in try FaultyServer { .ok("the body of \($0.path)") } }
        let items = servers.enumerated().flatMap { host, server in
            (0..<120).map { "  - {key: h\(host)/\($0), url: '\(server.url("/\($0)"))'}" }
        }
        try workplace.writeJob("photos", source: ["items:"] + items)
        #expect(try workplace.run(["shards", "job.yaml", "--count", "3", "--to", "shards"]).ending == .exit(0))
        for number in 0..<3 {
            let result = try workplace.run(
                ["shard", "run", "shards/000\(number).shard"],
                environment: ["RUNNER_DATABASE": "", "RUNNER_NODE": "node\(number % 2)"])
            #expect(result.ending == .exit(0), "\(result.errors)")
        }
        #expect(try workplace.run(["merge", "shards"]).ending == .exit(0))
        var document = try ShownDocument("docs/many-machines.md")
        let printed = try print(document, session: "shards", in: workplace)
        #expect(try document.differences(ofSession: "shards", printed: printed) == [])
    }

    /// What a reader sees who types the commands of a session.
    private func print(
        _ document: ShownDocument, session: String, in workplace: Workplace, environment: [String: String] = [:],
        adapting: (String) -> String = { $0 }, restoring: (String) -> String = { $0 }
    ) throws -> String {
        var printed = ""
        for words in document.commands(ofSession: session) {
            let result = try workplace.run(words.map(adapting), with: .runner, environment: environment)
            printed += "$ runner \(words.joined(separator: " "))\n" + restoring(result.errors + result.output)
        }
        return printed
    }
}
