import TestSupport
import Testing

@Suite("End to end: the environment", .wholeProgramLimit)
struct EnvironmentTests {
    @Test(
        "the catalog is where the flag, $RUNNER_DATABASE, $STATE_DIRECTORY, $XDG_STATE_HOME or $HOME say, in this order"
    )
    func places() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        var environment = [
            "RUNNER_DATABASE": workplace.directory.path("variable/catalog.sqlite"),
            "STATE_DIRECTORY": workplace.directory.path("systemd"),
            "XDG_STATE_HOME": workplace.directory.path("state"),
        ]
        let places = [
            ("flag/catalog.sqlite", ["--database", "flag/catalog.sqlite"], ""),
            ("variable/catalog.sqlite", [], "RUNNER_DATABASE"), ("systemd/runner.sqlite", [], "STATE_DIRECTORY"),
            ("state/runner/runner.sqlite", [], "XDG_STATE_HOME"),
            ("home/.local/state/runner/runner.sqlite", [], ""),
        ]
        for (path, arguments, variable) in places {
            #expect(workplace.read(path) == nil)
            let own = ["--set", "output.directory=out-\(path)"]
            #expect(try workplace.run(["job.yaml"] + own + arguments, environment: environment).ending == .exit(0))
            #expect(workplace.read(path) != nil)
            let report = try workplace.run(["report", "list"] + arguments, environment: environment)
            #expect(report.lines.first == "list  run 1  complete")
            // Gone for the next place.
            if !variable.isEmpty { environment[variable] = "" }
        }
    }

    @Test("a ${NAME} is sent, and seen nowhere: not in catalog, report, events, errors or what is left in the folder")
    func secrets() throws {
        let workplace = try Workplace()
        let secret = "s3cr3t+key/with=signs"
        let encoded = "s3cr3t%2Bkey%2Fwith%3Dsigns"
        let server = try FaultyServer { request in
            switch request.path {
            case "/missing": .status(404)
            case "/echo": .redirect(to: "/elsewhere?again=\(secret)")
            default: .ok("body")
            }
        }
        let environment = ["TOKEN": secret]
        try workplace.writeJob(
            source: [
                "items:", "  - {key: a, url: '\(server.url("/a?key=${TOKEN}"))'}",
                "  - {key: b, url: '\(server.url("/missing?key=${TOKEN}"))'}",
                "  - {key: c, url: '\(server.url("/echo?key=${TOKEN}"))'}",
                "  - {key: d, url: 'nonsense://${TOKEN}'}",
            ], transfer: ["headers: {Authorization: 'Bearer ${TOKEN}'}"])
        var seen: [String] = []
        for arguments in [
            ["job.yaml", "-v", "--progress", "json"], ["job.yaml", "-v"], ["job.yaml", "--failed", "-v"],
        ] {
            let run = try workplace.run(arguments, environment: environment)
            #expect(run.ending == .exit(1))
            seen += [run.output, run.errors]
        }
        #expect(server.requests.contains { $0.path == "/a" && $0.target == "/a?key=\(secret)" })
        #expect(server.requests.allSatisfy { $0["Authorization"] == "Bearer \(secret)" || $0.path == "/elsewhere" })
        let report = ["--items", "--failures", "--slowest", "9", "--run", "all"]
        seen.append(try workplace.run(["report"] + report).output)
        seen.append(try workplace.run(["report", "--format", "json"] + report).output)
        let check = try workplace.run(
            ["check", "job.yaml", "--set", "transfer.rate=${TOKEN}"], environment: environment)
        #expect(check.ending == .exit(78))
        seen += [check.output, check.errors]
        #expect(seen.joined().contains("${TOKEN}"))

        // The files as they are on the disk, names included: a deleted row may still be read there.
        for path in Workplace.files(below: workplace.directory.path) {
            seen.append(path)
            seen.append(String(decoding: workplace.read(path) ?? [], as: UTF8.self))
        }
        for (index, text) in seen.enumerated() {
            #expect(!text.contains("s3cr3t"), "\(index): \(text.prefix(2_000))")
            #expect(!text.contains(encoded))
        }
        let catalog = try workplace.catalog()
        #expect(try catalog.value("SELECT url FROM item WHERE key = 'a'") == server.url("/a?key=${TOKEN}"))
        #expect(try catalog.contradictions() == [])
    }

    @Test("a variable that is not set is an error with its place, and nothing runs")
    func unset() throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"], transfer: ["headers: {X-Key: '${NOT_SET}'}"])
        let result = try workplace.run(["job.yaml"])
        #expect(result.ending == .exit(78))
        #expect(result.errors.contains("job.yaml:8:") && result.errors.contains("NOT_SET"))
        #expect(workplace.directory.names() == ["job.yaml"])
    }

    @Test("the environment's proxy is used, and not with proxy: none")
    func proxy() throws {
        let workplace = try Workplace()
        let proxy = try FaultyServer { _ in .ok("from the proxy") }
        let server = try FaultyServer { _ in .ok("from the server") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let environment = ["http_proxy": proxy.url()]
        #expect(try workplace.run(["job.yaml"], environment: environment).ending == .exit(0))
        #expect(proxy.requests.map(\.target) == [server.url("/a")])
        #expect(workplace.read("out/list/a.bin") == Array("from the proxy".utf8))
        let direct = ["job.yaml", "--refresh", "--set", "transfer.proxy=none"]
        #expect(try workplace.run(direct, environment: environment).ending == .exit(0))
        #expect(server.requests.map(\.target) == ["/a"])
        #expect(workplace.read("out/list/a.bin") == Array("from the server".utf8))
    }
}
