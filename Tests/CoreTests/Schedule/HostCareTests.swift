import Files
import HTTP
import TestSupport
import Testing

@testable import Model
@testable import Schedule
@testable import Transfer

/// How the scheduler treats hosts by what their replies and failures say of them.
@Suite("Care of hosts", .timeLimit(.minutes(1)))
struct HostCareTests {
    private var floor = SchedulerFloor()

    private mutating func fail(_ id: Int64, _ sign: HostSignal = .failed) -> RetryDecision {
        floor.scheduler.finished(id, .transientFailure(), sign: sign, now: floor.now)
    }

    private mutating func answer(_ id: Int64) {
        _ = floor.scheduler.finished(id, .complete, sign: .answered(wait: 1_000), now: floor.now)
    }

    /// Fails everything that host "a" is asked, one request in three seconds, until it is left alone.
    private mutating func breakHost(_ sign: HostSignal = .unreachable) -> [Scheduler.Outage] {
        for _ in 0..<5 {
            for id in floor.admit() { _ = fail(id, sign) }
            floor.pass(3_000_000)
        }
        return floor.scheduler.takeOutages()
    }

    @Test("a host that refuses gets half as much, and more again with good replies; other hosts are not touched")
    mutating func adapts() {
        _ = floor.addJob(100, perHost: 8)
        floor.add(1...200, host: "a")
        floor.add(1_001...1_100, host: "b")
        let begun = floor.admit()
        #expect(begun.count { $0 < 1_000 } == 8)
        floor.pass(1_000)
        for id in begun where id < 1_000 { _ = fail(id, .refused) }
        floor.pass(1_000)
        var inFlight = floor.admit().filter { $0 < 1_000 }
        #expect(inFlight.count == 4)
        var most = 0
        for _ in 0..<100 {
            floor.pass(10_000)
            for id in inFlight { answer(id) }
            inFlight = floor.admit().filter { $0 < 1_000 }
            most = max(most, inFlight.count)
        }
        #expect(most == 8)
        let strain = floor.scheduler.strains(job: 0, now: floor.now)
        #expect(strain.map(\.0) == [SchedulerFloor.host("a")])
        #expect(strain.first?.1.refusals == 8)
        #expect(strain.first?.1.cuts == 1)
        #expect(strain.first?.1.leastConcurrency == 4)
    }

    @Test(
        "a host that slows down gets less, unless the run's bandwidth is limited: then slow replies are its own doing",
        arguments: [true, false])
    mutating func slowdown(_ isLimited: Bool) throws {
        var configuration = HTTPProfile.Configuration(userAgent: "test")
        if isLimited { configuration.bandwidth = HTTPBandwidth(bytesPerSecond: 1_000_000) }
        let bench = try Bench()
        let context = RunContext(
            job: bench.job, run: 1, selection: Selection(),
            output: try OutputDirectory(path: bench.directory.path("out"), create: true),
            profile: try HTTPProfile(configuration), index: floor.addJob(perHost: 8), startedAt: 0)
        floor.add(1...200)
        for number in 0..<200 {
            guard let id = floor.admit().first else { break }
            floor.pass(10_000)
            let result = HTTPResult(
                status: 200, phases: HTTPPhases(wait: number < 100 ? 50_000 : 2_000_000), startedAt: floor.now,
                finishedAt: floor.now)
            let sign = HostSignal(nil, wait: context.wait(of: result))
            _ = floor.scheduler.finished(id, .complete, sign: sign, now: floor.now)
        }
        #expect(floor.scheduler.strains(job: 0, now: floor.now).isEmpty == isLimited)
    }

    @Test("a host that answers 404 is well: nothing is cut and nothing counted")
    mutating func answers() {
        _ = floor.addJob(perHost: 8)
        floor.add(1...500)
        for _ in 0..<60 { for id in floor.admit() { answer(id) } }
        #expect(floor.scheduler.strains(job: 0, now: floor.now).isEmpty)
    }

    @Test("hosts that are asked once and can't be reached leave nothing behind")
    mutating func manyHosts() {
        _ = floor.addJob(retries: 0)
        for number in 1...500 { floor.add(Int64(number)...Int64(number), host: "h\(number)") }
        while case let begun = floor.admit(), !begun.isEmpty {
            floor.pass(1_000)
            for id in begun { _ = fail(id, .overloaded) }
        }
        #expect(floor.scheduler.strains(job: 0, now: floor.now).isEmpty)
    }

    @Test("a host that fails again and again is left alone; what waits for it waits, others go on")
    mutating func pauses() {
        _ = floor.addJob(1, retries: 9)
        floor.add(1...3, host: "a")
        let outages = breakHost()
        #expect(outages.map(\.failures) == [5])
        #expect(outages.first?.origin == SchedulerFloor.host("a"))
        #expect(floor.admit() == [])
        floor.add(11...11, host: "b")
        #expect(floor.admit() == [11])
        floor.end(11)
        #expect(floor.scheduler.takeGivenUp(floor.now) == [])
        #expect(!floor.scheduler.isIdle)
    }

    @Test("after the pause one request is let through; when it is answered, all go on")
    mutating func recovers() {
        _ = floor.addJob(retries: 9)
        floor.add(1...3)
        for id in floor.admit() { _ = fail(id) }
        floor.pass(11_000_000)
        for id in floor.admit() { _ = fail(id) }
        #expect(floor.scheduler.takeOutages().count == 1)
        floor.pass(60_000_000)
        let probe = floor.admit()
        #expect(probe.count == 1)
        guard let id = probe.first else { return }
        answer(id)
        #expect(floor.admit().count == 2)
    }

    @Test(
        "when that one can't connect either, all that waits is given up, of every job: ready, parked, tried and requests"
    )
    mutating func givesUp() {
        _ = floor.addJob(1, retries: 9)
        _ = floor.addJob()
        floor.add(1...3, host: "a")
        _ = breakHost()
        floor.add(101...2_000, job: 1, host: "a")
        floor.request(-1, job: 1, host: "a")
        floor.add(9_001...9_001, job: 1, host: "b")
        floor.pass(60_000_000)
        let begun = floor.admit()
        #expect(begun.count == 2 && begun.contains(9_001))
        guard let probe = begun.first(where: { $0 != 9_001 }) else { return }
        _ = fail(probe, .unreachable)
        let givenUp = floor.scheduler.takeGivenUp(floor.now)
        #expect(Set(givenUp.flatMap(\.ids)) == Set([1, 2, 3, -1] + (101...2_000)))
        #expect(givenUp.map(\.job) == [0, 1])
        #expect(floor.scheduler.strains(job: 1, now: floor.now).first?.1.givenUp == 1_900)
        floor.end(9_001)
        _ = floor.scheduler.loads()
        #expect(floor.scheduler.isIdle)
    }

    @Test("what is listed while a host is given up ends too; what is listed after its pause is tried")
    mutating func listedLater() {
        _ = floor.addJob(1, retries: 9)
        floor.add(11...12)
        _ = breakHost()
        floor.pass(60_000_000)
        _ = fail(floor.admit()[0], .unreachable)
        _ = floor.scheduler.takeGivenUp(floor.now)
        floor.add(2...2)
        #expect(floor.scheduler.takeGivenUp(floor.now).map(\.ids) == [[2]])
        floor.pass(120_000_000)
        floor.add(3...4)
        #expect(floor.scheduler.takeGivenUp(floor.now) == [])
        #expect(floor.admit() == [3])
        answer(3)
        #expect(floor.admit() == [4])
    }

    @Test("ten items that stall at the head of three hundred cost only themselves", arguments: [1, 8])
    mutating func stallingHead(_ perHost: Int) {
        _ = floor.addJob(16, perHost: perHost)
        floor.add(1...300)
        var inFlight: [Int64] = []
        var ended: Set<Int64> = []
        var failed: Set<Int64> = []
        for _ in 0..<2_000 where ended.count + failed.count < 300 {
            inFlight += floor.admit()
            guard !inFlight.isEmpty else { floor.passToWake(); continue }
            // What is well answers at once.
            if let well = inFlight.firstIndex(where: { $0 > 10 }) {
                floor.pass(10_000)
                ended.insert(inFlight[well])
                answer(inFlight.remove(at: well))
            } else {
                floor.pass(30_000_000)
                for id in inFlight where fail(id, .overloaded) == .over { failed.insert(id) }
                inFlight = []
            }
            // When nothing else is left they need not be tried to the end.
            failed.formUnion(floor.scheduler.takeGivenUp(floor.now).flatMap(\.ids))
        }
        #expect(ended == Set(11...300))
        #expect(failed == Set(1...10))
    }

    @Test("after a pause an item is asked that never failed, before one that did, and before a request that did")
    mutating func probes() {
        _ = floor.addJob(1, retries: 9)
        floor.add(1...3, precedence: Precedence(.failed, askedRun: 1))
        floor.request(-1)
        #expect(floor.admit() == [-1, 1])
        floor.end(1)
        _ = fail(-1)
        _ = breakHost(.overloaded)
        floor.add(11...12, precedence: Precedence(.stored, askedRun: 1))
        floor.pass(60_000_000)
        #expect(floor.admit() == [11])
        _ = fail(11, .overloaded)
        floor.pass(60_000_000)
        #expect(floor.admit() == [12])
        answer(12)
        #expect(floor.admit().contains(-1))
    }

    @Test("items that are loaded for a host that was given up meanwhile end too")
    mutating func loadedLater() {
        _ = floor.addJob(1, retries: 9)
        floor.add(1...2_000)
        _ = breakHost()
        // The window runs low, and some are on their way from the catalog.
        _ = floor.scheduler.cancel(Set(1...500), job: 0)
        floor.pass(60_000_000)
        let probe = floor.admit()
        let loads = floor.scheduler.loads()
        _ = fail(probe[0], .unreachable)
        let first = floor.scheduler.takeGivenUp(floor.now).flatMap(\.ids)
        for load in loads { _ = floor.give(load.ids, for: load) }
        let second = floor.scheduler.takeGivenUp(floor.now).flatMap(\.ids)
        #expect(first.count + second.count == Set(first + second).count)
        #expect(Set(first + second).isSuperset(of: 501...2_000))
        #expect(floor.admit() == [])
        _ = floor.scheduler.loads()
        #expect(floor.scheduler.isIdle)
    }

    @Test("tries are spent from what the run has, which good transfers earn")
    mutating func budget() {
        _ = floor.addJob(1, retries: 1_000_000)
        floor.add(1...1)
        var tries = 0
        while true {
            guard let id = floor.admit().first else { floor.passToWake(); continue }
            guard case .retry = fail(id, .none) else { break }
            tries += 1
        }
        #expect(tries == RetryBudget.reserve)
        floor.add(2...3)
        for id in floor.admit() { answer(id) }
        guard let id = floor.admit().first, case .retry = fail(id, .none) else {
            Issue.record("a good transfer earned nothing")
            return
        }
        floor.passToWake()
        #expect(fail(floor.admit()[0], .none) == .unaffordable)
        #expect(floor.scheduler.isIdle)
    }

    @Test("a source's own requests are tried again whatever the items have spent")
    mutating func budgetOfRequests() {
        _ = floor.addJob(retries: 400)
        floor.request(-1)
        for _ in 0..<300 {
            floor.passToWake()
            guard let id = floor.admit().first, case .retry = fail(id, .none) else {
                Issue.record("given up")
                return
            }
        }
    }
}
