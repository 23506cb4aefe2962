import TestSupport

@testable import Run

/// A time of day that a test sets.
final class SetClock: Sendable {
    private struct State {
        var second: Int
        var wakes: [(seconds: Int, body: @Sendable () -> Void)] = []
    }

    private let state: Monitor<State>

    init(second: Int) {
        state = Monitor(State(second: second))
    }

    var dayClock: DayClock {
        DayClock(
            secondOfDay: { [state] in state.withLock { $0.second } },
            wake: { [state] seconds, body in state.withLock { $0.wakes.append((seconds, body)) } })
    }

    /// After how many seconds callers want to be woken.
    var wakes: [Int] { state.withLock { $0.wakes.map(\.seconds) } }

    /// Sets the time, and wakes all who wait.
    func advance(to second: Int) {
        let due = state.withLock { state in
            state.second = second
            defer { state.wakes = [] }
            return state.wakes
        }
        for wake in due { wake.body() }
    }
}

/// Keeps the handle of the run that has begun last.
final class HandleDoor: RunDoor {
    private let state = Monitor<RunHandle?>(nil)

    var handle: RunHandle? { state.withLock { $0 } }

    func open(_ run: RunHandle) { state.withLock { $0 = run } }

    func close(_ run: RunHandle) async {}
}
