internal import Glibc
internal import HTTP

/// A connection that was accepted. Its descriptor is open from libmicrohttpd's first notification to its last.
final class ServerConnection: Sendable {
    private struct State {
        var isOpen = true
        /// Until when a request has to have reached its handler; nil while one is being answered.
        var deadline: Monotonic?
        /// The stream that is being sent.
        var stream: EventStream?
    }

    private let descriptor: Int32
    private let state: Locked<State>
    /// Whether requests are read from it: false for another user's.
    let isWelcome: Bool

    init(_ descriptor: Int32, deadline: Monotonic, isWelcome: Bool) {
        self.descriptor = descriptor
        self.isWelcome = isWelcome
        state = Locked(State(deadline: deadline))
        if !isWelcome { shutDown() }
    }

    func setDeadline(_ deadline: Monotonic?) {
        state.withLock { $0.deadline = deadline }
    }

    func setStream(_ stream: EventStream?) {
        state.withLock { $0.stream = stream }
    }

    /// Ends both directions; libmicrohttpd then closes the connection. Any thread.
    func shutDown() {
        state.withLock { state in
            // With the lock held, since the number may be another connection's after the last notification.
            if state.isOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// The last notification.
    func close() {
        state.withLock { $0.isOpen = false }
    }

    func tick(now: Monotonic, _ limits: ServerLimits) {
        let (isLate, stream) = state.withLock { ($0.deadline.map { now >= $0 } ?? false, $0.stream) }
        if isLate { shutDown() }
        stream?.tick(now: now, heartbeat: limits.heartbeat, patience: limits.patience)
    }
}
