import Glibc
import Jobs
import Schedule
import TestSupport
import Testing

@testable import Model
@testable import Run

/// Stopping, pausing and steering a run that is under way.
@Suite("Control of a run", .timeLimit(.minutes(1)))
struct ControlTests {
    private func bench(_ transfer: String = "concurrency: 1", _ responses: [String: [FaultyServer.Response]] = [:])
        throws -> Bench
    {
        let bench = try Bench(
            responses, transfer: transfer, answering: { responses[$0.path] == nil ? .ok($0.path) : nil })
        bench.server.hold("/a")
        return bench
    }

    private func items(_ bench: Bench, _ names: String = "abc") -> [ListedItem] {
        names.map { bench.item("/\($0)") }
    }

    @Test("stop lets what is in flight end and cancels the rest")
    func stop() async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench))
        try await running.waitForStart("a")
        running.session.stop()
        bench.server.release("/a")
        let report = try await running.report()
        #expect(report.outcome == .interrupted)
        #expect(try report["a"].outcome == "downloaded")
        for key in ["b", "c"] {
            #expect(try report[key].outcome == "cancelled")
            #expect(try report[key].failure == "cancelled")
            #expect(try report[key].attempts == 0)
            #expect(try report[key].state == "pending")
        }
        #expect(bench.server.requests.count == 1)
        // The next run takes up what is left.
        #expect(try await bench.run(items(bench)).outcome == .complete)
    }

    @Test("after the grace period, or a second signal, what is in flight is broken off", arguments: [true, false])
    func abort(_ byGrace: Bool) async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench)) { if byGrace { $0.gracePeriod = 1_000 } }
        try await running.waitForStart("a")
        _ = try await blocking { try bench.server.waitForRequests(1) }
        running.session.stop()
        if !byGrace { running.session.abort() }
        let report = try await running.report()
        #expect(report.outcome == .interrupted)
        let row = try report["a"]
        #expect(row.outcome == "cancelled")
        #expect(row.attempts == 1)
        // Long before the stall that would end it otherwise.
        #expect(row.transfer["elapsed_us"]?.integer.map { $0 < 20_000_000 } == true)
    }

    @Test("an item that waits to be tried again is cancelled with its attempts")
    func stopWhileRetrying() async throws {
        let bench = try bench("concurrency: 1", ["/z": [.status(503, Array("later".utf8))]])
        let running = try bench.begin([bench.item("/z"), bench.item("/a")]) { options in
            options.backoff.base = 3_600_000_000
            options.backoff.limit = 3_600_000_000
        }
        // One at a time: the second begins when the first waits.
        try await running.waitForStart("a")
        running.session.stop()
        bench.server.release("/a")
        let row = try await running.report()["z"]
        #expect(row.outcome == "cancelled")
        #expect(row.attempts == 1)
        #expect(row.status == 503)
        #expect(row.transfer["wire_bytes"] == 5)
    }

    @Test("stop while the source is asking ends the list")
    func stopWhileListing() async throws {
        let bench = try bench()
        bench.server.hold("/")
        let running = try bench.begin(bench.job.source) { $0.gracePeriod = 1_000 }
        _ = try await blocking { try bench.server.waitForRequests(1) }
        running.session.stop()
        let report = try await running.report()
        #expect(report.outcome == .interrupted)
    }

    @Test("stop before anything begins")
    func stopAtOnce() async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench))
        running.session.stop()
        running.session.abort()
        let report = try await running.report()
        #expect(report.outcome == .interrupted)
        #expect(bench.files.isEmpty)
    }

    @Test("the bandwidth follows its timetable while the run goes on, and a limit that somebody sets takes its place")
    func timetable() async throws {
        let bench = try bench("concurrency: 1\nbandwidth: 08:00 2MB/s, 19:00 none")
        let clock = SetClock(second: 68_000)
        let door = HandleDoor()
        let running = try bench.begin(items(bench)) { options in
            options.dayClock = clock.dayClock
            options.interest.activityInterval = 1_000
            options.door = door
        }
        try await running.waitForStart("a")
        let handle = try #require(door.handle)
        #expect(handle.limits == RunLimits(concurrency: 1, perHost: 8, bandwidth: 2_000_000, bandwidthUntil: "19:00"))
        #expect(clock.wakes == [400])
        clock.advance(to: 68_400)
        #expect(handle.limits == RunLimits(concurrency: 1, perHost: 8, bandwidth: nil, bandwidthUntil: "08:00"))
        try await running.wait { event in
            if case .control(let control) = event, control.bandwidthUntil == "08:00" { true } else { nil }
        }
        _ = try handle.setLimits(concurrency: nil, perHost: nil, bandwidth: 5_000)
        clock.advance(to: 30_000)
        #expect(handle.limits == RunLimits(concurrency: 1, perHost: 8, bandwidth: 5_000, bandwidthUntil: nil))
        _ = try handle.setLimits(concurrency: nil, perHost: nil, bandwidth: .some(nil))
        bench.server.release("/a")
        #expect(try await running.report().outcome == .complete)
    }

    @Test("a deadline cuts the run")
    func deadline() async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench)) { options in
            options.deadline = 50_000
            options.gracePeriod = 1_000
        }
        let report = try await running.report()
        #expect(report.outcome == .partial)
        #expect(report.finished?.detail == "the deadline cut the run")
        #expect(report.finished?.isAcceptable == false)
        #expect(report.items.values.allSatisfy { $0.outcome == "cancelled" })
    }

    @Test("a deadline that comes after the end changes nothing")
    func lateDeadline() async throws {
        let bench = try bench()
        bench.server.release("/a")
        let report = try await bench.run(items(bench)) { $0.deadline = 3_600_000_000 }
        #expect(report.outcome == .complete)
    }

    @Test("what is asked of a run after its end changes nothing")
    func afterTheEnd() async throws {
        let bench = try bench()
        bench.server.release("/a")
        let running = try bench.begin(items(bench))
        let report = try await running.report()
        #expect(report.outcome == .complete)
        running.session.pause()
        running.session.resume()
        running.session.changeConcurrency { _ in 5 }
        running.session.prioritise(items: [1])
        running.session.cancel(items: [1, 2, 3])
        running.session.stop()
        running.session.abort()
        #expect(try bench.table("SELECT * FROM transfer WHERE outcome <> 'downloaded'").isEmpty)
        #expect(try bench.table("SELECT outcome FROM run").map { $0["outcome"] } == ["complete"])
    }

    @Test("cancel ends an item in flight, and one that waits")
    func cancel() async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench))
        let first = try await running.waitForStart("a")
        let last = try #require(try bench.table("SELECT id FROM item WHERE key = 'c'").first?["id"]?.integer)
        running.session.cancel(items: [first, last, 999])
        let report = try await running.report()
        #expect(try report["a"].outcome == "cancelled")
        #expect(try report["a"].attempts == 1)
        #expect(try report["b"].outcome == "downloaded")
        #expect(try report["c"].outcome == "cancelled")
        #expect(try report["c"].attempts == 0)
        #expect(report.outcome == .partial)
        #expect(bench.requests("/c").isEmpty)
    }

    @Test("cancel ends an item that waits to be tried again, or for a redirect's host", arguments: ["retry", "hop"])
    func cancelWaiting(_ what: String) async throws {
        let other = try FaultyServer { _ in .ok("there") }
        other.hold("/first")
        let response: FaultyServer.Response = what == "retry" ? .status(503) : .redirect(to: other.url("/second"))
        let bench = try bench(
            "concurrency: 2\nper_host: 1\nallow_private_addresses: true",
            ["/z": [response], "/w": [.redirect(to: other.url("/first"))]])
        bench.server.release("/a")
        // The first redirect takes the other host's only slot.
        let list = ["/w", "/z", "/a"].map { bench.item($0) }
        let running = try bench.begin(list) { options in
            options.backoff.base = 3_600_000_000
            options.backoff.limit = 3_600_000_000
        }
        _ = try await blocking { try other.waitForRequests(1) }
        let id = try await running.waitForStart("z")
        if what == "retry" {
            try await running.waitForStart("a")
        } else {
            _ = try await blocking { try bench.server.waitForRequests(1, path: "/z") }
        }
        running.session.cancel(items: [id])
        try await running.wait { event in if case .itemFinished(let item) = event, item.key == "z" { true } else { nil }
        }
        other.release("/first")
        let report = try await running.report()
        #expect(try report["z"].outcome == "cancelled")
        #expect(try report["z"].attempts == 1)
        #expect(try report["w"].outcome == "downloaded")
        #expect(other.requests.map(\.path) == ["/first"])
        #expect(try report["a"].outcome == "downloaded", "the slot is free again")
    }

    @Test("cancel of an item whose transfer has just ended leaves one row")
    func cancelEnded() async throws {
        let bench = try bench()
        let running = try bench.begin([bench.item("/z"), bench.item("/a")])
        // One at a time: when the second begins the first has ended, and waits to be recorded with others.
        let id = try await running.waitForStart("z")
        try await running.waitForStart("a")
        running.session.cancel(items: [id])
        bench.server.release("/a")
        let report = try await running.report()
        #expect(["cancelled", "downloaded"].contains(try report["z"].outcome))
        #expect(try report["a"].outcome == "downloaded")
    }

    @Test("a paused run begins nothing, and goes on when it is resumed")
    func pause() async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench))
        try await running.waitForStart("a")
        running.session.pause()
        bench.server.release("/a")
        try await running.wait { event in if case .itemFinished = event { true } else { nil } }
        #expect(bench.server.requests.count == 1)
        running.session.resume()
        #expect(try await running.report().outcome == .complete)
    }

    @Test("a run that is paused before it begins asks for nothing until it is resumed")
    func pauseAtOnce() async throws {
        let bench = try bench()
        bench.server.release("/a")
        let running = try bench.begin(items(bench)) { $0.interest.activityInterval = 1_000 }
        running.session.pause()
        running.session.changeConcurrency { _ in 3 }
        try await running.wait { event in
            if case .control(let control) = event, control.isPaused, control.concurrency == 3 { true } else { nil }
        }
        running.session.resume()
        #expect(try await running.report().outcome == .complete)
    }

    @Test("a stop after which nothing was left undone does not make a run partial", arguments: [true, false])
    func needlessStop(_ isDeadline: Bool) async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench, "a")) { $0.interest.activityInterval = 1_000 }
        try await running.wait { event in
            if case .progress(let progress) = event, progress.isListComplete { true } else { nil }
        }
        running.session.stop(isDeadline ? .deadline : .request)
        try await running.wait { event in
            if case .control(let control) = event, control.isStopping { true } else { nil }
        }
        bench.server.release("/a")
        let report = try await running.report()
        #expect(report.outcome == .complete)
        #expect(report.finished?.detail == nil)
    }

    @Test("a run that a person stops is partial; by a signal as well it is interrupted", arguments: [false, true])
    func stopOnRequest(_ isSignalled: Bool) async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench))
        try await running.waitForStart("a")
        running.session.stop(.request)
        if isSignalled { running.session.stop() }
        bench.server.release("/a")
        let report = try await running.report()
        #expect(report.outcome == (isSignalled ? .interrupted : .partial))
        #expect(report.finished?.detail == (isSignalled ? "stopped by a signal" : "stopped on request"))
        #expect(report.finished?.isAcceptable == false)
        #expect(try report["c"].outcome == "cancelled")
    }

    @Test("more concurrency begins more at once")
    func concurrency() async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench))
        try await running.waitForStart("a")
        running.session.changeConcurrency { _ in 3 }
        _ = try await blocking { try bench.server.waitForRequests(3) }
        bench.server.release("/a")
        #expect(try await running.report().outcome == .complete)
    }

    @Test("what is prioritised is asked for first")
    func prioritise() async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench, "abcd"))
        try await running.waitForStart("a")
        let ids = try bench.table("SELECT id FROM item WHERE key IN ('c', 'd')").compactMap { $0["id"]?.integer }
        running.session.prioritise(items: Set(ids))
        bench.server.release("/a")
        #expect(try await running.report().outcome == .complete)
        #expect(bench.server.requests.map(\.path) == ["/a", "/c", "/d", "/b"])
    }

    @Test("a second run of the same job is locked out, and told by whom")
    func locked() async throws {
        let bench = try bench()
        let running = try bench.begin(items(bench))
        try await running.waitForStart("a")
        let second = try await bench.begin(items(bench)) { $0.interest.activityInterval = 1_000_000 }.report()
        #expect(second.events.contains { if case .jobAbandoned("job") = $0 { true } else { false } })
        guard case .locked(let pid, let since) = second.ending else {
            Issue.record("\(second.ending)")
            return
        }
        #expect(pid == getpid())
        #expect(since > 1_700_000_000_000_000)
        bench.server.release("/a")
        #expect(try await running.report().outcome == .complete)
        #expect(try bench.table("SELECT id FROM run").count == 1)
    }

    @Test("an output directory belongs to one job")
    func claimed() async throws {
        let first = try Bench(["/a": [.ok("x")]])
        _ = try await first.run("/a")
        var second = try Bench(["/a": [.ok("y")]], name: "other", directory: first.directory)
        second.job.output.directory = first.job.output.directory
        let ending = try await second.begin([second.item("/a")]).report().ending
        guard case .failed(let reason) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(reason.contains("belongs to the job 'job'"), "\(reason)")
        #expect(try first.table("SELECT name FROM job").count == 1)
    }

    @Test("a run that was killed becomes interrupted when the next begins")
    func killed() async throws {
        let bench = try bench()
        bench.server.release("/a")
        _ = try await bench.run(items(bench))
        try bench.change("UPDATE run SET outcome = 'running', finished_at = NULL")
        _ = try await bench.run(items(bench))
        #expect(
            try bench.table("SELECT outcome FROM run ORDER BY id").map { $0["outcome"] } == ["interrupted", "complete"])
    }

    @Test("two jobs of one session run side by side and share the host's limit")
    func twoJobs() async throws {
        let first = try Bench(["/a": [.ok("x")]])
        let second = try Bench(["/b": [.ok("y")]], name: "other", directory: first.directory)
        var jobs = [first.job, second.job]
        jobs[0].source = .items([first.item("/a")])
        jobs[1].source = .items([second.item("/b")])
        let session = try Session(jobs: jobs, options: first.options) { _ in }
        let results = await session.run()
        #expect(results.map(\.job) == ["job", "other"])
        for result in results {
            guard case .ran(let finished) = result.ending else {
                Issue.record("\(result.ending)")
                continue
            }
            #expect(finished.outcome == .complete)
        }
        #expect(try first.table("SELECT job FROM item ORDER BY job").map { $0["job"] } == ["job", "other"])
    }
}
