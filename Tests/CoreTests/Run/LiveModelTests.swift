import TestSupport
import Testing

@testable import Core

@Suite("Watching a session", .timeLimit(.minutes(1)))
struct LiveModelTests {
    private func progress(_ done: Int, of listed: Int, ended: [Int64] = []) -> RunEvent {
        var figures = RunFigures()
        figures.downloaded = done
        var collection = CollectionProgress(id: 1, key: "c", title: "C")
        collection.listed = listed
        collection.done = done
        return .progress(
            RunProgress(
                job: "j", listed: listed, isListComplete: true, figures: figures, collections: [collection],
                items: ended.map { EndedItem(id: $0, outcome: .downloaded) }))
    }

    private func activity(_ ids: [Int64]) -> RunEvent {
        .activity(
            RunActivity(
                items: ids.map { id in
                    ItemActivity(id: id, job: "j", key: "k\(id)", collection: 1, title: "", host: "h", stage: .waiting)
                }, receivedBytes: 0))
    }

    /// A hub whose watchers find what `tell` publishes when they come.
    private func hub(_ tell: @escaping @Sendable (EventHub) -> Void) -> EventHub {
        let hub = EventHub(interest: EventInterest(includesItems: false), jobs: ["j"]) { _ in }
        hub.live.onJoin { [weak hub] done in
            if let hub { tell(hub) }
            done()
        }
        return hub
    }

    private func join(_ hub: EventHub) async {
        await withCheckedContinuation { continuation in hub.live.join { continuation.resume() } }
    }

    private func settle(_ hub: EventHub) async {
        await withCheckedContinuation { continuation in hub.live.settle { continuation.resume() } }
    }

    @Test("while nobody watches nothing is wanted; whoever comes finds everything that is known")
    func join() async throws {
        let hub = hub { $0.publish([self.progress(3, of: 9), self.activity([4])], mayWait: false) }
        #expect(!hub.interest.isWatched && !hub.interest.includesProgress && hub.interest.activityInterval == nil)
        #expect(hub.live.view(of: "j") == nil)
        await join(hub)
        #expect(hub.interest.includesProgress)
        let view = try #require(hub.live.view(of: "j"))
        #expect(view.changes.job.done == 3 && view.changes.state == .running)
        #expect(view.changes.collections.map(\.key) == ["c"])
        #expect(view.changes.files.map(\.file.key) == ["k4"])
        hub.live.leave()
        #expect(!hub.interest.isWatched && hub.live.view(of: "j") == nil)
    }

    @Test("a reader gets only what has changed since it looked, however long it did not look")
    func changes() async throws {
        let hub = hub { $0.publish([self.progress(0, of: 9), self.activity([])], mayWait: false) }
        await join(hub)
        let first = try #require(hub.live.view(of: "j")).changes.version
        #expect(try #require(hub.live.view(of: "j", since: first)).changes.isEmpty)
        hub.publish([activity([1, 2]), progress(1, of: 9, ended: [1]), activity([2])], mayWait: false)
        await settle(hub)
        let changes = try #require(hub.live.view(of: "j", since: first)).changes
        #expect(changes.hasCounts && !changes.hasControl)
        #expect(changes.files.map(\.file.id) == [2])
        #expect(changes.ended.map(\.id) == [1] && changes.ended.first?.outcome == .downloaded)
        // Two readers do not take from each other.
        #expect(try #require(hub.live.view(of: "j", since: first)).changes.ended.count == 1)
        #expect(try #require(hub.live.view(of: "j", since: changes.version)).changes.isEmpty)
        hub.live.leave()
    }

    @Test("what a reader missed is told as long as it is known, else it gets everything anew")
    func ring() async throws {
        let hub = hub { $0.publish([self.progress(0, of: 0), self.activity([])], mayWait: false) }
        await join(hub)
        let first = try #require(hub.live.view(of: "j")).changes.version
        hub.publish([progress(8_000, of: 8_000, ended: Array(1...8_000))], mayWait: false)
        await settle(hub)
        let second = try #require(hub.live.view(of: "j", since: first)).changes
        #expect(second.ended.count == 8_000)
        hub.publish([progress(16_000, of: 16_000, ended: Array(8_001...16_000))], mayWait: false)
        await settle(hub)
        #expect(hub.live.view(of: "j", since: first) == nil)
        #expect(try #require(hub.live.view(of: "j", since: second.version)).changes.ended.count == 8_000)
        #expect(hub.live.view(of: "j", since: .max) == nil)
        hub.live.leave()
        // Versions of the next model are later ones.
        await join(hub)
        #expect(hub.live.view(of: "j", since: second.version) == nil)
        #expect(try #require(hub.live.view(of: "j")).changes.version > second.version)
        hub.live.leave()
    }

    @Test("a flood of events stops nobody who publishes, and the sums are right afterwards")
    func flood() async throws {
        let calls = Monitor(0)
        let hub = hub { hub in
            calls.withLock { $0 += 1 }
            hub.publish([self.progress(7, of: 9), self.activity([])], mayWait: false)
        }
        await join(hub)
        hub.publish(Array(repeating: activity([1]), count: 20_000), mayWait: false)
        // What is dropped is asked for anew, and told with the next.
        await settle(hub)
        #expect(calls.withLock { $0 } == 2)
        await settle(hub)
        #expect(try #require(hub.live.view(of: "j")).changes.job.done == 7)
        hub.live.leave()
    }

    @Test("a reader that gets events in order does not get those of watchers")
    func reader() async {
        let got = Monitor<[RunEvent]>([])
        let hub = EventHub(interest: EventInterest(includesItems: false), jobs: ["j"]) { batch in
            got.withLock { $0 += batch }
        }
        await join(hub)
        hub.publish(
            [progress(1, of: 2), activity([1]), .warning(RunWarning(job: "j", at: 1, message: "w"))], mayWait: true)
        await hub.drain()
        #expect(got.withLock { $0.count } == 1)
        hub.live.leave()
    }
}
