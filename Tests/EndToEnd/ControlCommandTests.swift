import Control
import Glibc
import Server
import TestSupport
import Testing

@Suite("End to end: runner status, runner control", .wholeProgramLimit)
struct ControlCommandTests {
    @Test("each action of control has taken effect when it ends")
    func actions() throws {
        let bench = try ControlBench(["a1", "a2", "b1", "c1"], transfer: ["concurrency: 1"])
        try bench.server.waitForRequests(1)
        func control(_ words: String...) throws -> String {
            let result = try bench.workplace.run(["control", "list"] + words)
            #expect(result.ending == .exit(0))
            return result.errors
        }
        #expect(try control("pause") == "list: paused; what is in flight may end\n")
        #expect(try bench.status()["state"]?.text == "paused")
        #expect(try control("resume") == "list: resumed\n")
        #expect(try control("per-host", "3") == "list: per_host 3\n")
        #expect(try control("bandwidth", "5MB/s") == "list: bandwidth 5.0 MB/s, concurrency 1\n")
        #expect(try control("bandwidth", "none") == "list: no bandwidth limit\n")
        #expect(try control("pause", "b") == "list: paused; what is in flight may end\n")
        #expect(try control("cancel", "a2", "c") == "list: 2 items cancelled\n")
        #expect(try control("retry", "a2") == "list: 1 item tried again\n")
        #expect(try control("resume", "b") == "list: resumed\n")
        #expect(try control("concurrency", "2") == "list: concurrency 2\n")
        try bench.server.waitForRequests(2)
        #expect(try control("stop") == "list: stopping; what is in flight may end\n")
        bench.release("a1", "a2", "b1")
        #expect(try bench.program.wait().ending == .exit(1))
        #expect(try bench.workplace.catalog().contradictions() == [])
    }

    @Test("a run that is not at work is 69, a wrong word 64")
    func codes() throws {
        let bench = try ControlBench(["a1"])
        try bench.server.waitForRequests(1)
        let cases: [([String], Int32, String)] = [
            (["control", "list", "puase"], 64, "did you mean 'pause'?"),
            (["control", "list", "concurrency"], 64, "concurrency needs a value"),
            (["control", "list", "concurrency", "0"], 64, "from 1 to 1024"),
            (["control", "list", "bandwidth", "much"], 64, "such as 5MB/s"),
            (["control", "list", "cancel"], 64, "cancel needs a key"),
            (["control", "list", "cancel", "nothing"], 64, "no collection or item 'nothing'"),
            (["control", "list", "stop", "now"], 64, "stop takes nothing"),
            (["control", "list", "pause", "--now"], 64, "--now is for stop"),
            (["control", "lits", "pause"], 64, "did you mean 'list'?"),
            (["control", "list", "retry", "a1"], 69, "none of the items has failed"),
        ]
        for (words, code, text) in cases {
            let result = try bench.workplace.run(words)
            #expect(result.ending == .exit(code) && result.errors.contains(text), "\(words): \(result.errors)")
        }
        bench.release("a1")
        #expect(try bench.program.wait().ending == .exit(0))
        let over = try bench.workplace.run(["control", "list", "pause"])
        #expect(over.ending == .exit(69) && over.errors == "list: no run is under way\n")
        let last = try bench.workplace.run(["status"])
        #expect(last.ending == .exit(0))
        #expect(last.output.hasPrefix("no run is under way\nlist: no run under way; the last, run 1, ended "))
        #expect(try bench.workplace.run(["status", "job.yaml"]).ending == .exit(69))
        #expect(try bench.workplace.run(["status", "other"]).ending == .exit(64))
    }

    @Test("status is one JSON document; with --follow an event a line until the run has ended")
    func json() throws {
        let bench = try ControlBench(["a1", "a2"])
        try bench.server.waitForRequests(2)
        let document = try JSONValue(try bench.workplace.run(["status", "--format", "json"]).output)
        #expect(document["runs"]?.elements.first?["counts"]?["in_flight"]?.number == 2)
        let text = try bench.workplace.run(["status"])
        #expect(text.lines.last == "  concurrency 2, per_host 8, no bandwidth limit")
        let follower = try bench.workplace.start(["status", "list", "--follow", "--format", "json"])
        try follower.waitForOutput { $0.contains("snapshot") }
        bench.release("a1", "a2")
        let result = try follower.wait()
        #expect(result.ending == .exit(0))
        let events = try result.lines.map { try JSONValue($0) }
        #expect(events.first?["event"]?.text == "snapshot" && events.last?["event"]?.text == "finished")
        #expect(try bench.program.wait().ending == .exit(0))
        let over = try JSONValue(try bench.workplace.run(["status", "--format", "json"]).output)
        #expect(over["runs"]?.elements.first?["outcome"]?.text == "complete")
    }

    @Test("status --follow reaches a run again whose connection was lost, and misses nothing")
    func followAgain() throws {
        let bench = try ControlBench(["a1"])
        try bench.server.waitForRequests(1)
        let folder = bench.workplace.database + ".control"
        // Something between the two that ends the first stream before the run does.
        #expect(rename("\(folder)/1.sock", "\(folder)/real.sock") == 0)
        let process = bench.program.processID
        let asked = Monitor<[String]>([])
        let server = try HTTPServer(try Listener(folder: folder, name: "1.sock")) { request, responder in
            guard request.path == "/v1/events" else {
                return responder.answer(.json(Array("{\"run\": 1, \"pid\": \(process)}".utf8)))
            }
            let last = request.headers["last-event-id"] ?? "none"
            let count = asked.withLock { (asked: inout [String]) -> Int in
                asked.append(last)
                return asked.count
            }
            let stream = EventStream()
            let data = "{\"run\": 1, \"job\": \"list\", \"seq\": \(6 + count)}"
            stream.push(ServerEvent(count == 1 ? "snapshot" : "finished", data: Array(data.utf8)))
            stream.finish()
            responder.answer(.events(stream))
        }
        let follower = try bench.workplace.start(["status", "list", "--follow", "--format", "json"])
        let result = try follower.wait()
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(try result.lines.map { try JSONValue($0)["event"]?.text } == ["snapshot", "finished"])
        #expect(asked.withLock(\.self) == ["none", "7"])
        server.stop()
        bench.release("a1")
        #expect(try bench.program.wait().ending == .exit(0))
    }

    @Test("status --follow of a run that is killed says how it ended")
    func followKilled() throws {
        let bench = try ControlBench(["a1"])
        try bench.server.waitForRequests(1)
        let follower = try bench.workplace.start(["status", "--follow"])
        try follower.waitForOutput { $0.contains("running") || $0.contains("listing") }
        kill(bench.program.processID, SIGKILL)
        let result = try follower.wait()
        #expect(result.ending == .exit(0))
        #expect(result.lines.last?.contains("the last, run 1, ended: interrupted") == true, "\(result.lines)")
        _ = try bench.program.wait()
    }

    @Test("two jobs of a process have a socket each, and are steered apart")
    func twoJobs() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        for path in ["/a", "/b", "/c", "/d"] { server.hold(path) }
        for (name, paths) in [("one", ["a", "b"]), ("two", ["c", "d"])] {
            let items = paths.map { "  - {key: \($0), url: '\(server.url("/\($0)"))'}" }
            try workplace.writeJob(
                name, to: "\(name).yaml", source: ["items:"] + items, transfer: ["concurrency: 1"], output: name)
        }
        let program = try workplace.start(["one.yaml", "two.yaml", "--progress", "json"])
        try server.waitForRequests(2)
        #expect(try workplace.run(["status"]).lines.count == 4)
        #expect(try workplace.run(["control", "two", "concurrency", "2"]).ending == .exit(0))
        try server.waitForRequests(3)
        #expect(try workplace.run(["control", "one", "stop", "--now"]).ending == .exit(0))
        for path in ["/a", "/b", "/c", "/d"] { server.release(path) }
        #expect(try program.wait().ending == .exit(1))
        let catalog = try workplace.catalog()
        #expect(
            try catalog.values("SELECT job || ' ' || outcome FROM run ORDER BY job") == ["one partial", "two complete"])
    }

    @Test("reset of a job that is at work offers to stop the run first")
    func reset() throws {
        let bench = try ControlBench(["a1", "a2"], transfer: ["concurrency: 1"])
        try bench.server.waitForRequests(1)
        // Who says yes beforehand meant the files, not the run.
        let refused = try bench.workplace.run(["reset", "list", "--yes"])
        #expect(refused.ending == .exit(75) && refused.errors.contains("'runner control list stop'"))
        let terminal = try TmuxTerminal(bench.workplace, columns: 120)
        try terminal.start([Workplace.Program.testRunner.path, "reset", "list"])
        try terminal.waitForScreen {
            $0.contains { $0.contains("The run 1 of the job 'list' is under way. Stop it first? [y/N]") }
        }
        try terminal.type("y")
        try terminal.waitForScreen { $0.contains { $0.contains("list: stopping") } }
        // It says so before it asks the run.
        while try bench.status()["state"]?.text != "stopping" { poll(nil, 0, 5) }
        bench.release("a1", "a2")
        try terminal.waitForScreen { $0.contains { $0.contains("Delete 2 items of the job 'list' from the catalog") } }
        try terminal.type("y")
        try terminal.waitForScreen { $0.contains("list: 2 items and 1 file deleted") }
        #expect(try bench.program.wait().ending == .exit(1))
        #expect(bench.workplace.files() == [])
    }

    @Test("reports how far long items are while they are in flight")
    func itemProgress() throws {
        let body = [UInt8](repeating: 0x61, count: 400_000)
        let server = try FaultyServer { _ in .ok(body) }
        let workplace = try Workplace()
        try workplace.writeJob(
            source: ["items: [{key: a, url: '\(server.url("/a"))'}]"], transfer: ["bandwidth: 150kB/s"])
        let result = try workplace.run(["job.yaml", "--progress", "json"])
        #expect(result.ending == .exit(0))
        let lines = try result.lines.map { try JSONValue($0) }.filter { $0["event"]?.text == "item-progress" }
        #expect(lines.contains { ($0["percent"]?.number ?? 0) > 0 && $0["expected"]?.number == 400_000 })
        #expect(lines.allSatisfy { $0["run_id"]?.number == 1 && $0["key"]?.text == "a" })
    }
}
