import HTTP
import System
import TestSupport
import Testing

@testable import Model
@testable import Schedule

/// Limits, order and control of the scheduler, one rule a test.
@Suite("Scheduler", .timeLimit(.minutes(1)))
struct SchedulerTests {
    // MARK: Limits

    @Test("no more items than the job's concurrency are in flight")
    func concurrency() {
        var floor = SchedulerFloor()
        let job = floor.addJob(3)
        floor.add(1...5)
        #expect(floor.admit() == [1, 2, 3])
        #expect(floor.admit() == [])
        floor.end(2)
        #expect(floor.scheduler.inFlight(job: job) == 2)
        #expect(floor.admit() == [4])
    }

    @Test("no more transfers than per_host go to one host, over all jobs")
    func perHost() {
        var floor = SchedulerFloor()
        _ = floor.addJob(perHost: 2)
        _ = floor.addJob(perHost: 2)
        floor.add(1...3, job: 0, host: "a")
        floor.add(11...13, job: 1, host: "a")
        floor.add(21...22, job: 1, host: "b")
        #expect(Set(floor.admit()) == [1, 11, 21, 22])
        floor.end(1)
        #expect(floor.admit().count == 1)
    }

    @Test("schemes and ports make hosts of their own")
    func origins() {
        var floor = SchedulerFloor()
        _ = floor.addJob(perHost: 1)
        for (id, port) in [(1, 443), (2, 8443)] as [(Int64, Int)] {
            _ = floor.scheduler.add(
                [id], job: 0, origin: HTTPOrigin(scheme: "https", host: "a", port: port), collection: 1)
        }
        #expect(floor.admit().count == 2)
    }

    @Test("a rate spaces all requests to a host, the slowest job's rate for all jobs")
    func rate() {
        var floor = SchedulerFloor()
        _ = floor.addJob(interval: 50_000)
        _ = floor.addJob(interval: 80_000)
        floor.add(1...2, job: 0, host: "a")
        floor.add(3...4, job: 0, host: "b")
        #expect(floor.admit() == [1, 3])
        #expect(floor.scheduler.nextWake == floor.now.advanced(byMicroseconds: 50_000))
        floor.pass(49_999)
        #expect(floor.admit() == [])
        floor.pass(1)
        #expect(floor.admit() == [2, 4])
        // The second job slows the host that it uses too.
        floor.add(5...6, job: 0, host: "a")
        floor.add(11...11, job: 1, host: "a")
        for _ in 0..<2 {
            floor.pass(79_999)
            #expect(!floor.admit().contains { [5, 11].contains($0) })
            floor.pass(1)
            #expect(floor.admit().count { [5, 11].contains($0) } == 1)
        }
    }

    @Test("requests of a source are spaced like items")
    func rateOfRequests() {
        var floor = SchedulerFloor()
        _ = floor.addJob(interval: 10_000)
        floor.add(1...1)
        floor.request(-1)
        #expect(floor.admit() == [-1])
        floor.pass(10_000)
        #expect(floor.admit() == [1])
    }

    @Test("Retry-After holds back the whole host, for every job, and no other host")
    func retryAfter() {
        var floor = SchedulerFloor()
        _ = floor.addJob(2)
        _ = floor.addJob()
        floor.add(1...3, job: 0, host: "a")
        #expect(floor.admit() == [1, 2])
        guard case .retry = floor.fail(1, retryAfter: 60_000_000) else { Issue.record("given up"); return }
        floor.add(11...11, job: 1, host: "a")
        floor.add(12...12, job: 1, host: "b")
        floor.request(-1, job: 1, host: "a")
        #expect(floor.admit() == [12])
        floor.pass(59_999_999)
        #expect(floor.admit() == [])
        floor.pass(1)
        #expect(Set(floor.admit()).isSuperset(of: [-1, 11]))
    }

    // MARK: Order

    @Test("jobs take turns")
    func fairJobs() {
        var floor = SchedulerFloor()
        _ = floor.addJob(perHost: 4)
        _ = floor.addJob(perHost: 4)
        floor.add(1...50, job: 0)
        floor.add(101...150, job: 1)
        var counts = [0, 0]
        for _ in 0..<20 {
            for id in floor.admit() {
                counts[id > 100 ? 1 : 0] += 1
                floor.end(id)
            }
        }
        #expect(abs(counts[0] - counts[1]) <= 1, "\(counts)")
    }

    @Test("hosts take turns: a long list of one does not starve another")
    func fairHosts() {
        var floor = SchedulerFloor()
        _ = floor.addJob(2)
        floor.add(1...1_000, host: "a")
        floor.add(1_001...1_010, host: "b")
        var order: [Int64] = []
        while order.count < 20 {
            for id in floor.admit() {
                order.append(id)
                floor.end(id)
            }
        }
        #expect(order.prefix(20).count { $0 > 1_000 } == 10)
    }

    @Test("collections take turns within a host, each in list order")
    func fairCollections() {
        var floor = SchedulerFloor()
        _ = floor.addJob()
        floor.add(1...3, collection: 1)
        floor.add(11...12, collection: 2)
        floor.add(21...22, collection: 3)
        #expect(floor.admit() == [1, 11, 21, 2, 12, 22, 3])
    }

    @Test("requests of a source go first and take no item's slot")
    func requests() {
        var floor = SchedulerFloor()
        let job = floor.addJob(1)
        floor.add(1...2)
        floor.request(-1)
        floor.request(-2)
        #expect(floor.admit() == [-1, -2, 1])
        #expect(floor.scheduler.inFlight(job: job) == 1)
        floor.end(-1)
        #expect(floor.admit() == [])
    }

    @Test("requests of a source keep to per_host")
    func requestsPerHost() {
        var floor = SchedulerFloor()
        _ = floor.addJob(perHost: 1)
        floor.request(-1)
        floor.request(-2)
        floor.add(1...1)
        #expect(floor.admit() == [-1])
        floor.end(-1)
        #expect(floor.admit() == [-2])
        floor.end(-2)
        #expect(floor.admit() == [1])
    }

    // MARK: Tries

    @Test("tries are counted, and end with the retries", arguments: [0, 1, 4])
    func retries(_ retries: Int) {
        var floor = SchedulerFloor()
        _ = floor.addJob(retries: retries)
        floor.add(1...1)
        for attempt in 1...retries + 1 {
            #expect(floor.scheduler.admit(floor.now) == [Scheduler.Admission(id: 1, job: 0, attempt: attempt)])
            let decision = floor.fail(1)
            if attempt <= retries {
                guard case .retry(let time) = decision else { Issue.record("\(decision)"); return }
                #expect(floor.scheduler.nextWake == time)
                floor.now = time
            } else {
                #expect(decision == .over)
            }
        }
        #expect(floor.scheduler.isIdle)
    }

    @Test("waits have full jitter below an exponential ceiling")
    func jitter() {
        var generator = SplitMix(7)
        let backoff = Backoff()
        for (retry, ceiling) in [
            (1, 500_000), (2, 1_000_000), (3, 2_000_000), (6, 16_000_000), (7, 30_000_000), (99, 30_000_000),
        ] {
            let waits = (0..<1_000).map { _ in backoff.delay(retry: retry, using: &generator) }
            #expect(waits.allSatisfy { (0...Int64(ceiling)).contains($0) })
            let mean = Double(waits.reduce(0, +)) / 1_000 / Double(ceiling)
            #expect(abs(mean - 0.5) < 0.05, "retry \(retry): \(mean)")
            #expect(waits.min().map { $0 < Int64(ceiling) / 20 } == true)
        }
    }

    @Test("a waiting try holds no slot")
    func retryFreesSlot() {
        var floor = SchedulerFloor()
        _ = floor.addJob(1, perHost: 1)
        floor.add(1...2)
        #expect(floor.admit() == [1])
        _ = floor.fail(1)
        #expect(floor.admit() == [2])
        floor.end(2)
        floor.passToWake()
        #expect(floor.admit() == [1])
    }

    @Test("a redirect keeps the job's slot and takes one of the new host")
    func redirect() {
        var floor = SchedulerFloor()
        let job = floor.addJob(2, perHost: 1)
        floor.add(1...1, host: "a")
        floor.add(2...2, host: "b")
        floor.add(3...3, host: "c")
        #expect(floor.admit() == [1, 2])
        #expect(floor.redirect(1, to: "b") == .hop)
        // The new host is busy; the slot stays taken.
        #expect(floor.admit() == [])
        #expect(floor.scheduler.inFlight(job: job) == 2)
        floor.end(2)
        #expect(floor.scheduler.admit(floor.now).map(\.id) == [1, 3])
    }

    @Test("a hop is no new attempt; a try after it begins at home")
    func tryAfterRedirect() {
        var floor = SchedulerFloor()
        _ = floor.addJob(perHost: 1)
        floor.add(1...1, host: "a")
        #expect(floor.scheduler.admit(floor.now).map(\.attempt) == [1])
        _ = floor.redirect(1, to: "b")
        #expect(floor.scheduler.admit(floor.now).map(\.attempt) == [1])
        _ = floor.fail(1)
        // While the home host is busy the try has to wait, whatever the other host does.
        floor.add(2...2, host: "a")
        #expect(floor.admit() == [2])
        floor.pass(60_000_000)
        #expect(floor.admit() == [])
        floor.end(2)
        #expect(floor.scheduler.admit(floor.now) == [Scheduler.Admission(id: 1, job: 0, attempt: 2)])
    }

    @Test("a redirect that is to wait is no new attempt, and gives its job's slot to others meanwhile")
    func delayedRedirect() {
        var floor = SchedulerFloor()
        let job = floor.addJob(1)
        floor.add(1...2, host: "a")
        #expect(floor.admit() == [1])
        #expect(floor.redirect(1, to: "b", after: 5_000_000) == .hop)
        #expect(floor.admit() == [2])
        floor.pass(4_999_999)
        floor.end(2)
        #expect(floor.admit() == [])
        floor.pass(1)
        #expect(floor.scheduler.admit(floor.now) == [Scheduler.Admission(id: 1, job: 0, attempt: 1)])
        #expect(floor.scheduler.inFlight(job: job) == 1)
        floor.end(1)
        #expect(floor.scheduler.inFlight(job: job) == 0)
        #expect(floor.scheduler.isIdle)
    }

    @Test("a redirect that waits is cancelled and stopped like what waits for another try", arguments: [0, 5_000_000])
    func delayedRedirectGivenUp(_ passed: Int64) {
        var floor = SchedulerFloor()
        let job = floor.addJob(2)
        floor.add(1...4, host: "a")
        #expect(floor.admit() == [1, 2])
        for id in [1, 2] as [Int64] { _ = floor.redirect(id, to: "b", after: 5_000_000) }
        // What waits for its turn again after its time does so behind these.
        #expect(floor.admit() == [3, 4])
        floor.pass(passed)
        #expect(floor.admit() == [])
        #expect(floor.scheduler.cancel([1], job: job) == [])
        #expect(floor.scheduler.inFlight(job: job) == 2)
        #expect(floor.scheduler.stop(job: job) == [2])
        floor.end(3)
        floor.end(4)
        #expect(floor.scheduler.inFlight(job: job) == 0)
        #expect(floor.scheduler.isIdle)
    }

    // MARK: Control

    @Test("a paused job begins nothing, the others go on")
    func pause() {
        var floor = SchedulerFloor()
        let first = floor.addJob()
        let second = floor.addJob()
        floor.add(1...2, job: first)
        floor.add(11...11, job: second)
        floor.scheduler.setPaused(true, job: first)
        #expect(floor.admit() == [11])
        floor.scheduler.setPaused(false, job: first)
        #expect(floor.admit() == [1, 2])
    }

    @Test("a paused job asks nothing for its source either; redirects of what is in flight go on")
    func pauseOfRequests() {
        var floor = SchedulerFloor()
        let job = floor.addJob()
        floor.add(1...1)
        #expect(floor.admit() == [1])
        floor.scheduler.setPaused(true, job: job)
        floor.request(-1)
        floor.request(-2)
        #expect(floor.redirect(1, to: "a") == .hop)
        #expect(floor.admit() == [1])
        floor.request(-3)
        #expect(floor.admit() == [])
        floor.scheduler.setPaused(false, job: job)
        #expect(floor.admit() == [-1, -2, -3])
    }

    @Test("more concurrency begins more at once, less ends nothing")
    func setConcurrency() {
        var floor = SchedulerFloor()
        let job = floor.addJob(1)
        floor.add(1...9)
        #expect(floor.admit() == [1])
        floor.scheduler.setConcurrency(4, job: job)
        #expect(floor.admit() == [2, 3, 4])
        floor.scheduler.setConcurrency(2, job: job)
        floor.end(1)
        floor.end(2)
        #expect(floor.admit() == [])
        #expect(floor.scheduler.inFlight(job: job) == 2)
        floor.end(3)
        #expect(floor.admit() == [5])
    }

    @Test("prioritised items go first, in list order")
    func prioritise() {
        var floor = SchedulerFloor()
        let job = floor.addJob(1)
        floor.add(1...6)
        floor.scheduler.prioritise([3, 5], job: job)
        var order: [Int64] = []
        while let id = floor.admit().first {
            order.append(id)
            floor.end(id)
        }
        #expect(order == [3, 5, 1, 2, 4, 6])
    }

    @Test("prioritising all of a collection leaves the turns of the others as they were")
    func prioritiseCollection() {
        var floor = SchedulerFloor()
        let job = floor.addJob()
        floor.add(1...2, collection: 1)
        floor.scheduler.prioritise([1, 2], job: job)
        floor.add(3...6, collection: 1)
        floor.add(11...14, collection: 2)
        #expect(floor.admit() == [1, 2, 3, 11, 4, 12, 5, 13, 6, 14])
    }

    @Test("a parked item can be prioritised")
    func prioritiseParked() {
        var floor = SchedulerFloor()
        let job = floor.addJob(1)
        floor.add(1...2_000)
        floor.scheduler.prioritise([1_500, 1_900], job: job)
        floor.load()
        var order: [Int64] = []
        for _ in 0..<3 {
            let id = floor.admit()[0]
            order.append(id)
            floor.end(id)
        }
        #expect(order == [1_500, 1_900, 1])
    }

    @Test("cancel: what waits never begins, what is in flight is told")
    func cancel() {
        var floor = SchedulerFloor()
        let job = floor.addJob(1)
        floor.add(1...4)
        #expect(floor.admit() == [1])
        #expect(floor.scheduler.cancel([1, 2, 4], job: job) == [1])
        floor.end(1)
        #expect(floor.admit() == [3])
        floor.end(3)
        #expect(floor.admit() == [])
        #expect(floor.scheduler.isIdle)
    }

    @Test("cancel: a try that waits for its time never begins")
    func cancelTimedTry() {
        var floor = SchedulerFloor()
        let job = floor.addJob()
        floor.add(1...1)
        _ = floor.admit()
        _ = floor.fail(1)
        #expect(floor.scheduler.cancel([1], job: job) == [])
        floor.pass(60_000_000)
        #expect(floor.admit() == [])
        #expect(floor.scheduler.isIdle)
    }

    @Test("cancel: a try whose time has come and that waits for its host never begins")
    func cancelDueTry() {
        var floor = SchedulerFloor()
        let job = floor.addJob(perHost: 1)
        floor.add(1...2)
        #expect(floor.admit() == [1])
        _ = floor.fail(1)
        #expect(floor.admit() == [2])
        floor.pass(60_000_000)
        #expect(floor.admit() == [])
        #expect(floor.scheduler.cancel([1], job: job) == [])
        floor.end(2)
        #expect(floor.admit() == [])
        #expect(floor.scheduler.isIdle)
    }

    @Test("cancel of a redirect that waits for its host gives the slot back")
    func cancelHop() {
        var floor = SchedulerFloor()
        let job = floor.addJob(2, perHost: 1)
        floor.add(1...1, host: "a")
        floor.add(2...2, host: "b")
        #expect(floor.admit() == [1, 2])
        _ = floor.redirect(1, to: "b")
        #expect(floor.admit() == [])
        #expect(floor.scheduler.cancel([1], job: job) == [])
        #expect(floor.scheduler.inFlight(job: job) == 1)
        floor.end(2)
        #expect(floor.admit() == [])
        #expect(floor.scheduler.isIdle)
    }

    @Test("stop returns exactly what waits: ready, parked, trying again and hopping")
    func stop() {
        var floor = SchedulerFloor()
        let job = floor.addJob(3, perHost: 1)
        let other = floor.addJob()
        floor.add(1...1, host: "a")
        floor.add(2...2, host: "b")
        floor.add(3...3, host: "c")
        #expect(floor.admit() == [1, 2, 3])
        _ = floor.fail(1)
        _ = floor.redirect(2, to: "c")
        floor.add(1_001...3_000, host: "c")
        floor.request(-1, host: "c")
        floor.add(9_001...9_001, job: other, host: "z")
        _ = floor.scheduler.cancel([1_500], job: job)
        let waiting = floor.scheduler.stop(job: job)
        #expect(waiting.count == Set(waiting).count)
        #expect(Set(waiting) == Set([1, 2, -1] + (1_001...3_000)).subtracting([1_500]))
        #expect(floor.scheduler.isStopped(job: job))
        #expect(!floor.scheduler.isStopped(job: other))
        #expect(floor.scheduler.inFlight(job: job) == 1)
        floor.pass(60_000_000)
        #expect(floor.admit() == [9_001])
        floor.end(9_001)
        floor.end(3)
        floor.load()
        #expect(floor.scheduler.isIdle)
    }

    @Test("after stop nothing is tried again, and no redirect is followed")
    func afterStop() {
        var floor = SchedulerFloor()
        let job = floor.addJob()
        floor.add(1...3)
        #expect(floor.admit() == [1, 2, 3])
        #expect(floor.scheduler.stop(job: job) == [])
        #expect(floor.fail(1) == .cancelled)
        #expect(floor.redirect(2, to: "b") == .cancelled)
        #expect(floor.scheduler.finished(3, .complete, now: floor.now) == .over)
        #expect(floor.scheduler.isIdle)
    }

    @Test("what is loaded after stop is not taken")
    func loadedAfterStop() {
        var floor = SchedulerFloor()
        let job = floor.addJob(1_000, perHost: 1_000)
        floor.add(1...2_000)
        for id in floor.admit() { floor.end(id) }
        let load = floor.scheduler.loads()[0]
        #expect(!floor.scheduler.isIdle)
        let waiting = floor.scheduler.stop(job: job)
        #expect(Set(waiting).isDisjoint(with: load.ids))
        let isTaken = floor.give(load.ids, for: load)
        #expect(!isTaken)
        floor.load()
        #expect(floor.admit() == [])
        #expect(floor.scheduler.isIdle)
    }
}
