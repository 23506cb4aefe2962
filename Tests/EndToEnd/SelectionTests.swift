import Glibc
import TestSupport
import Testing

@Suite("End to end: selections and deadlines", .wholeProgramLimit)
struct SelectionTests {
    /// Six items of two kinds; replies stay fresh.
    private func job(_ workplace: Workplace) throws -> FaultyServer {
        let server = try FaultyServer { request in
            .ok("body of \(request.path)", headers: [("Cache-Control", "max-age=3600")])
        }
        let keys = ["a/1", "a/2", "a/3", "b/1", "b/2", "b/3"]
        try workplace.writeJob(source: ["items:"] + keys.map { "  - {key: \($0), url: '\(server.url("/\($0)"))'}" })
        return server
    }

    @Test(
        "--only and --limit: rows for what is selected, nothing for the rest, and the run says what was selected",
        arguments: [
            (["--only", "b/*"], ["b/1", "b/2", "b/3"], #"{"only":["b/*"]}"#),
            (["--only", "*1", "--only", "*2"], ["a/1", "a/2", "b/1", "b/2"], #"{"only":["*1","*2"]}"#),
            (["--limit", "2"], ["a/1", "a/2"], #"{"limit":2}"#),
            (["--only", "b*", "--limit", "1"], ["b/1"], #"{"only":["b*"],"limit":1}"#),
        ])
    func selected(_ arguments: [String], _ keys: [String], _ selection: String) throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"] + arguments).ending == .exit(0))
        #expect(server.requests.map { String($0.path.dropFirst()) }.sorted() == keys)
        var catalog = try workplace.catalog()
        #expect(try catalog.outcomes() == keys.map { "\($0) downloaded" })
        #expect(try catalog.value("SELECT selection FROM run") == selection)
        #expect(try catalog.contradictions() == [])

        // What a selection leaves out is neither listed nor gone, before as after a whole run.
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(try workplace.run(["job.yaml"] + arguments).ending == .exit(0))
        catalog = try workplace.catalog()
        #expect(try catalog.outcomes().sorted() == keys.map { "\($0) fresh" })
        #expect(try catalog.number("SELECT count(*) FROM item WHERE state = 'stored'") == 6)
        #expect(server.requests.count == 6)
    }

    @Test(
        "a run of some items does not move the job to another directory: nothing changes, and a name is the way out",
        arguments: [["--limit", "1"], ["--only", "a/1"], ["--failed"], ["--limit", "1", "--refresh"]])
    func trial(_ arguments: [String]) throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let columns = "key, state, path, sha256, expires_at, stored_at, is_unsettled"
        let rows = "SELECT json_array(\(columns)) FROM item ORDER BY id"
        var trial = ["job.yaml", "--set", "output.directory=elsewhere"] + arguments
        let before = try workplace.catalog().values(rows, as: String.self)
        for command in [["run"], ["plan"]] where !(command == ["plan"] && arguments == ["--failed"]) {
            let result = try workplace.run(command + trial.filter { command == ["run"] || $0 != "--refresh" })
            #expect(result.ending == .exit(78))
            #expect(result.errors.contains("give this job another name"), "\(result.errors)")
        }
        #expect(try workplace.catalog().values(rows, as: String.self) == before)
        #expect(try workplace.catalog().number("SELECT count(*) FROM run") == 1)
        #expect(access(workplace.directory.path("elsewhere"), F_OK) != 0)

        // The way out; then the job runs as ever.
        trial += ["--set", "name=trial"]
        #expect(try workplace.run(trial).ending == .exit(0))
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(server.requests.count == 6 + (arguments == ["--failed"] ? 0 : 1))
    }

    @Test("a copied job file of the same name is refused for some items, and moves the job for all")
    func copiedFile() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let text = try #require(workplace.directory.read("job.yaml"))
        try workplace.directory.write(text, to: "copy/job.yaml")
        #expect(try workplace.run(["copy/job.yaml", "--limit", "1"]).ending == .exit(78))
        #expect(try workplace.run(["copy/job.yaml"]).ending == .exit(0))
        #expect(workplace.directory.names(in: "copy/out").filter { $0 != ".runner" } != [])
        // Where it is now, some of it may run again, by whatever path.
        #expect(symlink("copy", workplace.directory.path("link")) == 0)
        #expect(try workplace.run(["link/job.yaml", "--limit", "1"]).ending == .exit(0))
        #expect(server.requests.count == 12)
    }

    @Test("a list that --set changed for one run delists nothing, and says so")
    func changedSource() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let source = "source.items=[{key: a/1, url: '\(server.url("/a/1"))'}]"
        let result = try workplace.run(["job.yaml", "--set", source])
        #expect(result.ending == .exit(0))
        #expect(
            result.errors.contains(
                "warning  list: 5 items stay listed that this list does not have: --set changed the source for this run"
            ))
        #expect(try workplace.catalog().number("SELECT count(*) FROM item WHERE state = 'stored'") == 6)
        #expect(try workplace.catalog().value("SELECT selection FROM run WHERE id = 2") == #"{"source":true}"#)
        // What --set does not touch is as ever.
        try workplace.writeJob(source: ["items: [{key: a/1, url: '\(server.url("/a/1"))'}]"])
        #expect(try workplace.run(["job.yaml", "--set", "transfer.retries=1"]).ending == .exit(0))
        #expect(try workplace.catalog().number("SELECT count(*) FROM item WHERE state = 'gone'") == 5)
    }

    @Test("--only takes an item by its URL, its title or its path as well")
    func otherNames() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body", headers: [("Cache-Control", "max-age=3600")]) }
        let items = ["a", "b", "c"].map { "  - {key: \($0), url: '\(server.url("/\($0)?x=1"))', title: 'The [\($0)]'}" }
        try workplace.writeJob(source: ["items:"] + items)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let path = try #require(try workplace.catalog().value("SELECT path FROM item WHERE key = 'c'", as: String.self))
        for (word, key) in [("The [a]", "a"), (server.url("/b?x=1"), "b"), (path, "c")] {
            #expect(try workplace.run(["job.yaml", "--refresh", "--only", word]).ending == .exit(0))
            #expect(try workplace.catalog().outcomes() == ["\(key) unchanged"])
        }
    }

    @Test("--refresh fetches everything in full, whatever is stored and fresh")
    func refresh() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(try workplace.run(["job.yaml", "--refresh", "--only", "a/*"]).ending == .exit(0))
        let second = server.requests.dropFirst(6)
        #expect(second.map(\.path).sorted() == ["/a/1", "/a/2", "/a/3"])
        #expect(second.allSatisfy { $0["If-None-Match"] == nil && $0["If-Modified-Since"] == nil })
        let catalog = try workplace.catalog()
        #expect(try catalog.outcomes().allSatisfy { $0.hasSuffix(" unchanged") })
        #expect(try catalog.number("SELECT body_bytes FROM run WHERE id = 2") == 3 * "body of /a/1".utf8.count)
        #expect(try catalog.contradictions() == [])
    }

    @Test("--failed takes what failed, without asking the source")
    func failed() throws {
        let workplace = try Workplace()
        let isWell = Monitor(false)
        let server = try FaultyServer { request in
            request.path == "/b" && !isWell.withLock({ $0 }) ? .status(404) : .ok("body")
        }
        try workplace.writeJob(
            source: [
                "index: '\(server.url("/index"))'",
                "items: [{key: a, url: '\(server.url("/a"))'}, {key: b, url: '\(server.url("/b"))'}]",
            ])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        // Not asked again for a day, unless one wants it.
        let again = try workplace.run(["job.yaml"])
        #expect(again.ending == .exit(1) && again.errors.contains("1 known failure, not asked: 404 since "))
        #expect(server.requests.count { $0.path == "/b" } == 1)
        isWell.withLock { $0 = true }
        #expect(try workplace.run(["job.yaml", "--failed"]).ending == .exit(0))
        #expect(server.requests.count { $0.path == "/index" } == 2)
        let catalog = try workplace.catalog()
        #expect(try catalog.outcomes() == ["b downloaded"])
        #expect(try catalog.contradictions() == [])
        let nothing = try workplace.run(["job.yaml", "--failed"])
        #expect(nothing.ending == .exit(0) && nothing.errors == "list: nothing selected\n")
    }

    @Test("a deadline cuts the run: what is in flight may end, the rest is cancelled, the sums are right, exit 1")
    func deadline() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in .ok("body of \(request.path)") }
        server.hold("/b")
        let items = ["a", "b", "c", "d"].map { "  - {key: \($0), url: '\(server.url("/\($0)"))'}" }
        try workplace.writeJob(source: ["items:"] + items, transfer: ["concurrency: 1"])
        let program = try workplace.start(["job.yaml", "--deadline", "1s", "--progress", "json"])
        // The deadline is over when those that wait are cancelled.
        try program.waitForOutput { $0.split(separator: "\n").count { $0.contains(#""outcome": "cancelled""#) } == 2 }
        server.release("/b")
        let result = try program.wait()

        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("2 downloaded, 0 unchanged, 0 fresh, 0 failed, 2 cancelled"))
        #expect(result.errors.contains("partial: the deadline cut the run"))
        #expect(server.requests.map(\.path) == ["/a", "/b"])
        let catalog = try workplace.catalog()
        #expect(
            try catalog.outcomes() == [
                "a downloaded", "b downloaded", "c cancelled cancelled", "d cancelled cancelled",
            ])
        #expect(try catalog.value("SELECT outcome || ' ' || cancelled FROM run") == "partial 2")
        #expect(try catalog.contradictions() == [])
        #expect(workplace.files() == ["list/a.bin", "list/b.bin"])
    }

    @Test("--concurrency holds so many back")
    func concurrency() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        for path in ["/a/1", "/a/2", "/a/3"] { server.hold(path) }
        let program = try workplace.start(["job.yaml", "--concurrency", "2"])
        try server.waitForRequests(2)
        #expect(server.requests.count == 2)
        for path in ["/a/1", "/a/2", "/a/3"] { server.release(path) }
        #expect(try program.wait().ending == .exit(0))
        #expect(server.connectionCount == 2)
    }
}
