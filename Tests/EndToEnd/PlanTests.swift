import TestSupport
import Testing

@Suite("End to end: plan", .wholeProgramLimit)
struct PlanTests {
    @Test("a plan tells what a run would do with each item, asks for no item and writes nothing")
    func actions() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            switch request.path {
            case "/fresh.png": .ok("body", headers: [("Cache-Control", "max-age=3600")])
            case "/gone.png": .status(410)
            default: .ok("body")
            }
        }
        let source = [
            "index: '\(server.url("/index"))'", "items:",
            "  - {key: a, url: '\(server.url("/asked.png"))', title: Asked}",
            "  - {key: b, url: '\(server.url("/fresh.png"))', title: Fresh}",
            "  - {key: c, url: '\(server.url("/gone.png"))', title: Gone}",
        ]
        try workplace.writeJob(source: source)
        let first = try workplace.run(["plan", "job.yaml"])
        #expect(first.ending == .exit(0))
        #expect(first.lines.map { $0.split(separator: "\t")[3] } == ["fetch", "fetch", "fetch"])
        #expect(first.errors == "list: 3 items: 3 fetch\n")
        #expect(server.requests.map(\.path) == ["/index"])
        #expect(workplace.directory.names() == ["job.yaml"])

        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        let asked = server.requests.count
        let before = try workplace.catalog().outcomes()
        try workplace.writeJob(
            source: source + [
                "  - {key: d, url: '\(server.url("/new.png"))', title: New}",
                "  - {key: e, url: '\(server.url("/new.png"))', title: Same}",
                "  - {key: f, invalid: no URL, title: Wrong}",
            ])
        let second = try workplace.run(["plan", "job.yaml"])
        #expect(second.ending == .exit(0))
        let rows = second.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        #expect(rows.map { $0[0] } == ["a", "b", "c", "d", "e", "f"])
        #expect(rows.map { $0[1] } == ["Asked", "Fresh", "Gone", "New", "Same", "Wrong"])
        #expect(rows.map { $0[3] } == ["ask", "fresh", "not-asked", "fetch", "duplicate", "invalid"])
        #expect(rows[0][2] == "list/Asked.png" && rows[3][2].hasPrefix("list/New."))
        #expect(rows[3][4] == server.url("/new.png"))
        #expect(server.requests.dropFirst(asked).map(\.path) == ["/index"])
        #expect(try workplace.catalog().outcomes() == before)
        #expect(workplace.files() == ["list/Asked.png", "list/Fresh.png"])
    }

    @Test("a plan takes --only and --limit as a run does")
    func selected() throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["template: 'http://127.0.0.1:9/{n}'", "count: 30"])
        let plan = try workplace.run(["plan", "job.yaml", "--only", "1*", "--limit", "3"])
        #expect(plan.lines.map { $0.prefix { $0 != "\t" } } == ["1", "10", "11"])
        let nothing = try workplace.run(["plan", "job.yaml", "--only", "x"])
        #expect(nothing.ending == .exit(0) && nothing.output.isEmpty && nothing.errors == "list: nothing selected\n")
    }

    @Test("2 when the list can't be had, 78 for a wrong job file, and a reader may leave early")
    func endings() throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["template: 'http://127.0.0.1:9/{n}'", "count: 3", "fails_after: 2"])
        let broken = try workplace.run(["plan", "job.yaml"])
        #expect(broken.ending == .exit(2))
        #expect(broken.lines.count == 2 && broken.errors.contains("the list broke off"))
        #expect(try workplace.run(["plan", "job.yaml", "--set", "refresh=often"]).ending == .exit(78))
        let shell = try RunningProgram(
            [
                "/bin/bash", "-c",
                """
                set -o pipefail
                \(Workplace.Program.testRunner.path) plan job.yaml --set source.count=50000 --set source.fails_after=60000 | head -n 1
                """,
            ], environment: workplace.environment, directory: workplace.directory.path
        ).wait()
        #expect(shell.ending == .exit(0))
        #expect(shell.lines.count == 1)
    }

    @Test("twenty thousand items of one name are named in the time of others")
    func equalNames() throws {
        let workplace = try Workplace()
        // Asking for each number anew would be two hundred million questions.
        let urls = (0..<20_000).map { "http://127.0.0.1:9/\($0)/photo.jpg" }
        try workplace.directory.write(urls.joined(separator: "\n"), to: "urls.txt")
        try workplace.directory.write(
            "{name: list, source: {type: manifest, url: urls.txt}, output: {directory: out}}", to: "job.yaml")
        let plan = try workplace.run(["plan", "job.yaml"], with: .runner)
        #expect(plan.ending == .exit(0))
        #expect(plan.lines.last?.split(separator: "\t")[2] == "urls/photo (20000).{extension}")
    }

    @Test("a plan shows ${NAME}, not what it stands for")
    func secrets() throws {
        let workplace = try Workplace()
        try workplace.writeJob(
            source: ["items: [{key: a, url: 'http://127.0.0.1:9/?key=${TOKEN}'}]"],
            rest: ["secrets: [TOKEN]"]
        )
        let plan = try workplace.run(["plan", "job.yaml"], environment: ["TOKEN": "s3cr3t-value"])
        #expect(plan.output.contains("${TOKEN}"))
        #expect(!(plan.output + plan.errors).contains("s3cr3t"))
    }
}
