import Schedule
import TestSupport
import Testing

@testable import Model
@testable import Run

/// What a session tells those who watch it.
@Suite("Progress of a run", .timeLimit(.minutes(1)))
struct ProgressTests {
    private static let watching = EventInterest(includesItems: false, activityInterval: 5_000)

    @Test("the sums of each collection are those of its items")
    func sums() async throws {
        let bench = try Bench(["/a": [.ok("a")], "/b": [.ok("b")], "/c": [.ok("c")]])
        let list = [
            bench.item("/a", collection: "one"), bench.item("/missing", collection: "one"),
            bench.item("/b", collection: "two"), bench.item("/c", collection: "two"),
        ]
        let report = try await bench.run(list) { $0.interest = Self.watching }
        var sums: [String: CollectionProgress] = [:]
        var last: RunProgress?
        for case .progress(let progress) in report.events {
            for collection in progress.collections { sums[collection.title] = collection }
            last = progress
        }
        #expect(sums.mapValues { [$0.listed, $0.done, $0.failed] } == ["One": [2, 2, 1], "Two": [2, 2, 0]])
        #expect(last?.figures == report.finished?.figures)
        #expect(last?.listed == 4 && last?.isListComplete == true)
    }

    @Test("a run of failed items tells their collections, though nothing is listed")
    func failedOnly() async throws {
        let bench = try Bench()
        _ = try await bench.run([bench.item("/a", collection: "one")])
        let report = try await bench.run([]) { options in
            options.interest = Self.watching
            options.selection.isFailedOnly = true
        }
        let told = report.events.compactMap {
            if case .progress(let progress) = $0 { progress.collections } else { nil }
        }
        #expect(told.joined().last.map { [$0.title, "\($0.listed)", "\($0.failed)"] } == ["One", "1", "1"])
    }

    @Test("items that were cancelled are in the sums")
    func cancelled() async throws {
        let bench = try Bench(transfer: "concurrency: 1") { _ in .ok("body") }
        bench.server.hold("/a")
        let running = try bench.begin([bench.item("/a"), bench.item("/b"), bench.item("/c")]) {
            $0.interest = Self.watching
        }
        try await running.wait { event in
            if case .activity(let activity) = event, !activity.items.isEmpty { true } else { nil }
        }
        running.session.stop()
        bench.server.release("/a")
        let report = try await running.report()
        let told = report.events.compactMap {
            if case .progress(let progress) = $0 { progress.collections } else { nil }
        }
        #expect(told.joined().last.map { [$0.done, $0.cancelled] } == [3, 2])
    }

    @Test("what is in flight is told while the server has not ended")
    func activity() async throws {
        let body = picture(10_000)
        let bench = try Bench(["/slow": [.ok(body).cut(after: 4_000, .stall)], "/more": [.ok("x")]])
        bench.server.hold("/more")
        let running = try bench.begin([bench.item("/slow", title: "Slow"), bench.item("/more")]) {
            $0.interest = Self.watching
            $0.gracePeriod = 1_000
        }
        let activity = try await running.wait { event -> RunActivity? in
            guard case .activity(let activity) = event, activity.items.count == 2 else { return nil }
            return activity.items[0].received == 4_000 ? activity : nil
        }
        let slow = activity.items[0]
        #expect(slow.title == "Slow" && slow.stage == .receiving && slow.total == 10_008 && slow.attempt == 1)
        #expect(slow.host == "127.0.0.1:\(bench.server.port)")
        #expect(activity.items[1].stage == .waiting && activity.items[1].total == nil)
        #expect(activity.receivedBytes == 4_000)
        bench.server.release("/more")
        // The bytes of those that have ended stay counted.
        try await running.wait { event in
            if case .activity(let activity) = event, activity.receivedBytes == 4_001 { true } else { nil }
        }
        running.session.stop()
        _ = try await running.report()
    }

    @Test("a host that asks to be left alone is told with its time")
    func held() async throws {
        let bench = try Bench(["/a": [.status(503, headers: [("Retry-After", "60")])]])
        let running = try bench.begin([bench.item("/a")]) { $0.interest = Self.watching }
        let held = try await running.wait { event in if case .hostHeld(let held) = event { held } else { nil } }
        #expect(held.host == "127.0.0.1:\(bench.server.port)")
        #expect(held.until - held.at == 60_000_000 && held.reason == .retryAfter)
        let activity = try await running.wait { event -> RunActivity? in
            if case .activity(let activity) = event, activity.waiting == 1 { activity } else { nil }
        }
        #expect(activity.items.isEmpty && activity.retries == 0)
        running.session.stop()
        _ = try await running.report()
    }

    @Test("a host that fails on and on is told as held back")
    func failing() async throws {
        let bench = try Bench(["/a": [.steps([.close])]], transfer: "retries: 100\nconcurrency: 1")
        let running = try bench.begin([bench.item("/a")]) { options in
            options.interest = Self.watching
            options.backoff.limit = 2_000
            options.breaker.streak = 20_000
            options.breaker.pause = 3_600_000_000
        }
        let held = try await running.wait { event in if case .hostHeld(let held) = event { held } else { nil } }
        #expect(held.host == "127.0.0.1:\(bench.server.port)" && held.reason == .failures)
        #expect(held.until - held.at > 3_000_000_000)
        running.session.stop()
        _ = try await running.report()
    }

    @Test("tries again are counted")
    func retries() async throws {
        // Not 503: after it the host is asked one thing at a time, and that is /z.
        let bench = try Bench(["/a": [.status(500), .status(500), .ok("a")], "/z": [.ok("z")]])
        bench.server.hold("/z")
        let running = try bench.begin([bench.item("/a"), bench.item("/z")]) { $0.interest = Self.watching }
        try await running.wait { event in
            if case .activity(let activity) = event, activity.retries == 2 { true } else { nil }
        }
        bench.server.release("/z")
        #expect(try await running.report().outcome == .complete)
    }

    @Test("a reader that stands still does not make what is in flight pile up")
    func slowReader() async throws {
        let isOpen = Monitor(false)
        let count = Monitor(0)
        let stream = EventStream { events in
            count.withLock { $0 += events.count }
            _ = isOpen.wait { $0 ? true : nil }
        }
        let event = RunEvent.activity(RunActivity(items: [], receivedBytes: 0))
        for _ in 0..<10_000 { stream.offer([event]) }
        isOpen.withLock { $0 = true }
        await stream.drain()
        #expect((1...2_000).contains(count.withLock { $0 }))
    }

    @Test("what nobody wants to hear of is not made")
    func nothing() async throws {
        let bench = try Bench(["/a": [.ok("a")]])
        let report = try await bench.run([bench.item("/a"), bench.item("/missing")]) {
            $0.interest = EventInterest(includesItems: false)
        }
        let kinds = report.events.map { event in
            switch event {
            case .runStarted: "start"
            case .itemFinished(let item): item.key
            case .runFinished: "end"
            default: "more"
            }
        }
        #expect(kinds == ["start", "missing", "end"])
    }
}
