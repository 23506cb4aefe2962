import Glibc
import SQLite
import TestSupport
import Testing

@Suite("End to end: signals", .wholeProgramLimit)
struct SignalTests {
    private static let body = [UInt8](repeating: 0x61, count: 2_000)
    private static let headers = [("Cache-Control", "max-age=3600"), ("Content-Type", "text/plain")]

    /// Four items of which two are in flight and held by the server.
    private func heldRun(_ workplace: Workplace) throws -> (FaultyServer, RunningProgram) {
        let server = try FaultyServer { _ in .ok(Self.body, headers: Self.headers) }
        server.hold("/a")
        server.hold("/b")
        let items = ["a", "b", "c", "d"].map { "  - {key: \($0), url: '\(server.url("/\($0)"))'}" }
        try workplace.writeJob(source: ["items:"] + items, transfer: ["concurrency: 2"])
        let program = try workplace.start(["job.yaml", "--progress", "json"])
        try server.waitForRequests(2)
        return (server, program)
    }

    @Test(
        "the first signal lets what is in flight end, records the rest as cancelled and ends the process by itself",
        arguments: [("SIGTERM", SIGTERM), ("SIGINT", SIGINT), ("SIGHUP", SIGHUP)])
    func drained(_ name: String, _ signal: Int32) throws {
        let workplace = try Workplace()
        let (server, program) = try heldRun(workplace)
        program.send(signal)
        // Both that wait are over before the two in flight are answered.
        try program.waitForOutput { $0.split(separator: "\n").count { $0.contains(#""outcome": "cancelled""#) } == 2 }
        server.release("/a")
        server.release("/b")
        let result = try program.wait()

        #expect(result.ending == .signal(signal))
        #expect(result.errors.contains("\(name): no new transfers; a second signal stops those in flight\n"))
        #expect(result.errors.contains("2 downloaded, 0 unchanged, 0 fresh, 0 failed, 2 cancelled"))
        #expect(server.requests.count == 2)
        var catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.value("SELECT outcome FROM run") == "interrupted")
        #expect(try catalog.value("SELECT finished_at IS NOT NULL FROM run") == true)
        #expect(
            try catalog.outcomes() == [
                "a downloaded", "b downloaded", "c cancelled cancelled", "d cancelled cancelled",
            ])
        #expect(workplace.files() == ["list/a.txt", "list/b.txt"])
        #expect(workplace.read("out/list/a.txt") == Self.body)
        #expect(workplace.parts == [])

        // The next run fetches what is missing.
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(server.requests.map(\.path).sorted() == ["/a", "/b", "/c", "/d"])
        catalog = try workplace.catalog()
        #expect(try catalog.outcomes() == ["a fresh", "b fresh", "c downloaded", "d downloaded"])
    }

    @Test("--failed takes up what a signal cancelled, without listing anything")
    func failedAfterSignal() throws {
        let workplace = try Workplace()
        let (server, program) = try heldRun(workplace)
        program.send(SIGTERM)
        try program.waitForErrors { $0.contains("SIGTERM") }
        server.release("/a")
        server.release("/b")
        #expect(try program.wait().ending == .signal(SIGTERM))
        #expect(try workplace.run(["job.yaml", "--failed"]).ending == .exit(0))
        let catalog = try workplace.catalog()
        #expect(try catalog.outcomes() == ["c downloaded", "d downloaded"])
        #expect(try catalog.values("SELECT selection FROM run WHERE id = 2") == [#"{"failed":true}"#])
    }

    @Test("the second signal ends at once although the server still holds; a large part is kept and resumed")
    func aborted() throws {
        let workplace = try Workplace()
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        let sent = 600_000
        let server = try FaultyServer { request in
            let headers = [("ETag", "\"one\""), ("Content-Type", "application/octet-stream")]
            guard let range = request["Range"] else { return .ok(body, headers: headers).cut(after: sent, .stall) }
            let start = Int(range.filter(\.isNumber)) ?? 0
            return .partial(of: body, from: start, headers: headers)
        }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        try workplace.directory.makeFolder("out/.runner/parts")
        let size = Monitor<Int64>(0)
        let parts = workplace.directory.path("out/.runner/parts")
        let watch = try FolderWatch([parts]) { _, name in
            var information = stat()
            if lstat("\(parts)/\(name)", &information) == 0 { size.withLock { $0 = Int64(information.st_size) } }
        }
        let program = try workplace.start(["job.yaml"])
        try #require(size.wait { $0 >= sent - 65_536 ? true : nil } == true)
        let start = monotonicMicroseconds()
        program.send(SIGTERM)
        try program.waitForErrors { $0.contains("SIGTERM") }
        program.send(SIGTERM)
        let result = try program.wait()
        withExtendedLifetime(watch) {}

        #expect(result.ending == .signal(SIGTERM))
        // The grace period would be ten seconds.
        #expect(monotonicMicroseconds() - start < 8_000_000)
        var catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.outcomes() == ["a cancelled cancelled"])
        #expect(try catalog.value("SELECT outcome FROM run") == "interrupted")
        #expect(workplace.files() == [])
        #expect(workplace.parts.isEmpty == false)

        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let second = try #require(server.requests.last)
        let offset = try #require(second["Range"].flatMap { Int($0.filter(\.isNumber)) })
        #expect(offset >= sent - 65_536 && offset <= sent)
        #expect(second["If-Range"] == "\"one\"")
        #expect(workplace.files() == ["list/a.bin"])
        #expect(workplace.read("out/list/a.bin") == body)
        #expect(workplace.parts == [])
        catalog = try workplace.catalog()
        #expect(try catalog.outcomes() == ["a downloaded"])
        #expect(try catalog.number("SELECT wire_bytes FROM run WHERE id = 2") == body.count - offset)
        #expect(try catalog.number("SELECT body_bytes FROM run WHERE id = 2") == body.count)
    }

    /// A pipe that is full, and that nobody reads.
    private func stuckPipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw TestSupportError("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: 0x20, count: 4_096)
        while write(ends[1], bytes, bytes.count) > 0 {}
        _ = fcntl(ends[1], F_SETFL, 0)
        return (ends[0], ends[1])
    }

    @Test("a reader that takes nothing of the events keeps neither the first signal nor the second from its work")
    func stuckReader() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok(Self.body) }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let pipe = try stuckPipe()
        defer { for end in [pipe.reading, pipe.writing] { close(end) } }
        let program = try workplace.start(["job.yaml", "--progress", "json"], output: pipe.writing)
        try server.waitForRequests(1)
        program.send(SIGTERM)
        try program.waitForErrors { $0.contains("SIGTERM: no new transfers") }
        program.send(SIGTERM)
        let result = try program.wait()
        #expect(result.ending == .signal(SIGTERM))
        #expect(result.errors.contains("cannot write the output: nobody reads it"))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.value("SELECT outcome FROM run") == "interrupted")
    }

    @Test("the third signal ends the process, whatever it waits for")
    func third() throws {
        let workplace = try Workplace()
        let (server, program) = try heldRun(workplace)
        // Nothing can be recorded while another program writes.
        let catalog = try Connection(path: workplace.database, mode: .readWrite)
        try catalog.execute("BEGIN IMMEDIATE")
        for _ in 0..<2 {
            program.send(SIGTERM)
            try program.waitForErrors { $0.contains("SIGTERM: no new transfers") }
        }
        program.send(SIGINT)
        let result = try program.wait()
        withExtendedLifetime(server) {}
        #expect([.signal(SIGINT), .signal(SIGTERM)].contains(result.ending))
        // The end of a run that is recorded has a line.
        #expect(!result.errors.contains("list: "))
    }

    @Test("a shell's background: a SIGINT that is ignored stays ignored")
    func ignoredInterrupt() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok(Self.body) }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let program = try RunningProgram(
            ["/bin/sh", "-c", "trap '' INT; exec \(Workplace.Program.testRunner.path) job.yaml"],
            environment: workplace.environment, directory: workplace.directory.path)
        try server.waitForRequests(1)
        program.send(SIGINT)
        server.release("/a")
        #expect(try program.wait().ending == .exit(0))
    }

    @Test("nohup: a SIGHUP that is ignored stays ignored")
    func ignoredHangUp() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok(Self.body) }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let program = try RunningProgram(
            ["/usr/bin/nohup", Workplace.Program.testRunner.path, "job.yaml"], environment: workplace.environment,
            directory: workplace.directory.path)
        try server.waitForRequests(1)
        program.send(SIGHUP)
        server.release("/a")
        #expect(try program.wait().ending == .exit(0))
    }
}
