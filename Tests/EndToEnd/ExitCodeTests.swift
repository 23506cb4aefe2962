import SQLite
import TestSupport
import Testing

@Suite("End to end: how a run ends", .wholeProgramLimit)
struct ExitCodeTests {
    /// Three items, the last of which the server does not have.
    private func job(_ workplace: Workplace, rest: [String] = [], failsAfter: Int? = nil) throws -> FaultyServer {
        let server = try FaultyServer { request in
            request.path == "/2" ? .status(404) : .ok("body of \(request.path)")
        }
        var source = ["template: '\(server.url("/{n}"))'", "count: 3"]
        if let failsAfter { source.append("fails_after: \(failsAfter)") }
        try workplace.writeJob(source: source, rest: rest)
        return server
    }

    @Test("1 when an item fails, and a line that says which and why")
    func oneFails() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        let result = try workplace.run(["job.yaml"])
        #expect(result.ending == .exit(1))
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("failed  list 2: http: "))
        #expect(result.errors.contains("404") && result.errors.contains("(\(server.url("/2")))"))
        #expect(result.errors.contains("list: 2 downloaded, 0 unchanged, 0 fresh, 1 failed, "))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.outcomes() == ["0 downloaded", "1 downloaded", "2 failed http"])
        #expect(try catalog.value("SELECT outcome FROM run") == "partial")
    }

    @Test(
        "0 within allow_failed, in numbers or per cent, and 1 beyond it", arguments: [("1", 0), ("34%", 0), ("33%", 1)])
    func allowed(_ allowance: String, _ code: Int32) throws {
        let workplace = try Workplace()
        let server = try job(workplace, rest: ["allow_failed: \(allowance)"])
        let result = try workplace.run(["job.yaml"])
        withExtendedLifetime(server) {}
        #expect(result.ending == .exit(code))
        #expect(try workplace.catalog().value("SELECT outcome FROM run") == "partial")
    }

    @Test("2 when the list breaks off; what was listed is fetched, and nothing is taken for gone")
    func brokenList() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        let result = try workplace.run(["job.yaml", "--set", "source.fails_after=2", "--set", "source.page=1"])
        withExtendedLifetime(server) {}
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("failed: the list failed: the list broke off"))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.outcomes() == ["0 unchanged", "1 unchanged"])
        #expect(try catalog.value("SELECT outcome FROM run WHERE id = 2") == "failed")
        #expect(try catalog.values("SELECT state FROM item ORDER BY key") == ["stored", "stored", "failed"])
    }

    @Test("2 when the list can't be begun, and a sentence that says why")
    func noList() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .status(403) }
        try workplace.writeJob(source: ["index: '\(server.url("/index"))'", "items: []"])
        let result = try workplace.run(["job.yaml"])
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("403"))
        let catalog = try workplace.catalog()
        #expect(try catalog.number("SELECT list_requests FROM run") == 1)
        #expect(try catalog.value("SELECT outcome FROM run") == "failed")
    }

    @Test("2 when the catalog refuses an item while the list is read, rather than a wait without end")
    func brokenCatalog() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml", "--limit", "1"]).ending == .exit(0))
        try Connection(path: workplace.database, mode: .readWrite).run(
            "CREATE TRIGGER refuse BEFORE INSERT ON item WHEN NEW.key = '2' BEGIN SELECT RAISE(ABORT, 'refused'); END")
        let result = try workplace.run(["job.yaml"])
        withExtendedLifetime(server) {}
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("the catalog can't be written: \(workplace.database): refused"))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.value("SELECT outcome FROM run WHERE id = 2") == "failed")
    }

    @Test("2 when the output directory can't be made: it would be below a file")
    func noOutput() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        try workplace.directory.write("a file", to: "out")
        let result = try workplace.run(["job.yaml"])
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("list: failed: ") && result.errors.contains("/out"))
        #expect(server.requests.isEmpty)
        #expect(workplace.read("out") == Array("a file".utf8))
    }

    @Test("2 when the catalog can't be made or is something else")
    func noCatalog() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        try workplace.directory.write(
            "a text, long enough to be read as a database's header, and no database", to: "text")
        for database in ["text", "text/catalog.sqlite"] {
            let result = try workplace.run(["job.yaml", "--database", database])
            #expect(result.ending == .exit(2))
            #expect(result.errors.contains("text"))
        }
        #expect(server.requests.isEmpty)
    }

    @Test("0 and a line that says so when nothing is listed or nothing is selected")
    func nothing() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        let selected = try workplace.run(["job.yaml", "--only", "none of them"])
        #expect(selected.ending == .exit(0))
        #expect(selected.errors == "list: nothing selected\n")
        let listed = try workplace.run(["job.yaml", "--set", "source.count=0"])
        #expect(listed.ending == .exit(0))
        #expect(listed.errors == "list: nothing listed\n")
        #expect(server.requests.isEmpty)
    }

    @Test("the worst of several jobs decides")
    func several() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        try workplace.writeJob(
            "well", to: "well.yaml", source: ["items: [{key: a, url: '\(server.url("/0"))'}]"], output: "well")
        try workplace.writeJob(
            "broken", to: "broken.yaml", source: ["items: [{}]", "fails_after: 0"], output: "broken")
        #expect(try workplace.run(["well.yaml"]).ending == .exit(0))
        #expect(try workplace.run(["well.yaml", "job.yaml"]).ending == .exit(1))
        #expect(try workplace.run(["well.yaml", "job.yaml", "broken.yaml"]).ending == .exit(2))
        #expect(try workplace.catalog().contradictions() == [])
    }

    @Test("a folder of job files runs them all, side by side")
    func folder() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        for name in ["one", "two"] {
            try workplace.writeJob(
                name, to: "jobs/\(name).yaml", source: ["items: [{key: a, url: '\(server.url("/\(name)"))'}]"],
                output: name)
            // Neither ends before both have begun.
            server.hold("/\(name)")
        }
        let program = try workplace.start(["jobs"])
        try server.waitForRequests(2)
        server.release("/one")
        server.release("/two")
        let result = try program.wait()
        #expect(result.ending == .exit(0))
        #expect(workplace.files(below: "jobs").filter { !$0.hasSuffix(".yaml") && !$0.contains(".runner") }.count == 2)
    }
}
