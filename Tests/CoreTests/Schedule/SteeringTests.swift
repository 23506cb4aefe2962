import HTTP
import Schedule
import System
import Testing

@testable import Model

/// What a person changes while the run goes on.
@Suite("Steering the scheduler", .timeLimit(.minutes(1)))
struct SteeringTests {
    private var floor = SchedulerFloor()

    /// Begins and ends everything, one at a time; the order.
    private mutating func drain() -> [Int64] {
        var order: [Int64] = []
        while true {
            floor.load()
            let begun = floor.admit()
            if begun.isEmpty { return order }
            order += begun
            for id in begun { floor.end(id) }
        }
    }

    @Test("a lower limit breaks nothing off; a higher one begins more at once")
    mutating func limits() {
        let job = floor.addJob(8, perHost: 4)
        floor.add(1...20)
        #expect(floor.admit().count == 4)
        floor.scheduler.setPerHost(2, job: job)
        floor.end(1)
        floor.end(2)
        #expect(floor.admit() == [])
        floor.end(3)
        #expect(floor.admit() == [5])
        floor.scheduler.setPerHost(8, job: job)
        #expect(floor.admit().count == 6)
        floor.scheduler.setConcurrency(1, job: job)
        #expect(floor.scheduler.inFlight(job: job) == 8)
        floor.end(4)
        #expect(floor.admit() == [])
    }

    @Test("nothing of a paused collection begins, listed before or later, until it goes on")
    mutating func pausedCollections() {
        let job = floor.addJob(1)
        floor.add(1...3, collection: 1)
        floor.add(11...12, collection: 2)
        floor.scheduler.setPausedCollections([1], job: job)
        floor.add(4...5, collection: 1)
        floor.add(21...21, host: "b", collection: 1)
        #expect(drain() == [11, 12])
        floor.scheduler.setPausedCollections([2], job: job)
        floor.add(13...13, collection: 2)
        #expect(Set(drain()) == [1, 2, 3, 4, 5, 21])
        floor.scheduler.setPausedCollections([], job: job)
        #expect(drain() == [13])
    }

    @Test("a failed item of a paused collection waits for it, too")
    mutating func pausedRetry() {
        let job = floor.addJob(1)
        floor.add(1...1, collection: 1)
        #expect(floor.admit() == [1])
        _ = floor.fail(1)
        floor.scheduler.setPausedCollections([1], job: job)
        floor.passToWake()
        #expect(floor.admit() == [])
        #expect(floor.scheduler.overview(job: job, now: floor.now).retrying == 1)
        floor.scheduler.setPausedCollections([], job: job)
        #expect(floor.admit() == [1])
    }

    @Test("a host of which all that waits is paused does not keep a request of the source from trying it again")
    mutating func pausedProbe() {
        let job = floor.addJob(8)
        floor.add(1...10, collection: 1)
        for id in floor.admit() { _ = floor.fail(id) }
        floor.scheduler.setPausedCollections([1], job: job)
        floor.request(-1)
        for _ in 0..<20 {
            floor.passToWake()
            if floor.admit().contains(-1) { return }
        }
        Issue.record("the request never begins")
    }

    @Test("what is prioritised goes first; another list takes the place of the first")
    mutating func prioritise() {
        let job = floor.addJob(1)
        floor.add(1...9)
        floor.scheduler.prioritise([5, 7], job: job)
        #expect(floor.admit() == [5])
        floor.end(5)
        floor.scheduler.prioritise([8], job: job)
        #expect(drain() == [8, 1, 2, 3, 4, 6, 7, 9])
    }

    @Test("what is prioritised before it is listed goes first once it comes, also of two jobs")
    mutating func prioritiseEarly() {
        let job = floor.addJob(1)
        let other = floor.addJob(1)
        floor.add(1...3)
        floor.scheduler.prioritise([2, 6], job: job)
        floor.scheduler.prioritise([9], job: other)
        #expect(floor.admit() == [2])
        #expect(floor.scheduler.isPrioritised(6, job: job) && !floor.scheduler.isPrioritised(2, job: job))
        floor.scheduler.addFirst(
            6, job: job, origin: SchedulerFloor.host("a"), collection: 1, precedence: Precedence(.missing))
        floor.add(4...5)
        floor.end(2)
        #expect(drain() == [6, 1, 3, 4, 5])
        #expect(!floor.scheduler.awaitsPrioritised(job: job) && floor.scheduler.awaitsPrioritised(job: other))
    }

    @Test("what was prioritised is fetched once, however often the list changes", arguments: [9, 2_000])
    mutating func prioritiseOften(_ count: Int64) {
        let job = floor.addJob(1)
        floor.add(1...count)
        for first in 1...8 { floor.scheduler.prioritise([Int64(first), count], job: job) }
        floor.scheduler.prioritise([], job: job)
        let order = drain()
        #expect(order.count == Int(count) && Set(order).count == Int(count))
        #expect(floor.scheduler.isIdle)
    }

    @Test("what is broken off for a pause goes on first, in the same attempt")
    mutating func suspend() {
        let job = floor.addJob(2)
        floor.add(1...4)
        #expect(floor.admit() == [1, 2])
        floor.scheduler.setPaused(true, job: job)
        #expect(floor.scheduler.suspendable(job: job, collections: nil) == [1, 2])
        #expect(floor.scheduler.finished(2, .suspended, now: floor.now) == .suspended)
        floor.end(1)
        #expect(floor.admit() == [])
        #expect(floor.scheduler.inFlight(job: job) == 0)
        floor.scheduler.setPaused(false, job: job)
        let admissions = floor.scheduler.admit(floor.now)
        #expect(admissions.map(\.id) == [2, 3])
        #expect(admissions.map(\.attempt) == [1, 1])
        for id in [2, 3] as [Int64] { floor.end(id) }
        #expect(drain() == [4])
        #expect(floor.scheduler.isIdle)
    }

    @Test("a run that is stopped while it is paused ends what was broken off")
    mutating func stopSuspended() {
        let job = floor.addJob(2)
        floor.add(1...2)
        _ = floor.admit()
        _ = floor.scheduler.finished(1, .suspended, now: floor.now)
        #expect(floor.scheduler.stop(job: job) == [1])
        #expect(floor.scheduler.finished(2, .suspended, now: floor.now) == .cancelled)
        #expect(floor.scheduler.isIdle)
    }

    @Test("an item that was broken off can be cancelled")
    mutating func cancelSuspended() {
        let job = floor.addJob(1)
        floor.add(1...2)
        _ = floor.admit()
        _ = floor.scheduler.finished(1, .suspended, now: floor.now)
        #expect(floor.scheduler.cancel([1], job: job) == [])
        #expect(drain() == [2])
    }

    @Test("the overview has hosts in flight, those that are paused and why")
    mutating func overview() {
        let job = floor.addJob(8, perHost: 3)
        floor.add(1...2, host: "a")
        floor.add(11...12, host: "b")
        #expect(floor.admit().count == 4)
        _ = floor.fail(11, retryAfter: 5_000_000)
        let overview = floor.scheduler.overview(job: job, now: floor.now)
        #expect(overview.inFlight == 3 && overview.retrying == 1)
        #expect(overview.hosts.map(\.origin.host) == ["a", "b"])
        #expect(overview.hosts.map(\.inFlight) == [2, 1])
        #expect(overview.hosts.map(\.allowance) == [3, 0])
        #expect(overview.hosts[1].reason == .retryAfter)
        #expect(overview.hosts[1].pausedUntil == floor.now.advanced(byMicroseconds: 5_000_000))
        floor.pass(5_000_001)
        #expect(floor.scheduler.overview(job: job, now: floor.now).hosts.allSatisfy { $0.pausedUntil == nil })
    }
}
