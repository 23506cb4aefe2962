import HTTP
import System
import Testing

@testable import Schedule

/// What a host is asked for after it gave signs of being asked too much.
@Suite("Adaptive limit", .timeLimit(.minutes(1)))
struct AdaptiveLimitTests {
    private var limit = AdaptiveLimit()
    private var now = Monotonic(microseconds: 0)

    private mutating func pass(_ microseconds: Int64) { now = now.advanced(byMicroseconds: microseconds) }

    /// Requests one after the other, so many microseconds apart, each answered at once.
    private mutating func answer(_ count: Int, every interval: Int64, wait: Int64 = 1_000, inFlight: Int = 8) -> Int {
        (0..<count).count { _ in
            limit.began(at: now)
            let begun = now
            pass(interval)
            return limit.answered(wait: wait, begun: begun, at: now, inFlight: inFlight, ceiling: 8)
        }
    }

    @Test("a host that is well is not limited, however fast it is asked")
    mutating func noLimit() {
        #expect(answer(10_000, every: 100) == 0)
        #expect(limit.allowance == .max)
        #expect(limit.interval == 0)
    }

    @Test("a refusal halves what is in flight, down to one request at a time")
    mutating func halves() {
        for (inFlight, allowance) in [(8, 4), (4, 2), (2, 1), (1, 1)] {
            pass(1_000)
            limit.began(at: now)
            let isCut = limit.refused(begun: now, at: now, inFlight: inFlight)
            #expect(isCut)
            #expect(limit.allowance == allowance)
        }
        // So few requests tell no rate.
        #expect(limit.interval == 0)
    }

    @Test("requests that were in flight together are one sign")
    mutating func onePerRound() {
        let begun = now
        pass(5_000)
        let isFirstCut = limit.refused(begun: begun, at: now, inFlight: 8)
        #expect(isFirstCut)
        for inFlight in [7, 6, 5] {
            pass(10)
            let isCut = limit.refused(begun: begun, at: now, inFlight: inFlight)
            #expect(!isCut)
        }
        #expect(limit.allowance == 4)
    }

    @Test("each good round allows one request more, until nothing is limited")
    mutating func rises() {
        _ = limit.refused(begun: now, at: now, inFlight: 8)
        #expect(limit.allowance == 4)
        _ = answer(4, every: 1_000)
        #expect(limit.allowance == 4)
        _ = answer(1, every: 1_000)
        #expect(limit.allowance == 5)
        _ = answer(30, every: 1_000)
        #expect(limit.allowance == .max)
    }

    @Test("a refusal halves the rate, which comes back within some ten seconds of good replies, and not within one")
    mutating func rate() {
        // 100 requests a second.
        _ = answer(200, every: 10_000)
        _ = limit.refused(begun: now, at: now, inFlight: 8)
        #expect((19_000...21_000).contains(limit.interval))
        _ = answer(50, every: limit.interval)
        #expect((16_000...20_000).contains(limit.interval), "\(limit.interval)")
        var seconds: Int64 = 1
        while limit.interval > 0, seconds < 60 {
            _ = answer(Int(1_000_000 / limit.interval), every: limit.interval)
            seconds += 1
        }
        #expect((8...12).contains(seconds), "\(seconds)")
    }

    @Test("silence raises nothing")
    mutating func silence() {
        _ = answer(200, every: 10_000)
        _ = limit.refused(begun: now, at: now, inFlight: 8)
        let interval = limit.interval
        pass(3_600_000_000)
        _ = answer(1, every: 1_000)
        #expect(limit.interval > interval * 8 / 10)
    }

    @Test("a host that keeps refusing is asked once in two seconds at least")
    mutating func floor() {
        _ = answer(200, every: 10_000)
        for _ in 0..<30 {
            pass(1_000)
            _ = limit.refused(begun: now, at: now, inFlight: 1)
        }
        #expect(limit.interval == 2_000_000)
        #expect(limit.limitedRate == AdaptiveLimit.leastRate)
    }

    @Test("a host that slows down to a multiple gets less, and again only when it slows down further")
    mutating func slowdown() {
        _ = answer(100, every: 10_000, wait: 50_000)
        var slow = 0
        while answer(1, every: 10_000, wait: 2_000_000) == 0, slow < 40 { slow += 1 }
        #expect(limit.allowance == 5)
        #expect(limit.interval > 0)
        #expect(answer(40, every: 10_000, wait: 2_000_000) == 0)
    }

    @Test("replies that vary are no slowdown, nor are slow ones that were slow from the start")
    mutating func variation() {
        for _ in 0..<200 {
            #expect(answer(1, every: 10_000, wait: 20_000) == 0)
            #expect(answer(1, every: 10_000, wait: 400_000) == 0)
        }
        var slow = AdaptiveLimitTests()
        #expect(slow.answer(500, every: 10_000, wait: 3_000_000) == 0)
        #expect(limit.allowance == .max)
    }
}

@Suite("Circuit breaker", .timeLimit(.minutes(1)))
struct CircuitBreakerTests {
    private var breaker = CircuitBreaker()
    private var now = Monotonic(microseconds: 0)
    private let settings = CircuitBreaker.Settings()

    private var lastItem: Int64 = 0

    /// Fails requests of items that were not asked before.
    private mutating func fail(
        _ count: Int, every interval: Int64, isUnreachable: Bool = true, waiting: Int = 0, hasUntried: Bool = true
    ) -> CircuitBreaker.Change? {
        var change: CircuitBreaker.Change?
        for _ in 0..<count where change == nil {
            now = now.advanced(byMicroseconds: interval)
            lastItem += 1
            change = fail(lastItem, begun: now, isUnreachable, waiting, hasUntried)
        }
        return change
    }

    private mutating func fail(
        _ item: Int64, begun: Monotonic, _ isUnreachable: Bool = true, _ waiting: Int = 0, _ hasUntried: Bool = true
    ) -> CircuitBreaker.Change? {
        let failure = CircuitBreaker.Failure(of: item, isUnreachable: isUnreachable, begun: begun)
        return breaker.failed(failure, at: now, settings) {
            CircuitBreaker.Waiting(count: waiting, hasUntried: hasUntried)
        }
    }

    /// Lets one request through after each pause, each of another item, until the host is given up; how many there were.
    private mutating func probesUntilGivenUp(_ isUnreachable: Bool, waiting: Int, hasUntried: Bool = true) -> Int? {
        guard case .opened(var until)? = fail(9, every: 5_000_000, isUnreachable: isUnreachable) else { return nil }
        for probe in 1...1_000 {
            now = until
            lastItem += 1
            switch fail(lastItem, begun: now, isUnreachable, waiting, hasUntried) {
            case .opened(let next): until = next
            case .gaveUp: return probe
            case nil: return nil
            }
        }
        return nil
    }

    @Test("a host that nothing connects to is given up with the first request after the pause")
    mutating func unreachable() {
        #expect(probesUntilGivenUp(true, waiting: 10_000) == 1)
    }

    @Test(
        "a host that connects is given up after more items and more time, the more wait", arguments: [10, 300, 100_000])
    mutating func reachable(_ waiting: Int) throws {
        let start = now
        let probes = try #require(probesUntilGivenUp(false, waiting: waiting))
        #expect(probes + 5 >= min(settings.mostItems, 8 + waiting / 8))
        #expect(now - start >= min(600, Int64(waiting)) * 1_000_000)
        #expect(probes <= 60)
    }

    @Test("where all that waits has failed before, there is nothing to wait for")
    mutating func allTried() {
        #expect(probesUntilGivenUp(false, waiting: 10, hasUntried: false) == 1)
    }

    @Test("one item that fails again and again does not give up its host")
    mutating func oneItem() {
        _ = fail(4, every: 0)
        breaker.succeeded()
        for _ in 0..<20 {
            now = now.advanced(byMicroseconds: 60_000_000)
            if case .gaveUp? = fail(1, begun: now) { Issue.record("given up") }
        }
    }

    @Test("many failures within a short time, as in a restart, do not open it; lasting ones do")
    mutating func opens() {
        #expect(fail(1_000, every: 9_000) == nil)
        #expect(breaker.isClosed)
        let change = fail(1_000, every: 9_000)
        #expect(change == .opened(until: now.advanced(byMicroseconds: settings.pause)))
        #expect(!breaker.isClosed)
    }

    @Test("a few failures do not open it, however long they take")
    mutating func fewFailures() {
        #expect(fail(4, every: 60_000_000) == nil)
        #expect(fail(1, every: 60_000_000) != nil)
    }

    @Test("a good reply between failures begins the count anew")
    mutating func goodReply() {
        for _ in 0..<10 {
            #expect(fail(4, every: 60_000_000) == nil)
            breaker.succeeded()
        }
        #expect(breaker.isClosed)
    }

    @Test("what was in flight when it opened changes nothing; the request after the pause does")
    mutating func afterPause() {
        let start = now
        _ = fail(5, every: 5_000_000)
        #expect(fail(1, begun: start) == nil)
        #expect(!breaker.isGivenUp(at: now))
        now = now.advanced(byMicroseconds: settings.pause)
        let change = fail(2, begun: now)
        #expect(change == .gaveUp(until: now.advanced(byMicroseconds: 2 * settings.pause)))
        #expect(breaker.isGivenUp(at: now))
        #expect(!breaker.isGivenUp(at: now.advanced(byMicroseconds: 2 * settings.pause)))
        breaker.succeeded()
        #expect(breaker.isClosed)
        #expect(!breaker.isGivenUp(at: now))
    }

    @Test("pauses double up to ten minutes")
    mutating func pauses() {
        _ = fail(5, every: 5_000_000)
        var pauses: [Int64] = []
        var until = now.advanced(byMicroseconds: settings.pause)
        for _ in 0..<7 {
            now = until
            guard case .gaveUp(let next)? = fail(1, begun: until) else { return }
            pauses.append((next - until) / 1_000_000)
            until = next
        }
        #expect(pauses == [60, 120, 240, 480, 600, 600, 600])
    }
}
