import Control
import FoundationEssentials
import Glibc
import Server
import TestSupport
import Testing

@Suite("End to end: watching a run", .wholeProgramLimit)
struct ControlStreamTests {
    @Test("a stream begins with everything, goes on with what changes, and ends with the run")
    func stream() throws {
        let bench = try ControlBench(["a1", "a2", "b1"])
        try bench.server.waitForRequests(2)
        let events = try bench.events { name, data in
            if name == "snapshot" { bench.release("a1", "a2", "b1") }
            return name == "finished"
        }
        let snapshot = try #require(events.first)
        #expect(snapshot.name == "snapshot")
        #expect(Set(snapshot.data["in_flight"]?.elements.compactMap { $0["key"]?.text } ?? []) == ["a1", "b1"])
        #expect(snapshot.data["in_flight"]?.elements.first?["phase"]?.text == "waiting")
        #expect(snapshot.data["collections"]?.elements.count == 2)
        #expect(events.dropFirst().dropLast().allSatisfy { $0.name == "change" })
        #expect(events.last?.name == "finished" && events.last?.data["outcome"]?.text == "complete")
        let versions = events.compactMap { $0.data["seq"]?.number }
        #expect(versions.count == events.count && versions == versions.sorted())
        let ended = events.flatMap { $0.data["ended"]?.elements ?? [] }.filter { $0["outcome"]?.text == "downloaded" }
        #expect(Set(ended.compactMap { $0["item"]?.number }).count == 3)
        // What has not changed is not in it.
        #expect(events.dropFirst().contains { $0.data["concurrency"] == nil && $0.data["hosts"] == nil })
        #expect(try bench.program.wait().ending == .exit(0))
    }

    @Test("who comes back gets what was missed; who was away too long, or never there, gets everything")
    func reconnect() throws {
        let bench = try ControlBench(["a1", "a2", "b1"])
        try bench.server.waitForRequests(2)
        let first = try #require(try bench.events { _, _ in true }.first?.data["seq"]?.number)
        bench.release("a1")
        try bench.waitForEnd(of: "a1")
        let item = try bench.id("a1")
        let missed = try bench.events(after: Int64(first)) { _, data in
            data["ended"]?.elements.contains { $0["item"]?.number == item && $0["outcome"]?.text == "downloaded" }
                == true
        }
        #expect(missed.allSatisfy { $0.name == "change" })
        for last in [Int64.max, 1_000_000_000] {
            #expect(try bench.events(after: last) { _, _ in true }.first?.name == "snapshot")
        }
        bench.release("a2", "b1")
        #expect(try bench.program.wait().ending == .exit(0))
    }

    @Test(
        "of two who watch ten thousand items one takes nothing: neither the other nor the run waits for it",
        .enabled(if: NginxServer.isInstalled))
    func stalled() throws {
        let count = 10_000
        let directory = try TemporaryDirectory()
        var options = NginxServer.Options(root: directory.path)
        options.extra = "location / { return 200 'body'; }"
        let nginx = try NginxServer(options)
        // Nothing is listed before both watch.
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/index")
        let bench = try ControlBench(
            source: [
                "template: '\(nginx.url("/{n}"))'", "count: \(count)", "index: '\(server.url("/index"))'",
            ], server, transfer: ["concurrency: 16", "per_host: 16"])
        #expect(try bench.status()["state"]?.text == "listing")
        let folder = try SocketFolder(bench.workplace.database + ".control", creating: false)
        let silent = try #require(folder.connect(to: "1.sock"))
        defer { close(silent) }
        let request = Array("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        #expect(send(silent, request, request.count, 0) == request.count)
        var released = false
        var last = 0
        var ended: Set<Int> = []
        let events = try bench.events { name, data in
            if !released { bench.release("index") }
            released = true
            last = data["counts"]?["downloaded"]?.number ?? last
            for item in data["ended"]?.elements ?? [] where item["outcome"]?.text == "downloaded" {
                ended.insert(item["item"]?.number ?? 0)
            }
            return name == "finished"
        }
        #expect(events.last?.name == "finished" && last == count && ended.count == count)
        // At most five a second.
        let times = events.compactMap { $0.data["at"]?.number }
        let seconds = ((times.last ?? 0) - (times.first ?? 0)) / 1_000_000
        #expect(events.count <= 6 * (seconds + 2))
        #expect(try bench.program.wait().ending == .exit(0))
    }

    @Test("a thousand clients that come and go leave the run as it was")
    func manyClients() throws {
        let bench = try ControlBench(["a1"])
        let folder = try SocketFolder(bench.workplace.database + ".control", creating: false)
        for number in 0..<1_000 {
            let client = try #require(folder.connect(to: "1.sock"))
            let text = number % 2 == 0 ? "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n" : "GET /v1/st"
            let request = Array(text.utf8)
            _ = send(client, request, request.count, Int32(MSG_NOSIGNAL))
            close(client)
        }
        #expect(try bench.status()["run"]?.number == 1)
        bench.release("a1")
        #expect(try bench.program.wait().ending == .exit(0))
    }

    // MARK: Places

    @Test("what a killed run leaves is removed by status; a socket that answers is not")
    func killed() throws {
        let bench = try ControlBench(["a1"])
        try bench.server.waitForRequests(1)
        #expect(try bench.workplace.run(["status"]).lines.first?.hasPrefix("list: run 1 ") == true)
        bench.program.send(SIGKILL)
        #expect(try bench.program.wait().ending == .signal(SIGKILL))
        #expect(bench.workplace.directory.names(in: "catalog.sqlite.control") == ["1.sock"])
        let result = try bench.workplace.run(["status", "list"])
        #expect(result.ending == .exit(69) && result.output.contains("interrupted"))
        #expect(bench.workplace.directory.names(in: "catalog.sqlite.control") == [])
    }

    @Test("the socket is where the environment says, and found there by who has another one")
    func environment() throws {
        let folder = try TemporaryDirectory()
        for (variable, below) in [("RUNTIME_DIRECTORY", ""), ("XDG_RUNTIME_DIR", "runner")] {
            let bench = try ControlBench(["a1"], environment: [variable: folder.path])
            #expect(folder.names(in: below).contains("1.sock"))
            // This process has neither variable: those of the run's are looked at.
            #expect(try bench.workplace.run(["control", "list", "concurrency", "3"]).ending == .exit(0))
            bench.release("a1")
            #expect(try bench.program.wait().ending == .exit(0))
        }
    }

    @Test("runs of two catalogs that share a folder and a number do not take each other's sockets")
    func shared() throws {
        let folder = try TemporaryDirectory()
        let environment = ["XDG_RUNTIME_DIR": folder.path]
        let first = try ControlBench(["a1"], environment: environment)
        let second = try ControlBench(["a1"], environment: environment)
        #expect(folder.names(in: "runner") == ["1.sock"])
        #expect(second.workplace.directory.names(in: "catalog.sqlite.control") == ["1.sock"])
        let result = try second.workplace.run(["control", "list", "concurrency", "7"], environment: environment)
        #expect(result.ending == .exit(0))
        #expect(try first.status()["concurrency"]?.number == 2)
        #expect(try second.status()["concurrency"]?.number == 7)
        for bench in [first, second] {
            bench.release("a1")
            #expect(try bench.program.wait().ending == .exit(0))
        }
    }

    @Test(
        "another user is not answered, though the socket's path is open to all",
        .enabled(if: geteuid() == 0 && access("/usr/bin/curl", X_OK) == 0, "needs root and curl"))
    func otherUser() throws {
        let bench = try ControlBench(["a1"])
        let folder = bench.workplace.database + ".control"
        for (path, mode) in [(bench.workplace.directory.path, 0o755), (folder, 0o755), (folder + "/1.sock", 0o666)] {
            chmod(path, mode_t(mode))
        }
        let curl = ["/usr/bin/curl", "-sS", "-m", "20", "--unix-socket", folder + "/1.sock", "http://run/v1/status"]
        func ask(_ words: [String]) throws -> RunningProgram.Result {
            try RunningProgram(words + curl, environment: bench.workplace.environment, directory: "/").wait()
        }
        let refused = try ask(["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        #expect(refused.ending != .exit(0) && refused.output.isEmpty)
        #expect(try ask([]).output.hasPrefix(#"{"run": 1, "#))
        bench.release("a1")
        #expect(try bench.program.wait().ending == .exit(0))
    }

    @Test("a run that cannot have a socket says so once, and goes on")
    func noSocket() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.directory.write("in the way", to: "catalog.sqlite.control")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let result = try workplace.run(["job.yaml"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.components(separatedBy: "has no control socket").count == 2)
    }

    @Test("a catalog deep in folders has its socket beside it all the same")
    func longPath() throws {
        let workplace = try Workplace()
        let deep = (1...12).map { _ in "twenty-characters-xx" }.joined(separator: "/")
        let database = workplace.directory.path(deep + "/catalog.sqlite")
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let program = try workplace.start(
            ["job.yaml", "--progress", "json"], environment: ["RUNNER_DATABASE": database])
        try server.waitForRequests(1)
        let result = try workplace.run(
            ["control", "list", "stop", "--now"], environment: ["RUNNER_DATABASE": database])
        #expect(result.ending == .exit(0) && result.errors == "list: stopping at once\n")
        #expect(try program.wait().ending == .exit(1))
    }
}
