internal import CMicrohttpd
internal import Dispatch
internal import System

/// The body of a response that goes on: any thread pushes bytes, the server's thread sends them.
///
/// While there is nothing to send the connection is suspended, which costs nothing; a client that went away is noticed by
/// the heartbeat that does not reach it.
package final class EventStream: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// So many of `bytes` are sent.
        var sent = 0
        /// While the response is with libmicrohttpd.
        var connection: ServerConnection?
        /// The connection, which libmicrohttpd has to resume when there is something to send.
        var suspended: OpaquePointer?
        var isFinished = false
        var isOver = false
        var lastPush = Monotonic.now()
        /// When the client last took something, or had taken all.
        var lastTaken = Monotonic.now()
        var onEnd: (@Sendable () -> Void)?
        var waiters: [Waiter] = []
    }

    /// A thread that waits for the client.
    private final class Waiter: Sendable {
        /// No more bytes than these may wait; below 0 for the stream's end.
        let limit: Int
        let signal = DispatchSemaphore(value: 0)

        init(_ limit: Int) { self.limit = limit }
    }

    private let state: Locked<State>

    /// A client that has not taken so many bytes is let go; it connects again and gets what is so then.
    private static let largestBacklog = 8 << 20

    /// - Parameter onEnd: called once when nothing more is sent, whoever ended the stream, on that one's thread; it must
    ///   not wait.
    package init(onEnd: @escaping @Sendable () -> Void = {}) {
        var state = State()
        state.onEnd = onEnd
        self.state = Locked(state)
    }

    /// Sends bytes after those that were pushed before. Any thread.
    ///
    /// - Returns: false where the stream is at its end, and nothing is sent.
    @discardableResult
    package func push(_ bytes: [UInt8]) -> Bool {
        let isTooSlow: Bool? = state.withLock { state in
            guard !state.isFinished, !state.isOver else { return nil }
            if state.bytes.count - state.sent + bytes.count > Self.largestBacklog { return true }
            if state.sent == state.bytes.count { state.lastTaken = .now() }
            state.bytes += bytes
            state.lastPush = .now()
            Self.resume(&state)
            return false
        }
        if isTooSlow == true { close() }
        return isTooSlow == false
    }

    @discardableResult
    package func push(_ event: ServerEvent) -> Bool {
        push(event.bytes)
    }

    /// Bytes that wait for the client to take them: a source of many changes joins them while this is not 0.
    package var backlog: Int { state.withLock { $0.bytes.count - $0.sent } }

    /// Whether nothing more is sent.
    package var isOver: Bool { state.withLock { $0.isFinished || $0.isOver } }

    /// Blocks the thread until the client is no more than so many bytes behind, or the stream is over.
    package func waitForBacklog(atMost limit: Int) {
        wait(Waiter(limit), until: .distantFuture)
    }

    /// Blocks the thread until the stream is over, for so many microseconds at most.
    package func waitForEnd(atMost microseconds: Int64) {
        wait(Waiter(-1), until: .now() + .microseconds(Int(microseconds)))
    }

    private func wait(_ waiter: Waiter, until deadline: DispatchTime) {
        state.withLock { state in
            state.waiters.append(waiter)
            Self.signal(&state)
        }
        guard waiter.signal.wait(timeout: deadline) == .timedOut else { return }
        state.withLock { state in state.waiters.removeAll { $0 === waiter } }
    }

    /// Lets go of the threads that have what they wait for.
    private static func signal(_ state: inout State) {
        guard !state.waiters.isEmpty else { return }
        let backlog = state.isFinished || state.isOver ? -1 : state.bytes.count - state.sent
        state.waiters.removeAll { waiter in
            guard backlog <= waiter.limit else { return false }
            waiter.signal.signal()
            return true
        }
    }

    /// Ends the stream after what was pushed. Any thread.
    package func finish() {
        state.withLock { state in
            state.isFinished = true
            Self.signal(&state)
            Self.resume(&state)
        }
    }

    /// Ends the stream at once, whatever is not sent yet.
    package func close() {
        let (connection, onEnd) = state.withLock { state in
            state.isOver = true
            Self.signal(&state)
            Self.resume(&state)
            defer { state.onEnd = nil }
            return (state.connection, state.onEnd)
        }
        connection?.shutDown()
        onEnd?()
    }

    // MARK: - The server

    private static func resume(_ state: inout State) {
        guard let connection = state.suspended else { return }
        state.suspended = nil
        MHD_resume_connection(connection)
    }

    /// Before the response is handed to libmicrohttpd, on its thread.
    func begin(on connection: ServerConnection) {
        state.withLock { $0.connection = connection }
    }

    /// Fills `buffer`, or suspends the connection where there is nothing to send. On the server's thread.
    func read(into buffer: UnsafeMutableBufferPointer<CChar>, of connection: OpaquePointer) -> Int {
        state.withLock { state in
            if state.isOver { return Self.endWithError }
            let rest = state.bytes[state.sent...]
            if rest.isEmpty {
                if state.isFinished { return Self.end }
                state.suspended = connection
                MHD_suspend_connection(connection)
                return 0
            }
            let count = min(rest.count, buffer.count)
            UnsafeMutableRawBufferPointer(buffer).copyBytes(from: rest.prefix(count))
            state.sent += count
            state.lastTaken = .now()
            if state.sent == state.bytes.count {
                // The memory of a large snapshot is not kept for small changes.
                state.bytes.removeAll(keepingCapacity: state.bytes.count <= 64 * 1024)
                state.sent = 0
            }
            Self.signal(&state)
            return count
        }
    }

    /// The response is no more with libmicrohttpd. On the server's thread.
    func ended() {
        let onEnd = state.withLock { state in
            state.isOver = true
            state.connection = nil
            state.suspended = nil
            state.bytes = []
            state.sent = 0
            Self.signal(&state)
            defer { state.onEnd = nil }
            return state.onEnd
        }
        onEnd?()
    }

    /// Sends a comment where nothing was pushed for `heartbeat`, and lets go of a client that takes nothing.
    func tick(now: Monotonic, heartbeat: Int64, patience: Int64) {
        enum Step { case none, beat, close }
        let step: Step = state.withLock { state in
            guard !state.isOver, !state.isFinished else { return .none }
            if state.sent < state.bytes.count, now - state.lastTaken >= patience { return .close }
            return now - state.lastPush >= heartbeat ? .beat : .none
        }
        switch step {
        case .none: break
        case .beat: push(Array(": heartbeat\n\n".utf8))
        case .close: close()
        }
    }

    /// MHD_CONTENT_READER_END_OF_STREAM and …_END_WITH_ERROR, casts that are not imported.
    private static let end = -1
    private static let endWithError = -2
}
