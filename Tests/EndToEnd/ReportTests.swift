import Glibc
import SQLite
import TestSupport
import Testing

@Suite("End to end: report", .wholeProgramLimit)
struct ReportTests {
    /// A run of three items, of which one is missing on the server, in two collections.
    private func run() throws -> Workplace {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            request.path == "/c" ? .status(404) : .ok("body of \(request.path)")
        }
        try workplace.writeJob(
            source: [
                "items:", "  - {key: a, url: '\(server.url("/a"))', title: First, collection: one}",
                "  - {key: b, url: '\(server.url("/b"))', title: Second, collection: two}",
                "  - {key: c, url: '\(server.url("/c"))', title: Third, collection: two}",
            ])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        return workplace
    }

    @Test("the text tells the run, every item, every collection and what failed")
    func text() throws {
        let workplace = try run()
        let report = try workplace.run(["report", "list", "--items", "--collections", "--failures", "--slowest", "2"])
        #expect(report.ending == .exit(0))
        #expect(report.errors.isEmpty)
        #expect(report.lines.first == "list  run 1  partial")
        for word in ["2 downloaded", "1 failed", "First", "Second", "Third", "one", "two", "http", "404", "p50"] {
            #expect(report.output.contains(word), "\(word)")
        }
        #expect(report.output.contains("\u{1B}") == false)
    }

    @Test("the JSON is one document whose members have the catalog's column names, sections only when asked for")
    func json() throws {
        let workplace = try run()
        let catalog = try workplace.catalog()
        let bare = try JSONValue(try workplace.run(["report", "--format", "json"]).output)
        let run = try #require(bare["runs"]?.elements.first)
        let columns: [String] = try catalog.values("SELECT name FROM pragma_table_info('run')")
        #expect(run.keys.isSuperset(of: columns))
        #expect(run.keys.isDisjoint(with: ["items", "collections", "failures", "slowest"]))
        #expect(run["downloaded"]?.number == 2 && run["failed"]?.number == 1)
        #expect(run["outcome"]?.text == "partial")

        let full = try JSONValue(
            try workplace.run(["report", "--format", "json", "--items", "--collections", "--failures"]).output)
        let sections = try #require(full["runs"]?.elements.first)
        let items = try #require(sections["items"]?.elements)
        #expect(items.map { $0["key"]?.text } == ["a", "b", "c"])
        #expect(items.map { $0["outcome"]?.text } == ["downloaded", "downloaded", "failed"])
        #expect(items[0]["size"]?.number == 10 && items[0]["wire_bytes"]?.number == 10)
        #expect(items[2]["failure"]?.text == "http" && items[2]["status"]?.number == 404)
        let itemColumns: [String] = try catalog.values(
            "SELECT name FROM pragma_table_info('item') UNION SELECT name FROM pragma_table_info('transfer')")
        let contract: Set<String> = [
            "id", "key", "position", "url", "title", "section", "path", "media_type", "size", "sha256", "stored_url",
            "etag",
            "last_modified", "expires_at", "stored_at", "state", "outcome", "attempts", "status", "failure", "detail",
            "started_at", "queue_us", "dns_us", "connect_us", "tls_us", "wait_us", "receive_us", "total_us", "store_us",
            "elapsed_us", "wire_bytes", "body_bytes", "http_version", "connection_reused", "address",
        ]
        #expect(contract.isSubset(of: itemColumns))
        #expect(items.allSatisfy { $0.keys.isSuperset(of: contract) })
        #expect(sections["collections"]?.elements.map { $0["key"]?.text } == ["one", "two"])
        #expect(sections["failures"]?.elements.map { $0["key"]?.text } == ["c"])
    }

    @Test("a job may be named by its file; one that never ran is a usage error, with what there is")
    func jobs() throws {
        let workplace = try run()
        #expect(try workplace.run(["report", "job.yaml"]).lines.first == "list  run 1  partial")
        let unknown = try workplace.run(["report", "lits"])
        #expect(unknown.ending == .exit(64))
        #expect(unknown.output.isEmpty && unknown.errors.contains("did you mean 'list'?"))
    }

    @Test("--run: one, the last, all")
    func runs() throws {
        let workplace = try run()
        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        func identifiers(_ arguments: String...) throws -> [Int?] {
            let report = try workplace.run(["report", "--format", "json"] + arguments)
            return try JSONValue(report.output)["runs"]?.elements.map { $0["id"]?.number } ?? []
        }
        #expect(try identifiers() == [2])
        #expect(try identifiers("--run", "last") == [2])
        #expect(try identifiers("--run", "1") == [1])
        #expect(Set(try identifiers("--run", "all")) == [1, 2])
        #expect(Set(try identifiers("--since", "1h")) == [1, 2])
    }

    @Test("a run that was killed is interrupted for whoever reads, and running while it ran; nothing is written")
    func killed() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let program = try workplace.start(["job.yaml"])
        try server.waitForRequests(1)
        #expect(try workplace.run(["report", "list"]).lines.first == "list  run 1  running")
        program.send(SIGKILL)
        _ = try program.wait()

        let report = try workplace.run(["report", "list"]).output
        #expect(report.hasPrefix("list  run 1  interrupted\n"))
        #expect(!report.contains("running for"))
        let json = try JSONValue(try workplace.run(["report", "--format", "json"]).output)
        #expect(json["runs"]?.elements.first?["outcome"]?.text == "interrupted")
        let offered = try workplace.run(["completions", "bash", "--", "report", "--run", ""]).output
        #expect(offered.contains(", interrupted\n") && !offered.contains(", running"))
        #expect(try workplace.catalog().value("SELECT outcome FROM run") == "running")
    }

    @Test("the command that tries again runs as it is printed, from anywhere")
    func again() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in request.path == "/set" ? .status(503) : .ok("body") }
        try workplace.directory.makeFolder("the jobs")
        try workplace.writeJob(
            to: "the jobs/it's.yaml", source: ["items: [{key: a, url: '\(server.url("/file"))'}]"],
            transfer: ["retries: 3"])
        let arguments = [
            "the jobs/it's.yaml", "--database", "my catalog.sqlite", "--set", "transfer.retries=0", "--set",
            "source.items=[{key: b, url: '\(server.url("/set"))'}]",
        ]
        #expect(try workplace.run(arguments).ending == .exit(1))
        #expect(server.requests.map(\.path) == ["/set"])
        let report = try workplace.run(["report", "list", "--database", "my catalog.sqlite"]).lines
        let line = try #require(report.first { $0.hasPrefix("  again      runner ") })
        let command = "cd / && \(Workplace.Program.testRunner.path) " + line.dropFirst("  again      runner ".count)
        let shell = try RunningProgram(
            ["/bin/bash", "-c", command], environment: workplace.environment, directory: workplace.directory.path)
        #expect(try shell.wait().ending == .exit(1))
        #expect(server.requests.map(\.path) == ["/set", "/set"])
        let catalog = try CatalogCopy(of: workplace.directory.path("my catalog.sqlite"))
        #expect(try catalog.number("SELECT count(DISTINCT overrides) + count(*) FROM run") == 3)
    }

    @Test("without a job: a line each, what failed first, and how to go on")
    func jobLines() throws {
        let workplace = try run()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(
            "fine", to: "fine.yaml", source: ["items: [{key: a, url: '\(server.url("/a"))'}]"], output: "other")
        #expect(try workplace.run(["fine.yaml"]).ending == .exit(0))
        let lines = try workplace.run(["report"]).lines
        #expect(lines.count == 4)
        #expect(lines[1].contains("partial") && lines[1].hasSuffix("  list"))
        #expect(lines[2].contains("complete") && lines[2].hasSuffix("  fine"))
        #expect(lines[3] == "  more       runner report list --database \(workplace.database)")
        #expect(try workplace.run(["report", "--run", "all", "list"]).lines.count == 3)
    }

    @Test("an item that this run did not download keeps the size and the time of its last download")
    func lastDownload() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body", headers: [("Cache-Control", "max-age=3600")]) }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        for _ in 0..<2 { #expect(try workplace.run(["job.yaml"]).ending == .exit(0)) }
        let report = try JSONValue(try workplace.run(["report", "--format", "json", "--items"]).output)
        let item = try #require(report["runs"]?.elements.first?["items"]?.elements.first)
        #expect(item["outcome"]?.text == "fresh")
        let catalog = try workplace.catalog()
        let elapsed = try catalog.number("SELECT elapsed_us FROM transfer WHERE run_id = 1")
        #expect(item["last_download"]?["elapsed_us"]?.number == elapsed)
        #expect(item["last_download"]?["run_id"]?.number == 1)
    }

    @Test("no catalog: 2 and how it comes to be; nothing is made by asking")
    func missingCatalog() throws {
        let workplace = try Workplace()
        let report = try workplace.run(["report"], with: .runner)
        #expect(report.ending == .exit(2))
        #expect(report.output.isEmpty && report.errors.contains("the first run makes it"))
        #expect(workplace.directory.names() == [])
    }

    @Test("a catalog of a newer program is refused by run and report, and stays as it is")
    func newerCatalog() throws {
        let workplace = try run()
        let connection = try Connection(path: workplace.database, mode: .readWrite)
        try connection.execute("PRAGMA user_version = 99; PRAGMA journal_mode = DELETE")
        connection.close()
        let before = contents(of: workplace.database)
        for arguments in [["report"], ["job.yaml"]] {
            let result = try workplace.run(arguments)
            #expect(result.ending == .exit(2))
            #expect(result.output.isEmpty && result.errors.contains("schema version 99"))
        }
        #expect(contents(of: workplace.database) == before)
    }

    @Test("--output writes the file whole, or says why it can't and leaves no part")
    func output() throws {
        let workplace = try run()
        let printed = try workplace.run(["report", "--format", "json", "--items"])
        let written = try workplace.run(["report", "--format", "json", "--items", "--output", "report.json"])
        #expect(written.ending == .exit(0) && written.output.isEmpty && written.errors.isEmpty)
        #expect(workplace.read("report.json") == Array(printed.output.utf8))
        let refused = try workplace.run(["report", "--output", "missing/report.json"])
        #expect(refused.ending == .exit(2) && refused.errors.contains("missing/report.json"))
        #expect(workplace.directory.names().filter { $0.hasPrefix("report") } == ["report.json"])
    }

    @Test("a reader that closes the pipe early ends the report quietly")
    func closedPipe() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .status(404) }
        try workplace.writeJob(
            source: ["template: '\(server.url("/{n}"))'", "count: 1000"], transfer: ["per_host: 16"],
            rest: ["allow_failed: 100%"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        // The report is longer than what a pipe holds; head(1) leaves after the first line.
        let shell = try RunningProgram(
            [
                "/bin/bash", "-c",
                "set -o pipefail; \(Workplace.Program.runner.path) report --items --format json | head -n 1 > first",
            ], environment: workplace.environment, directory: workplace.directory.path
        ).wait()
        #expect(shell.ending == .exit(0))
        #expect(shell.errors.isEmpty)
        #expect(workplace.read("first")?.isEmpty == false)
    }
}
