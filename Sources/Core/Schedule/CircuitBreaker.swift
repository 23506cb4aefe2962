import HTTP

/// Leaves a host alone that fails again and again, and finds out whether it is well again.
///
/// It opens when requests have failed in a row, for some time: a short outage is for the tries of single items. After a
/// pause one request is let through. Its success closes the circuit. When it fails, too, what waits for the host is given
/// up, and the host is left alone for twice as long, again and again.
package struct CircuitBreaker: Sendable {
    package struct Settings: Sendable {
        /// So many failures in a row, over so long, open the circuit. Microseconds.
        package var failures = 5
        package var streak: Int64 = 10_000_000
        /// The first pause, and the longest. Microseconds.
        package var pause: Int64 = 30_000_000
        package var longestPause: Int64 = 600_000_000

        package init() {}
    }

    private enum State {
        case closed
        /// Until then nothing is asked; after it one request is.
        case open(until: Monotonic)
    }

    /// What a failure changed.
    enum Change: Equatable {
        case opened(until: Monotonic)
        /// The request after the pause failed, too.
        case gaveUp(until: Monotonic)
    }

    private var state = State.closed
    /// Failures in a row, and when the first of them was.
    private(set) var failures = 0
    private var since = Monotonic(microseconds: 0)
    private var pause: Int64 = 0
    /// Whether a request after the pause failed.
    private var hasGivenUp = false

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Whether what waits for the host is given up at this time.
    func isGivenUp(at now: Monotonic) -> Bool {
        if hasGivenUp, case .open(let until) = state { now < until } else { false }
    }

    /// The host answered.
    mutating func succeeded() {
        if failures > 0 { self = CircuitBreaker() }
    }

    /// A request failed.
    ///
    /// - Parameter begun: when it was begun; one from before the pause tells nothing new.
    mutating func failed(begun: Monotonic, at now: Monotonic, _ settings: Settings) -> Change? {
        if failures == 0 { since = now }
        failures += 1
        switch state {
        case .closed:
            guard failures >= settings.failures, now - since >= settings.streak else { return nil }
            pause = settings.pause
            let until = now.advanced(byMicroseconds: pause)
            state = .open(until: until)
            return .opened(until: until)
        case .open(let until):
            guard begun >= until else { return nil }
            pause = min(pause * 2, max(settings.longestPause, settings.pause))
            let next = now.advanced(byMicroseconds: pause)
            state = .open(until: next)
            hasGivenUp = true
            return .gaveUp(until: next)
        }
    }
}
