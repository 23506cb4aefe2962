import HTTP
import Schedule
import Testing

@testable import Model

/// Long lists: only a window of items is ready, the rest is parked and loaded in order.
@Suite("Parking of long lists", .timeLimit(.minutes(1)))
struct ParkingTests {
    /// Runs everything to its end; the order of admissions, and the most items that were ready at a time.
    private func drain(_ floor: inout SchedulerFloor, ready: Int) -> (order: [Int64], mostReady: Int) {
        var order: [Int64] = []
        var ready = ready
        var mostReady = ready
        while true {
            for load in floor.scheduler.loads() {
                ready += load.ids.count
                _ = floor.give(load.ids, for: load)
            }
            mostReady = max(mostReady, ready)
            let ids = floor.admit()
            if ids.isEmpty { break }
            ready -= ids.count
            order += ids
            for id in ids { floor.end(id) }
        }
        return (order, mostReady)
    }

    @Test("100,000 items of one collection begin in list order through a window of one lane")
    func oneLane() {
        var floor = SchedulerFloor()
        _ = floor.addJob(16)
        var ready = 0
        for start in stride(from: 1, to: 100_001, by: 1_000) { ready += floor.add(Int64(start)...Int64(start + 999)) }
        #expect(ready == SchedulerFloor.window.lane)
        let (order, mostReady) = drain(&floor, ready: ready)
        #expect(order == Array(1...100_000))
        #expect(mostReady <= SchedulerFloor.window.lane)
        #expect(floor.scheduler.isIdle)
    }

    @Test("100,000 items of many collections and hosts keep the window, and the order within each")
    func manyLanes() {
        var floor = SchedulerFloor()
        _ = floor.addJob(64)
        var ready = 0
        for lane in 0..<100 as Range<Int64> {
            ready += floor.add(lane * 1_000 + 1...lane * 1_000 + 1_000, host: "h\(lane % 10)", collection: lane)
        }
        #expect(ready == SchedulerFloor.window.total)
        let (order, mostReady) = drain(&floor, ready: ready)
        #expect(order.count == 100_000)
        for lane in 0..<100 as Range<Int64> {
            let own = order.filter { ($0 - 1) / 1_000 == lane }
            #expect(own == Array(lane * 1_000 + 1...lane * 1_000 + 1_000), "lane \(lane)")
        }
        // A lane that has nothing may have a few although the window is full.
        #expect(mostReady <= SchedulerFloor.window.total + 100 * SchedulerFloor.window.least)
        #expect(floor.scheduler.isIdle)
    }

    @Test("a host that is held back, with a full window, does not keep others out")
    func heldBack() {
        var floor = SchedulerFloor()
        _ = floor.addJob(16)
        floor.add(1...1, host: "slow")
        #expect(floor.admit() == [1])
        _ = floor.fail(1, retryAfter: 300_000_000)
        for lane in 0..<20 as Range<Int64> {
            floor.add(lane * 1_000 + 1_000...lane * 1_000 + 1_999, host: "slow", collection: lane)
        }
        floor.add(100_001...100_500, host: "quick", collection: 99)
        var done = 0
        for _ in 0..<100 {
            floor.load()
            for id in floor.admit() {
                #expect(id > 100_000)
                done += 1
                floor.end(id)
            }
        }
        #expect(done == 500)
    }

    @Test("each lane is loaded in one portion at a time, and what is missing from a portion is over")
    func portions() {
        var floor = SchedulerFloor()
        _ = floor.addJob(1_000, perHost: 1_000)
        floor.add(1...1_000)
        #expect(floor.admit().count == SchedulerFloor.window.lane)
        let loads = floor.scheduler.loads()
        #expect(loads.map(\.ids) == [Array(513...768)])
        #expect(floor.scheduler.loads() == [])
        // Only two of them are still wanted.
        let isTaken = floor.give([513, 600], for: loads[0])
        #expect(isTaken)
        #expect(floor.admit() == [513, 600])
        let others = floor.scheduler.loads()
        #expect(others.map(\.ids) == [Array(769...1_000)])
        _ = floor.give([], for: others[0])
        for id in Array(1...512) + [513, 600] as [Int64] { floor.end(id) }
        #expect(floor.scheduler.isIdle)
    }

    @Test("what is listed later never overtakes what is parked, nor what is being loaded")
    func noOvertaking() {
        var floor = SchedulerFloor()
        _ = floor.addJob(1_000, perHost: 1_000)
        floor.add(1...1_000)
        var order = floor.admit()
        #expect(order.count == SchedulerFloor.window.lane)
        #expect(floor.add(1_001...1_010) == 0, "while others are parked")
        let loads = floor.scheduler.loads()
        #expect(floor.add(1_011...1_020) == 0, "while others are being loaded")
        for load in loads { _ = floor.give(load.ids, for: load) }
        for id in order { floor.end(id) }
        order += drain(&floor, ready: 0).order
        #expect(order == Array(1...1_020))
    }

    @Test("what is loaded for a host that was given up meanwhile is not forgotten, when the host is well again")
    func loadedAfterGivingUp() {
        var floor = SchedulerFloor()
        _ = floor.addJob(1_000, perHost: 1_000, retries: 0)
        floor.add(1...1_000)
        var begun = floor.admit()
        let loads = floor.scheduler.loads()
        #expect(loads.map(\.ids.count) == [256])
        // All that was begun fails to connect, then what is asked after the pause.
        for id in begun.dropLast() {
            floor.pass(100_000)
            _ = floor.scheduler.finished(id, .transientFailure(), sign: .unreachable, now: floor.now)
        }
        floor.pass(60_000_000)
        floor.add(2_001...2_001, collection: 2)
        _ = floor.scheduler.finished(begun[511], .complete, now: floor.now)
        begun = floor.admit()
        #expect(begun == [2_001])
        _ = floor.scheduler.finished(2_001, .transientFailure(), sign: .unreachable, now: floor.now)
        #expect(floor.scheduler.takeGivenUp(floor.now).flatMap(\.ids).count == 1_000 - 512 - 256)
        // Nothing is left of the queue once its turn has come.
        floor.pass(600_000_000)
        floor.add(3_001...3_001, collection: 2)
        _ = floor.scheduler.cancel([3_001], job: 0)
        #expect(floor.admit() == [])
        let isTaken = floor.give(loads[0].ids, for: loads[0])
        #expect(isTaken)
        #expect(floor.admit() == [513])
    }

    @Test("an item that was cancelled while it was parked never begins")
    func cancelParked() {
        var floor = SchedulerFloor()
        let job = floor.addJob(16)
        let ready = floor.add(1...1_000)
        #expect(floor.scheduler.cancel([700], job: job) == [])
        let (order, _) = drain(&floor, ready: ready)
        #expect(order == Array(1...1_000).filter { $0 != 700 })
    }
}
