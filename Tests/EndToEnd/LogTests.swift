import Glibc
import TestSupport
import Testing

@Suite("End to end: the log, the service manager and waiting", .wholeProgramLimit)
struct LogTests {
    private func log(_ workplace: Workplace, _ name: String = "run.log") -> [String] {
        String(decoding: workplace.read(name) ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The events of lines, in order.
    private func events(_ lines: [String]) -> [String] {
        lines.compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
    }

    @Test("at debug a grep for an item's number shows its whole life, and no secret")
    func life() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            request.index == 0 && request.connection == 0
                ? .status(503) : .ok("body")
        }
        try workplace.writeJob(
            source: ["items: [{key: a, url: '\(server.url("/a?key=${TOKEN}"))'}]"],
            transfer: ["headers: {Authorization: 'Bearer ${TOKEN}'}"], rest: ["secrets: [TOKEN]"])
        let result = try workplace.run(
            ["job.yaml", "--log", "run.log", "--log-level", "debug", "-q"], environment: ["TOKEN": "s3cr3t-value"])
        #expect(result.ending == .exit(0))
        let lines = log(workplace)
        let item = lines.filter { $0.contains(" item=1 ") }
        #expect(
            events(item) == [
                "listed", "queued", "begun", "headers", "body", "retry-at", "begun", "headers", "body", "judged",
                "published", "recorded",
            ])
        #expect(item.allSatisfy { $0.contains(" debug ") && $0.contains(" job=list run=1 ") })
        #expect(item[5].contains("failure=http") && item[5].contains("delay_us="))
        #expect(item[11].contains("outcome=downloaded attempts=2"))
        #expect(events(lines.filter { $0.contains(" notice ") }) == ["run-started", "run-finished"])
        #expect(!lines.contains { $0.contains("s3cr3t-value") })
        // Nothing happened, and the file grew by what that comes to.
        #expect(
            try workplace.run(["job.yaml", "--log", "run.log", "-q"], environment: ["TOKEN": "s3cr3t-value"]).ending
                == .exit(0))
        #expect(events(log(workplace).dropFirst(lines.count).map(\.self)) == ["run-started", "run-finished"])
    }

    @Test("at info the log has runs and failures")
    func info() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            request.path == "/a" ? .ok("body") : .status(404)
        }
        try workplace.writeJob(
            source: ["items: [{key: a, url: '\(server.url("/a"))'}, {key: b, url: '\(server.url("/b"))'}]"])
        #expect(try workplace.run(["job.yaml", "--log", "run.log", "--log-format", "json", "-q"]).ending == .exit(1))
        let lines = log(workplace)
        #expect(lines.count == 3)
        #expect(lines[1].contains(#""event": "failed""#) && lines[1].contains(#""status": 404"#))
        #expect(lines[2].contains(#""outcome": "partial""#) && lines[2].contains(#""downloaded": 1"#))
    }

    @Test(
        "a log that can't be opened or written is a line, and the run goes on",
        arguments: ["/dev/full", "missing/run.log", "pipe", "."])
    func brokenLog(_ name: String) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        try #require(mkfifo(workplace.directory.path("pipe"), 0o600) == 0)
        let result = try workplace.run(["job.yaml", "--log", name, "-q"])
        #expect(result.ending == .exit(0))
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == (name == "/dev/full" ? 2 : 1))
        #expect(lines.first?.contains("--log") == true && lines.first?.contains("logged") == true)
        #expect(name != "/dev/full" || lines.last?.hasSuffix("/dev/full: 2 lines were not written") == true)
        #expect(name != "pipe" || result.errors.contains("nobody reads it"))
        #expect(workplace.files() == ["list/a.bin"])
    }

    @Test(
        "a log that would be written into a file of the program's own is refused, and nothing runs",
        arguments: [
            ("job.yaml", "the file of the job 'list'"), ("./x/../job.yaml", "the file of the job 'list'"),
            ("link", "the file of the job 'list'"), ("catalog.sqlite", "the catalog"),
            ("catalog.sqlite-wal", "the catalog"), ("catalog.sqlite.list.lock", "a lock of the catalog"),
            ("out/.runner/log", "in "), ("out/list/a.bin", "a file that the job 'list' has stored"),
            ("ca.pem", "a file that the job 'list' reads"),
        ])
    func ownFiles(_ name: String, _ words: String) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.directory.makeFolder("x")
        try workplace.directory.write("x", to: "ca.pem")
        try workplace.writeJob(
            source: ["items: [{key: a, url: '\(server.url("/a"))'}]"], transfer: ["ca_file: ca.pem"])
        try #require(symlink("job.yaml", workplace.directory.path("link")) == 0)
        if name.hasPrefix("out") { #expect(try workplace.run(["job.yaml", "-q"]).ending == .exit(0)) }
        let (asked, before) = (server.requests.count, workplace.read(name))
        let result = try workplace.run(["job.yaml", "--log", name])
        #expect(result.ending == .exit(64))
        #expect(result.errors.contains("\(name) is \(words)") && result.errors.contains("give another file"))
        #expect(workplace.read(name) == before)
        #expect(server.requests.count == asked)
    }

    @Test("a log beside the stored files is nobody's business")
    func logInOutput() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        for _ in 0..<2 {
            try workplace.directory.makeFolder("out")
            #expect(try workplace.run(["job.yaml", "-q", "--log", "out/run.log"]).ending == .exit(0))
        }
        #expect(events(log(workplace, "out/run.log")).count == 4)
    }

    @Test("a run without an end is in the log with the reason")
    func lockedJob() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let first = try workplace.start(["job.yaml"])
        try server.waitForRequests(1)
        #expect(try workplace.run(["job.yaml", "--log", "run.log"]).ending == .exit(75))
        #expect(events(log(workplace)) == ["locked"])
        server.release("/a")
        #expect(try first.wait().ending == .exit(0))
    }

    // MARK: Waiting

    @Test("--wait lets a run begin when the one that has the job has ended")
    func wait() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let first = try workplace.start(["job.yaml"])
        try server.waitForRequests(1)
        let second = try workplace.start(["job.yaml", "--wait", "10m"])
        try second.waitForErrors { $0.contains("another run holds the job (pid \(first.processID)); waiting") }
        server.release("/a")
        #expect(try first.wait().ending == .exit(0))
        let result = try second.wait()
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains("list: 0 downloaded"))
    }

    @Test("a run that waits gives up after its time with 75, and at once on a signal")
    func waitInVain() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let first = try workplace.start(["job.yaml"])
        try server.waitForRequests(1)
        #expect(try workplace.run(["job.yaml", "--wait", "250ms", "-q"]).ending == .exit(75))
        let second = try workplace.start(["job.yaml", "--wait", "1h"])
        try second.waitForErrors { $0.contains("waiting for it to end") }
        second.send(SIGTERM)
        #expect(try second.wait().ending == .signal(SIGTERM))
        server.release("/a")
        #expect(try first.wait().ending == .exit(0))
    }

    @Test("--jitter begins later, and a signal ends the delay")
    func jitter() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let receiver = try DatagramReceiver(workplace.directory.path("notify"))
        let run = try workplace.start(
            ["job.yaml", "--jitter", "10000d"], environment: ["NOTIFY_SOCKET": receiver.path])
        _ = try receiver.wait { $0.contains("READY=1") }
        run.send(SIGTERM)
        #expect(try run.wait().ending == .signal(SIGTERM))
        #expect(server.requests.isEmpty)
        #expect(try workplace.run(["job.yaml", "--jitter", "1ms"]).ending == .exit(0))
    }

    // MARK: The service manager

    @Test("a service manager hears that a run is up, how far it is, that it needs time, and that it ends")
    func service() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            request.path == "/b" ? .status(404) : .ok("body")
        }
        server.hold("/c")
        let items = ["a", "b", "c"].map { "{key: \($0), url: '\(server.url("/\($0)"))'}" }
        try workplace.writeJob(source: ["items: [\(items.joined(separator: ", "))]"])
        let receiver = try DatagramReceiver(workplace.directory.path("notify"))
        let run = try workplace.start(["job.yaml", "-q"], environment: ["NOTIFY_SOCKET": receiver.path])
        _ = try receiver.wait { $0.contains { $0.contains("STATUS=list: 2 of 3 items, 1 failed") } }
        #expect(receiver.texts[0] == "READY=1")
        #expect(receiver.texts.contains { $0.contains("EXTEND_TIMEOUT_USEC=300000000") })
        server.release("/c")
        #expect(try run.wait().ending == .exit(1))
        let texts = try receiver.wait { $0.last?.hasPrefix("STOPPING=1\n") == true }
        #expect(texts.last == "STOPPING=1\nSTATUS=list: partial, 3 of 3 items, 1 failed")
    }

    @Test("a socket that nobody listens at is passed over")
    func absentService() throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"])
        for socket in ["/nowhere", "@nowhere", "relative", String(repeating: "x", count: 300)] {
            #expect(try workplace.run(["job.yaml"], environment: ["NOTIFY_SOCKET": socket]).ending == .exit(0))
        }
    }
}
