import HTTP
import System

/// Leaves a host alone that fails again and again, and finds out whether it is well again.
///
/// It opens when requests have failed in a row, for some time: a short outage is for the tries of single items. After a
/// pause one request is let through, and its success closes the circuit. When it fails, too, the host is abandoned with what
/// waits for it if nothing could connect; else a few bad items may be all that is wrong, and others are let through, one
/// after each pause: as many, and for as long, as grows with what waits. A host that is abandoned is paused for twice as
/// long each time.
package struct CircuitBreaker: Sendable {
    package struct Settings: Sendable {
        /// So many failures in a row, over so long, open the circuit. Microseconds.
        package var failures = 5
        package var streak: Int64 = 10_000_000
        /// The first pause, and the longest. Microseconds.
        package var pause: Int64 = 30_000_000
        package var longestPause: Int64 = 600_000_000
        /// The pause after a request that did connect and failed.
        package var shortPause: Int64 = 10_000_000
        /// How long a host that does connect may fail for each item that waits for it, and in all. Microseconds.
        package var patience: Int64 = 1_000_000
        var longestPatience: Int64 = 600_000_000
        /// So many items have to fail before a host that does connect is abandoned, and one more for so many that wait.
        package var items = 8
        package var share = 8
        /// So many items in a row are always enough.
        package var mostItems = 64

        package init() {}
    }

    /// A request that failed.
    struct Failure {
        let id: Scheduler.TransferID
        /// Whether nothing could be asked.
        let isUnreachable: Bool
        /// One from before the pause tells nothing new.
        let begun: Monotonic

        init(of id: Scheduler.TransferID, isUnreachable: Bool, begun: Monotonic) {
            self.id = id
            self.isUnreachable = isUnreachable
            self.begun = begun
        }
    }

    private enum State {
        case closed
        /// Until then nothing is asked; after it one request is.
        case open(until: Monotonic)
    }

    /// What waits for the host.
    struct Waiting {
        var count = 0
        /// Whether there are items among it that were not tried.
        var hasUntried = false
    }

    /// What a failure changed.
    enum Change: Equatable {
        case opened(until: Monotonic)
        /// What waits for the host is skipped.
        case gaveUp(until: Monotonic)
    }

    private var state = State.closed
    /// Failures in a row, and when the first of them was.
    private(set) var failures = 0
    private var since = Monotonic(microseconds: 0)
    /// Of which items and requests they are, as many as matter.
    private var failed: Set<Scheduler.TransferID> = []
    /// Those of them that failed since a request last connected.
    private var unconnected: Set<Scheduler.TransferID> = []
    private var pause: Int64 = 0
    private var hasGivenUp = false

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Whether the last failure was one of the connection.
    var isUnreachable: Bool { !unconnected.isEmpty }

    /// Whether what waits for the host is skipped at this time.
    func isGivenUp(at now: Monotonic) -> Bool {
        if hasGivenUp, case .open(let until) = state { now < until } else { false }
    }

    /// The host answered.
    mutating func succeeded() {
        if failures > 0 { self = CircuitBreaker() }
    }

    /// A request failed.
    ///
    /// - Parameter waiting: looks at what waits for the host.
    mutating func failed(
        _ failure: Failure, at now: Monotonic, _ settings: Settings, waiting: () -> Waiting
    ) -> Change? {
        if failures == 0 { since = now }
        failures += 1
        if failed.count < settings.mostItems { failed.insert(failure.id) }
        if !failure.isUnreachable {
            unconnected.removeAll()
        } else if unconnected.count < settings.mostItems {
            unconnected.insert(failure.id)
        }
        switch state {
        case .closed:
            guard failures >= settings.failures, now - since >= settings.streak else { return nil }
            pause = settings.pause
            return .opened(until: open(for: pause, now))
        case .open(let until):
            guard failure.begun >= until else { return nil }
            guard isHopeless(at: now, settings, waiting) else {
                return .opened(until: open(for: isUnreachable ? pause : min(pause, settings.shortPause), now))
            }
            hasGivenUp = true
            pause = min(pause * 2, max(settings.longestPause, settings.pause))
            return .gaveUp(until: open(for: pause, now))
        }
    }

    private mutating func open(for pause: Int64, _ now: Monotonic) -> Monotonic {
        let until = now.advanced(byMicroseconds: pause)
        state = .open(until: until)
        return until
    }

    /// Whether it is the host that fails, rather than some items.
    private func isHopeless(at now: Monotonic, _ settings: Settings, _ look: () -> Waiting) -> Bool {
        guard failed.count > 1 else { return false }
        if hasGivenUp || unconnected.count > 1 { return true }
        let waiting = look()
        let items = min(settings.mostItems, settings.items + waiting.count / settings.share)
        let patience = min(settings.longestPatience, settings.patience * Int64(waiting.count))
        return (failed.count >= items || !waiting.hasUntried) && now - since >= patience
    }
}
