import Glibc
import TestSupport
import Testing

@Suite("End to end: the page", .wholeProgramLimit)
struct PageTests {
    /// The page of a workplace, and requests to it as a script sends them.
    struct Page {
        let program: RunningProgram
        let port: Int
        let token: String

        init(
            _ workplace: Workplace, _ arguments: [String], with web: Workplace.Program = .testRunner,
            environment: [String: String] = [:]
        ) throws {
            let link = Monitor("")
            program = try workplace.start(["web"] + arguments, with: web, environment: environment) { _, line, _ in
                link.withLock { $0 = line }
            }
            let line = try #require(link.wait { $0.contains("?token=") ? $0 : nil })
            let address = line.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
            port = try #require(Int(address.drop { $0 != ":" }.dropFirst()))
            token = String(line.drop { $0 != "=" }.dropFirst().prefix(43))
        }

        func request(_ line: String, _ body: String = "") -> String {
            "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }

        func ask(_ line: String, _ body: String = "") throws -> RawResponse {
            try RawConnection(port: port).exchange(request(line, body))
        }

        /// Whether the answer comes to have this in it: what a run tells reaches the page a moment later.
        func says(_ line: String, _ text: String) throws -> Bool {
            for _ in 0..<10_000 where try ask(line).body.contains(text) { return true }
            return false
        }
    }

    @Test("a run that is started from the page is watched and steered from it, and outlives it")
    func run() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { .ok("body of \($0.path)") }
        let items = ["a1", "a2", "a3"]
        for item in items { server.hold("/\(item)") }
        try workplace.writeJob(
            source: ["items:"] + items.map { "  - {key: \($0), url: '\(server.url("/\($0)"))'}" },
            transfer: ["concurrency: 2"])
        let page = try Page(workplace, ["job.yaml"])
        let events = try RawConnection(port: page.port)
        events.send(page.request("GET /api/events"))
        #expect(events.read { $0.contains("event: jobs\n") && $0.contains("\"runnable\": true") }.contains("\"list\""))

        let started = try page.ask("POST /api/jobs/list/run", "{}")
        #expect(started.status == 202 && started.body.contains("{\"run\": 1}"))
        try server.waitForRequests(2)
        #expect(events.read { $0.contains("event: snapshot\n") }.contains("event: snapshot\n"))
        #expect(try page.ask("POST /api/jobs/list/run", "{}").status == 409)
        #expect(try page.ask("POST /api/items/remove", #"{"items": [1]}"#).status == 409)
        #expect(try page.ask("GET /api/runs/1/status").body.contains("\"in_flight\": 2"))
        let limits = try page.ask("POST /api/runs/1/limits", #"{"concurrency": 3}"#)
        #expect(limits.status == 200 && limits.body.contains("\"concurrency\": 3"))
        try server.waitForRequests(3)
        #expect(try page.ask("POST /api/runs/1/pause").status == 204)
        #expect(try page.says("GET /api/jobs", "\"live\": {\"state\": \"paused\", \"run\": 1}"))
        #expect(try page.says("GET /api/runs/1", "\"state\": \"paused\""))
        #expect(try page.ask("POST /api/runs/1/resume").status == 204)
        #expect(try page.says("GET /api/runs/1", "\"state\": \"running\""))
        #expect(try page.ask("POST /api/runs/1/limits", #"{"concurency": 3}"#).body.contains("did you mean"))
        server.release("/a1")
        #expect(events.read { $0.contains("event: items\n") && $0.contains("stored") }.contains("event: items\n"))

        page.program.send(SIGKILL)
        _ = try page.program.wait()
        for item in items { server.release("/\(item)") }
        #expect(try isCompleted(workplace))
    }

    /// Whether the run, which is not this process's child, comes to its end.
    private func isCompleted(_ workplace: Workplace) throws -> Bool {
        for _ in 0..<1_000 {
            if try workplace.catalog().number("SELECT count(*) FROM run WHERE outcome = 'complete'") == 1 {
                return true
            }
            poll(nil, 0, 20)
        }
        return false
    }

    @Test("it prints its link alone, and ends by the signal that stops it")
    func signal() throws {
        let workplace = try Workplace()
        let page = try Page(workplace, [])
        page.program.send(SIGTERM)
        let result = try page.program.wait()
        #expect(result.ending == .signal(SIGTERM) && result.lines.count == 1 && result.errors.isEmpty)
    }

    @Test("an address that others can reach is warned of, once it is asked for")
    func openAddress() throws {
        let workplace = try Workplace()
        let page = try Page(workplace, ["--listen", "0.0.0.0:0"])
        page.program.send(SIGINT)
        let result = try page.program.wait()
        #expect(result.errors.contains("warning: other machines can reach 0.0.0.0:"))
    }

    @Test("what it cannot serve is said before it begins")
    func refusals() throws {
        let workplace = try Workplace()
        #expect(try workplace.run(["web", "nothing"]).ending == .exit(78))
        for address in ["here", "example.org:80", "127.0.0.1:70000"] {
            #expect(try workplace.run(["web", "--listen", address]).ending == .exit(64), "\(address)")
        }
        let page = try Page(workplace, [])
        let second = try workplace.run(["web", "--listen", "127.0.0.1:\(page.port)"])
        #expect(second.ending == .exit(2))
        #expect(second.errors.contains("127.0.0.1:\(page.port)"))
        page.program.send(SIGTERM)
        _ = try page.program.wait()
    }
}
