import HTTP
import System
import TestSupport
import Testing

@testable import Model
@testable import Schedule

/// Many jobs, hosts and collections with random ends: what must hold at every step.
@Suite("Scheduler under random load", .timeLimit(.minutes(2)))
struct SimulationTests {
    /// What the test itself knows of an item, beside the scheduler.
    private struct Item {
        let job: Int
        let home: Int
        var host: Int
        var isInFlight = false
        var isHopping = false
        var attempts = 0
        var ends = 0
    }

    private struct World {
        var floor: SchedulerFloor
        var random: SplitMix
        var items: [Int64: Item] = [:]
        var limits: [Scheduler.Limits] = []
        var lastRequest: [Int: Monotonic] = [:]
        var opens: [Int: Monotonic] = [:]
        var flights: [Int64] = []

        func inFlight(host: Int) -> Int { items.values.count { $0.isInFlight && $0.host == host } }
        func slots(job: Int) -> Int { items.values.count { $0.job == job && ($0.isInFlight || $0.isHopping) } }
    }

    private let hostCount = 6

    private func makeWorld(_ seed: Int) -> World {
        var world = World(floor: SchedulerFloor(seed: seed), random: SplitMix(seed &* 31 &+ 5))
        for job in 0..<3 {
            let limits = Scheduler.Limits(
                concurrency: .random(in: 1...12, using: &world.random),
                perHost: .random(in: 1...5, using: &world.random),
                interval: [0, 0, 3_000].randomElement(using: &world.random) ?? 0,
                retries: .random(in: 0...3, using: &world.random))
            world.limits.append(limits)
            _ = world.floor.scheduler.addJob(limits)
            var next = Int64(job) * 10_000 + 1
            for _ in 0..<12 {
                let host = Int.random(in: 0..<hostCount, using: &world.random)
                let count = Int64.random(in: 1...25, using: &world.random)
                world.floor.add(
                    next...next + count - 1, job: job, host: "h\(host)",
                    collection: .random(in: 1...4, using: &world.random))
                for id in next..<next + count { world.items[id] = Item(job: job, home: host, host: host) }
                next += count
            }
        }
        return world
    }

    @Test("every item ends exactly once, and limits, rates and Retry-After hold at every step", arguments: 1...15)
    func simulation(_ seed: Int) {
        var world = makeWorld(seed)
        var steps = 0
        while world.items.values.contains(where: { $0.ends == 0 }) {
            steps += 1
            guard steps < 100_000 else { Issue.record("the items do not end"); return }
            admit(&world)
            if let index = world.flights.indices.randomElement(using: &world.random) {
                world.floor.pass(.random(in: 0...2_000, using: &world.random))
                end(world.flights.remove(at: index), &world)
            } else {
                let before = world.floor.now
                world.floor.passToWake()
                guard world.floor.now > before || world.floor.scheduler.nextWake != nil else {
                    Issue.record("nothing is in flight and nothing is due")
                    return
                }
            }
        }
        #expect(world.items.values.allSatisfy { $0.ends == 1 })
        #expect(world.floor.scheduler.isIdle)
        #expect((0..<3).allSatisfy { world.floor.scheduler.inFlight(job: $0) == 0 })
    }

    private func admit(_ world: inout World) {
        for admission in world.floor.scheduler.admit(world.floor.now) {
            guard var item = world.items[admission.id] else { Issue.record("an unknown id"); return }
            #expect(admission.job == item.job)
            #expect(!item.isInFlight && item.ends == 0, "\(admission.id) begins twice")
            if !item.isHopping { item.attempts += 1 }
            #expect(admission.attempt == item.attempts)
            item.isHopping = false
            item.isInFlight = true
            world.items[admission.id] = item
            world.flights.append(admission.id)

            let limits = world.limits[item.job]
            #expect(world.slots(job: item.job) <= limits.concurrency)
            #expect(world.inFlight(host: item.host) <= world.limits.map(\.perHost).max() ?? 0)
            #expect(
                world.floor.now >= world.opens[item.host] ?? world.floor.now, "a host is asked while it is held back")
            if limits.interval > 0, let last = world.lastRequest[item.host] {
                #expect(world.floor.now - last >= limits.interval, "two requests are too close")
            }
            world.lastRequest[item.host] = world.floor.now
        }
        for job in 0..<3 { #expect(world.slots(job: job) == world.floor.scheduler.inFlight(job: job)) }
    }

    private func end(_ id: Int64, _ world: inout World) {
        guard var item = world.items[id] else { return }
        item.isInFlight = false
        let decision: RetryDecision
        switch Int.random(in: 0..<10, using: &world.random) {
        case 0:
            let target = Int.random(in: 0..<hostCount, using: &world.random)
            decision = world.floor.redirect(id, to: "h\(target)")
            #expect(decision == .hop)
            item.host = target
            item.isHopping = true
        case 1, 2:
            let retryAfter: Int64? =
                Bool.random(using: &world.random) ? nil : .random(in: 0...50_000, using: &world.random)
            decision = world.floor.fail(id, retryAfter: retryAfter)
            if let retryAfter {
                let opens = world.floor.now.advanced(byMicroseconds: retryAfter)
                world.opens[item.host] = max(world.opens[item.host] ?? opens, opens)
            }
            item.host = item.home
            let isLast = item.attempts > world.limits[item.job].retries
            if isLast {
                #expect(decision == .over)
                item.ends += 1
            } else {
                guard case .retry(let time) = decision else { Issue.record("\(decision)"); return }
                let ceiling = Int64(500_000) << Int64(item.attempts - 1)
                #expect((0...ceiling).contains(time - world.floor.now))
            }
        default:
            decision = world.floor.scheduler.finished(id, .complete, now: world.floor.now)
            #expect(decision == .over)
            item.ends += 1
        }
        world.items[id] = item
    }

    @Test("stopped at a random moment, every item has ended, waits or is in flight", arguments: 1...15)
    func stopped(_ seed: Int) {
        var world = makeWorld(seed)
        for _ in 0..<Int.random(in: 0...200, using: &world.random) {
            admit(&world)
            world.floor.pass(.random(in: 0...20_000, using: &world.random))
            if let index = world.flights.indices.randomElement(using: &world.random) {
                end(world.flights.remove(at: index), &world)
            }
        }
        for job in 0..<3 {
            let waiting = world.floor.scheduler.stop(job: job)
            let own = world.items.filter { $0.value.job == job }
            #expect(Set(waiting) == Set(own.filter { $0.value.ends == 0 && !$0.value.isInFlight }.keys))
            #expect(waiting.count == Set(waiting).count)
        }
        #expect(world.floor.admit() == [])
        for id in world.flights { #expect(world.floor.fail(id) != .hop) }
        _ = world.floor.scheduler.loads()
        #expect(world.floor.scheduler.isIdle)
    }
}
