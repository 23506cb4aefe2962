import Dispatch
import HTTP

/// Carries events to their one reader, in order, on a queue of its own.
///
/// A reader that is slow slows those who may wait for it; it never makes the stream grow without bound.
final class EventStream: Sendable {
    private static let longest = 4_096
    /// Events that wait for the reader when it is far behind.
    private static let patience = 512
    /// Events of so long, in milliseconds, are read together: waking the reader for each would cost more than reading.
    private static let delay = 20

    private struct State {
        var pending: [RunEvent] = []
        var isScheduled = false
        /// Tasks that go on when the reader has caught up.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let queue = DispatchQueue(label: "events")
    private let state = Locked(State())
    private let handler: @Sendable ([RunEvent]) -> Void

    init(_ handler: @escaping @Sendable ([RunEvent]) -> Void) {
        self.handler = handler
    }

    /// - Parameter mayWait: whether the caller's thread may be held until the reader has caught up.
    func publish(_ events: [RunEvent], mayWait: Bool) {
        guard !events.isEmpty else { return }
        let (isFirst, isFull) = state.withLock { state in
            state.pending += events
            defer { state.isScheduled = true }
            return (!state.isScheduled, state.pending.count > Self.longest)
        }
        if isFirst { queue.asyncAfter(deadline: .now() + .milliseconds(Self.delay)) { self.deliver() } }
        if isFull, mayWait { queue.sync { self.deliver() } }
    }

    /// Publishes, and suspends the task while the reader is far behind; no thread is held.
    func send(_ events: [RunEvent]) async {
        publish(events, mayWait: false)
        guard state.withLock({ $0.pending.count > Self.longest }) else { return }
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiting.append(continuation) }
            queue.async { self.deliver() }
        }
    }

    /// Publishes events that soon are out of date: they are dropped while the reader is far behind, as when its terminal
    /// is stopped.
    func offer(_ events: [RunEvent]) {
        guard !events.isEmpty, state.withLock({ $0.pending.count < Self.patience }) else { return }
        publish(events, mayWait: false)
    }

    private func deliver() {
        useAllProcessors()
        let (events, waiting) = state.withLock { state in
            defer { state = State() }
            return (state.pending, state.waiting)
        }
        if !events.isEmpty { handler(events) }
        for task in waiting { task.resume() }
    }

    /// Returns when all that was published before has been read.
    func drain() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.deliver()
                continuation.resume()
            }
        }
    }
}
