import HTTP
import Schedule
import System
import Testing

@testable import Model

/// What begins before what.
@Suite("Precedence of items", .timeLimit(.minutes(1)))
struct PrecedenceTests {
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

    @Test("what has no file goes first, then what failed, then what was asked longest ago, each in list order")
    mutating func order() {
        _ = floor.addJob(1)
        floor.add(1...2, precedence: Precedence(.stored, askedRun: 7))
        floor.add(3...4, precedence: Precedence(.failed, askedRun: 7))
        floor.add(5...6, precedence: Precedence(.stored, askedRun: 5))
        floor.add(7...8)
        floor.add(9...9, precedence: Precedence(.failedRefresh, askedRun: 2))
        floor.add(10...10, precedence: Precedence(.stored, askedRun: 7))
        #expect(drain() == [7, 8, 3, 4, 9, 5, 6, 1, 2, 10])
    }

    @Test("it holds over hosts and collections, which take turns among equals")
    mutating func overHosts() {
        _ = floor.addJob(1)
        floor.add(1...3, host: "a", precedence: Precedence(.stored, askedRun: 1))
        floor.add(11...13, host: "b", collection: 1)
        floor.add(21...22, host: "b", collection: 2)
        floor.add(31...32, host: "c")
        #expect(drain() == [11, 31, 21, 32, 12, 22, 13, 1, 2, 3])
    }

    @Test("a host that has no room for what goes first does not keep others from beginning")
    mutating func noRoom() {
        _ = floor.addJob(4, perHost: 1)
        floor.add(1...3, host: "a")
        floor.add(11...13, host: "b", precedence: Precedence(.stored, askedRun: 1))
        #expect(floor.admit() == [1, 11])
        floor.end(11)
        #expect(floor.admit() == [12])
        floor.end(1)
        #expect(floor.admit() == [2])
    }

    @Test("what is listed later and has no file goes before what has one, parked or not", arguments: [100, 20_000])
    mutating func later(_ count: Int64) {
        _ = floor.addJob(1)
        floor.add(1...count, precedence: Precedence(.stored, askedRun: 1))
        #expect(floor.admit() == [1])
        floor.add(100_001...100_000 + count)
        floor.end(1)
        let order = drain()
        #expect(order.prefix(Int(count)) == ArraySlice(100_001...100_000 + count))
        #expect(order.dropFirst(Int(count)) == ArraySlice(2...count))
        #expect(floor.scheduler.isIdle)
    }

    @Test(
        "what has a file waits until the list is complete, where that is asked for, but not for ever",
        arguments: [true, false])
    mutating func hold(_ isComplete: Bool) {
        let job = floor.addJob(4)
        floor.scheduler.holdStored(until: floor.now.advanced(byMicroseconds: 2_000_000), job: job)
        floor.add(1...1, precedence: Precedence(.stored, askedRun: 1))
        #expect(floor.admit() == [])
        floor.add(2...2, precedence: Precedence(.failed, askedRun: 1))
        #expect(floor.admit() == [2])
        if isComplete { floor.scheduler.releaseStored(job: job) } else { floor.passToWake() }
        #expect(floor.admit() == [1])
    }

    @Test("a try again waits behind what was not tried, but before what has a file")
    mutating func again() {
        _ = floor.addJob(1)
        floor.add(1...3)
        floor.add(11...12, precedence: Precedence(.stored, askedRun: 1))
        #expect(floor.admit() == [1])
        _ = floor.fail(1)
        floor.pass(60_000_000)
        #expect(floor.admit() == [2])
        floor.end(2)
        #expect(floor.admit() == [3])
        floor.end(3)
        #expect(floor.admit() == [1])
        floor.end(1)
        #expect(floor.admit() == [11])
        _ = floor.fail(11)
        floor.pass(60_000_000)
        #expect(drain() == [12, 11])
    }

    @Test("so many tries again wait; more go first, for each holds its transfer")
    mutating func manyAgain() {
        _ = floor.addJob(1_000, perHost: 1_000, retries: 4)
        floor.add(1...Int64(SchedulerFloor.window.again) + 1)
        for id in floor.admit() { _ = floor.fail(id) }
        floor.add(1_001...1_400)
        floor.scheduler.setConcurrency(2, job: 0)
        floor.pass(60_000_000)
        let begun = floor.admit()
        #expect(begun.count == 2)
        #expect(begun.first.map { $0 < 1_000 } == true)
        #expect(begun.last == 1_001)
    }

    @Test("a million items of all kinds keep the window")
    mutating func window() {
        _ = floor.addJob(16)
        var ready = 0
        for start in stride(from: Int64(1), to: 1_000_001, by: 1_000) {
            let rank: [Precedence.Rank] = [.stored, .missing, .failed, .stored]
            ready += floor.add(
                start...start + 999, collection: start,
                precedence: Precedence(rank[Int(start / 1_000) % 4], askedRun: start % 7))
        }
        #expect(ready <= SchedulerFloor.window.total)
    }
}
