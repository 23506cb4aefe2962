import HTTP
import System
import TestSupport

@testable import Model
@testable import Schedule

/// A scheduler with a clock that a test moves by hand.
struct SchedulerFloor {
    /// Small, so that short lists pass through it.
    static let window = {
        var window = Scheduler.Window()
        window.lane = 512
        window.total = 4_096
        window.low = 128
        window.again = 64
        return window
    }()

    var scheduler: Scheduler
    var now = Monotonic(microseconds: 0)

    init(seed: Int = 1, backoff: Backoff = Backoff()) {
        scheduler = Scheduler(generator: SplitMix(seed), backoff: backoff, window: Self.window)
    }

    static func host(_ name: String) -> HTTPOrigin { HTTPOrigin(scheme: "https", host: name, port: 443) }

    mutating func addJob(
        _ concurrency: Int = 100, perHost: Int = 100, interval: Int64 = 0, retries: Int = 4
    ) -> Int {
        scheduler.addJob(.init(concurrency: concurrency, perHost: perHost, interval: interval, retries: retries))
    }

    @discardableResult
    mutating func add(
        _ ids: ClosedRange<Int64>, job: Int = 0, host: String = "a", collection: Int64 = 1,
        precedence: Precedence = Precedence(.missing)
    ) -> Int {
        scheduler.add(
            Array(ids)[...], job: job, origin: Self.host(host), collection: collection, precedence: precedence)
    }

    mutating func request(_ id: Int64, job: Int = 0, host: String = "a") {
        scheduler.addRequest(id, job: job, origin: Self.host(host))
    }

    /// What begins now.
    mutating func admit() -> [Int64] {
        scheduler.admit(now).map(\.id)
    }

    mutating func end(_ id: Int64) {
        _ = scheduler.finished(id, .complete, now: now)
    }

    mutating func fail(_ id: Int64, retryAfter: Int64? = nil) -> RetryDecision {
        scheduler.finished(id, .transientFailure(retryAfter: retryAfter), now: now)
    }

    mutating func redirect(_ id: Int64, to host: String, after delay: Int64 = 0) -> RetryDecision {
        scheduler.finished(id, .redirected(to: Self.host(host), after: delay), now: now)
    }

    mutating func pass(_ microseconds: Int64) {
        now = now.advanced(byMicroseconds: microseconds)
    }

    /// Moves the clock to the next time at which something may begin.
    mutating func passToWake() {
        if let wake = scheduler.nextWake { now = max(now, wake) }
    }

    /// Gives the scheduler all that it wants loaded.
    mutating func load() {
        for load in scheduler.loads() { _ = give(load.ids, for: load) }
    }

    /// Gives the scheduler what became of a load.
    ///
    /// - Returns: whether it was taken.
    mutating func give(_ ids: [Int64], for load: Scheduler.Load) -> Bool {
        scheduler.loaded(ids, of: load)
    }
}

extension AttemptResult {
    static func transientFailure(retryAfter: Int64? = nil) -> AttemptResult {
        var failure = TransferFailure(.timeout, "", isTransient: true)
        failure.retryAfter = retryAfter
        return .failed(failure)
    }
}
