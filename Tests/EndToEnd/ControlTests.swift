import Control
import Glibc
import TestSupport
import Testing

@Suite("End to end: the control socket of a run", .wholeProgramLimit)
struct ControlTests {
    @Test("the status has limits, counts, hosts and collections")
    func status() throws {
        let bench = try ControlBench(["a1", "a2", "b1"])
        try bench.server.waitForRequests(2)
        var status = try bench.status()
        // Who asks first may be answered before the run has reported what the server has seen.
        while status["counts"]?["in_flight"]?.number != 2 { status = try bench.status() }
        #expect(status["run"]?.number == 1 && status["job"]?.text == "list")
        #expect(status["pid"]?.number == Int(bench.program.processID))
        #expect(status["state"]?.text == "running" || status["state"]?.text == "listing")
        #expect(status["concurrency"]?.number == 2 && status["per_host"]?.number == 8)
        #expect(status["bandwidth"] == .null)
        #expect(status["counts"]?["listed"]?.number == 3)
        let host = try #require(status["hosts"]?.elements.first)
        #expect(host["origin"]?.text == bench.server.url("") && host["in_flight"]?.number == 2)
        #expect(host["paused_until"] == .null && host["reason"] == .null)
        #expect(status["collections"]?.elements.map { $0["key"]?.text } == ["a", "b"])
        #expect(status["collections"]?.elements.map { $0["listed"]?.number } == [2, 1])
        #expect(
            status.keys.isSuperset(of: [
                "run", "job", "state", "at", "concurrency", "per_host", "bandwidth", "bandwidth_until", "counts",
                "rates",
                "remaining_seconds", "hosts", "collections",
            ]))
        bench.release("a1", "a2", "b1")
        #expect(try bench.program.wait().ending == .exit(0))
        #expect(bench.workplace.directory.names(in: "catalog.sqlite.control") == [])
    }

    @Test("a higher concurrency begins more before the answer comes; a lower one breaks nothing off")
    func concurrency() throws {
        let items = ["a1", "a2", "a3", "a4", "a5", "a6"]
        let bench = try ControlBench(items)
        try bench.server.waitForRequests(2)
        #expect(try bench.post("limits", #"{"concurrency": 4}"#)["concurrency"]?.number == 4)
        try bench.server.waitForRequests(4)
        #expect(try bench.post("limits", #"{"concurrency": 1}"#)["concurrency"]?.number == 1)
        bench.release("a1")
        try bench.waitForEnd(of: "a1")
        #expect(try bench.status()["counts"]?["in_flight"]?.number == 3)
        bench.release("a2", "a3")
        try bench.waitForEnd(of: "a3")
        #expect(bench.server.requests.count == 4)
        bench.release("a4", "a5", "a6")
        #expect(try bench.program.wait().ending == .exit(0))
        // One after another once the limit was low; what begins together arrives in any order.
        let paths = bench.server.requests.map(\.path)
        #expect(Set(paths.prefix(2)) == ["/a1", "/a2"] && Set(paths.dropFirst(2).prefix(2)) == ["/a3", "/a4"])
        #expect(paths.dropFirst(4) == ["/a5", "/a6"])
    }

    @Test("per_host and bandwidth are limits of the run from now on")
    func otherLimits() throws {
        let bench = try ControlBench(["a1", "a2", "a3"], transfer: ["concurrency: 3", "per_host: 1"])
        try bench.server.waitForRequests(1)
        let limits = try bench.post("limits", #"{"per_host": 3, "bandwidth": "5MB/s"}"#)
        #expect(limits["per_host"]?.number == 3 && limits["bandwidth"]?.number == 5_000_000)
        try bench.server.waitForRequests(3)
        #expect(try bench.status()["bandwidth"]?.number == 5_000_000)
        #expect(try bench.post("limits", #"{"bandwidth": null}"#)["bandwidth"] == .null)
        bench.release("a1", "a2", "a3")
        #expect(try bench.program.wait().ending == .exit(0))
    }

    @Test("a limit holds for what is in flight, and is lifted for it")
    func bandwidthInFlight() throws {
        let body = [UInt8](repeating: 0x61, count: 60_000_000)
        let server = try FaultyServer { _ in .ok(body) }
        server.hold("/a")
        let bench = try ControlBench(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"], server)
        try server.waitForRequests(1)
        try bench.post("limits", #"{"bandwidth": 2000000}"#)
        bench.release("a")
        // Half a minute's worth of bytes: some of it, and not all, is there when the first progress is reported.
        let events = try bench.events { _, data in
            (data["in_flight"]?.elements.first?["received"]?.number ?? 0) > 0
        }
        let item = try #require(events.last?.data["in_flight"]?.elements.first)
        #expect(item["received"]?.number ?? .max < 40_000_000 && item["expected"]?.number == 60_000_000)
        #expect(item["phase"]?.text == "downloading" && item["collection"]?.text == "list")
        let start = monotonicMicroseconds()
        try bench.post("limits", #"{"bandwidth": "none"}"#)
        #expect(try bench.program.wait().ending == .exit(0))
        #expect(monotonicMicroseconds() - start < 10_000_000)
    }

    @Test("a paused run begins nothing, and goes on")
    func pause() throws {
        let bench = try ControlBench(["a1", "a2", "a3", "a4"])
        try bench.server.waitForRequests(2)
        try bench.post("pause")
        try bench.post("pause")
        bench.release("a1", "a2")
        try bench.waitForEnd(of: "a1")
        try bench.waitForEnd(of: "a2")
        let status = try bench.status()
        #expect(status["state"]?.text == "paused" && status["counts"]?["in_flight"]?.number == 0)
        #expect(bench.server.requests.count == 2)
        bench.release("a3", "a4")
        try bench.post("resume")
        #expect(try bench.program.wait().ending == .exit(0))
        #expect(bench.server.requests.count == 4)
    }

    @Test("a paused collection begins nothing while others go on")
    func pauseCollection() throws {
        let bench = try ControlBench(["a1", "a2", "b1", "b2"], transfer: ["concurrency: 1"])
        try bench.server.waitForRequests(1)
        try bench.post("pause", #"{"collections": ["a"]}"#)
        #expect(try bench.status()["collections"]?.elements.first?["state"]?.text == "paused")
        bench.release("a1", "a2", "b1", "b2")
        try bench.waitForEnd(of: "b2")
        #expect(bench.server.requests.map(\.path) == ["/a1", "/b1", "/b2"])
        try bench.post("resume", #"{"collections": ["a"]}"#)
        #expect(try bench.program.wait().ending == .exit(0))
    }

    @Test("what is prioritised comes next; another list takes the place of the first")
    func prioritise() throws {
        let bench = try ControlBench(["a1", "a2", "a3", "a4", "a5"], transfer: ["concurrency: 1"])
        try bench.server.waitForRequests(1)
        let (third, fifth) = (try bench.id("a3"), try bench.id("a5"))
        try bench.post("prioritise", #"{"items": [\#(third)]}"#)
        try bench.post("prioritise", #"{"items": [\#(fifth), 99999999]}"#)
        bench.release("a1", "a2", "a3", "a4", "a5")
        #expect(try bench.program.wait().ending == .exit(0))
        #expect(bench.server.requests.map(\.path) == ["/a1", "/a5", "/a2", "/a3", "/a4"])
    }

    @Test("what is prioritised before this run has listed it comes first as well")
    func prioritiseEarly() throws {
        let server = try FaultyServer { _ in .ok("body", headers: [("ETag", "\"1\"")]) }
        let workplace = try Workplace()
        try workplace.writeJob(
            source: ["template: '\(server.url("/{n}"))'", "count: 5", "index: '\(server.url("/index"))'"],
            transfer: ["concurrency: 1"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let fourth = try workplace.catalog().number("SELECT id FROM item WHERE url LIKE '%/4'")
        let asked = server.requests.count
        server.hold("/index")
        let program = try workplace.start(["job.yaml", "--progress", "json"])
        let client = try ControlBench.client(of: program, workplace, run: 2)
        _ = try client.post("prioritise", json: "{\"items\": [\(fourth)]}")
        server.release("/index")
        #expect(try program.wait().ending == .exit(0))
        #expect(server.requests.map(\.path)[asked...].prefix(2) == ["/index", "/4"])
    }

    @Test("cancelling one place of a URL cancels only that place, in flight or waiting", arguments: [true, false])
    func cancelPlace(_ isInFlight: Bool) throws {
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/first")
        server.hold("/x")
        let items = [("first", "first"), ("one", "x"), ("two", "x")].map { key, path in
            "  - {key: \(key), collection: \(key), url: '\(server.url("/\(path)"))'}"
        }
        let bench = try ControlBench(
            source: ["items:"] + items, server, transfer: ["concurrency: \(isInFlight ? 2 : 1)"])
        try server.waitForRequests(isInFlight ? 2 : 1)
        #expect(try bench.post("cancel", #"{"items": [\#(try bench.id("one"))]}"#)["items"]?.number == 1)
        bench.release("first", "x")
        #expect(try bench.program.wait().ending == .exit(1))
        let catalog = try bench.workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.outcomes() == ["first downloaded", "one cancelled cancelled", "two downloaded"])
        #expect(bench.workplace.files() == ["first/first.bin", "two/two.bin"])
    }

    @Test("a cancelled collection ends, in flight and waiting; the others go on")
    func cancelCollection() throws {
        let bench = try ControlBench(["a1", "a2", "a3", "b1"], transfer: ["concurrency: 1"])
        try bench.server.waitForRequests(1)
        #expect(try bench.post("cancel", #"{"collections": ["a"]}"#)["items"]?.number == 3)
        bench.release("b1")
        #expect(try bench.program.wait().ending == .exit(1))
        #expect(
            try bench.workplace.catalog().outcomes() == [
                "a1 cancelled cancelled", "a2 cancelled cancelled", "a3 cancelled cancelled", "b1 downloaded",
            ])
    }

    @Test("a run that is cancelled lets what is in flight end, or not", arguments: [false, true])
    func cancelRun(_ now: Bool) throws {
        let bench = try ControlBench(["a1", "a2", "a3"])
        try bench.server.waitForRequests(2)
        try bench.post("cancel", #"{"run": true, "now": \#(now)}"#)
        if !now {
            #expect(try bench.status()["state"]?.text == "stopping")
            #expect(try bench.refusal("pause", "{}") == "409 the run is being stopped")
            #expect(try bench.refusal("retry", #"{"failed": true}"#) == "409 the run is being stopped")
            bench.release("a1", "a2")
        }
        let result = try bench.program.wait()
        #expect(result.ending == .exit(1))
        let catalog = try bench.workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.value("SELECT detail FROM run") == "stopped on request")
        #expect(try catalog.number("SELECT downloaded FROM run") == (now ? 0 : 2))
    }

    @Test("what failed is tried again within the run; its figures are those of the rows")
    func retry() throws {
        let attempts = Monitor(0)
        let bench = try ControlBench(["a1", "a2", "b1"], transfer: ["concurrency: 3"]) { request in
            guard request.path == "/a1" else { return .ok("body") }
            let number = attempts.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? .status(404, Array("no".utf8)) : .ok("body of a1")
        }
        bench.release("a1", "a2")
        try bench.waitForEnd(of: "a1")
        try bench.waitForEnd(of: "a2")
        #expect(try bench.status()["counts"]?["failed"]?.number == 1)
        #expect(try bench.refusal("retry", #"{"items": [\#(try bench.id("a2"))]}"#).hasPrefix("409 "))
        #expect(try bench.post("retry", #"{"failed": true}"#)["items"]?.number == 1)
        try bench.server.waitForRequests(2, path: "/a1")
        #expect(try bench.post("retry", #"{"failed": true}"#)["items"]?.number == 0)
        bench.release("b1")
        #expect(try bench.program.wait().ending == .exit(0))
        let catalog = try bench.workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.outcomes() == ["a1 downloaded", "a2 downloaded", "b1 downloaded"])
    }

    @Test("several places of a URL that failed are tried again with one request; one that was cancelled, too")
    func retryPlaces() throws {
        let attempts = Monitor(0)
        let server = try FaultyServer { request in
            guard request.path == "/x" else { return .ok("body") }
            let number = attempts.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? .status(403) : .ok("body")
        }
        server.hold("/last")
        let items = [("one", "x"), ("two", "x"), ("three", "y"), ("last", "last")].map { key, path in
            "  - {key: \(key), collection: \(key), url: '\(server.url("/\(path)"))'}"
        }
        server.hold("/y")
        let bench = try ControlBench(source: ["items:"] + items, server, transfer: ["concurrency: 3"])
        try bench.waitForEnd(of: "two")
        try server.waitForRequests(1, path: "/y")
        let third = try bench.id("three")
        try bench.post("cancel", #"{"items": [\#(third)]}"#)
        try bench.waitForEnd(of: "three")
        #expect(try bench.post("retry", #"{"failed": true}"#)["items"]?.number == 2)
        server.release("/y")
        #expect(try bench.post("retry", #"{"items": [\#(third)]}"#)["items"]?.number == 1)
        bench.release("last")
        #expect(try bench.program.wait().ending == .exit(0))
        let catalog = try bench.workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(server.requests.count { $0.path == "/x" } == 2)
        #expect(try catalog.number("SELECT downloaded FROM run") == 4)
    }

    @Test("what is wrong with a request is said, with the way out")
    func refusals() throws {
        let bench = try ControlBench(["a1"])
        let cases: [(verb: String, body: String, answer: String)] = [
            ("limits", #"{"concurency": 4}"#, "400 unknown key 'concurency'; did you mean 'concurrency'?"),
            ("limits", #"{"concurrency": 0}"#, "400 concurrency is a whole number from 1 to 1024"),
            ("limits", #"{"concurrency": 9223372036854775807}"#, "400 concurrency is a whole number from 1 to 1024"),
            ("limits", #"{"per_host": "4"}"#, "400 per_host is a whole number from 1 to 1024"),
            ("limits", "{}", "400 give at least one of concurrency, per_host and bandwidth"),
            (
                "limits", #"{"bandwidth": "fast"}"#,
                "400 bandwidth is a rate such as 5MB/s or 512KiB/s, a number of bytes a second, or none"
            ),
            ("pause", "[]", "400 the body is not a JSON object"),
            ("pause", "{", "400 the body is not JSON"),
            ("pause", #"{"collections": ["nowhere"]}"#, "404 the run has no collection 'nowhere'"),
            ("cancel", "{}", "400 give one of items, collections and run"),
            ("cancel", #"{"items": [1], "run": true}"#, "400 give one of items, collections and run"),
            ("cancel", #"{"items": [4711]}"#, "404 none of these items is one of the run"),
            ("cancel", #"{"items": [-1]}"#, "400 items is a list of item ids: whole numbers above 0"),
            (
                "prioritise", "{\"items\": [\((1...501).map(String.init).joined(separator: ","))]}",
                "400 items has more than 500 ids"
            ),
            ("retry", "{}", "400 give either items or failed"),
            ("resum", "{}", "404 did you mean /v1/resume?"),
            ("status", "{}", "405 /v1/status is asked by GET"),
        ]
        for (verb, body, answer) in cases { #expect(try bench.refusal(verb, body) == answer) }
        bench.release("a1")
        #expect(try bench.program.wait().ending == .exit(0))
    }
}
