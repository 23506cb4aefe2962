import Dispatch
import HTTP
import System

/// Sends requests one by one, while the calling thread waits.
///
/// It owns the driver of its loop instead of being it: whoever stops a loop must not do so on its thread.
final class SingleRequests: Sendable {
    private final class Driver: HTTPLoopDriver {
        let pending = Locked<[@Sendable (HTTPLoop) -> Void]>([])

        func turn(on loop: HTTPLoop, now: Monotonic) -> Monotonic? {
            let pending = pending.withLock { pending in
                defer { pending = [] }
                return pending
            }
            for begin in pending { begin(loop) }
            return nil
        }
    }

    private struct State {
        /// Of the request under way.
        var ticket: HTTPTicket?
        var isStopped = false
    }

    private let loop: HTTPLoop
    private let driver = Driver()
    private let state = Locked(State())

    init() throws(HTTPFailure) {
        loop = try HTTPLoop(driver: driver)
        loop.start()
    }

    deinit { loop.stop() }

    /// Ends the request under way, and each that comes after, as cancelled. Any thread.
    func cancel() {
        perform { [state] loop in
            let ticket = state.withLock { state in
                state.isStopped = true
                return state.ticket
            }
            if let ticket { loop.cancel(ticket) }
        }
    }

    /// The end of a request, whose time limit bounds the wait. Not from the cooperative pool.
    func send(_ request: HTTPRequest) -> HTTPResult {
        let (end, result) = (DispatchSemaphore(value: 0), Locked<HTTPResult?>(nil))
        perform { [state] loop in
            let exchange = HTTPMemoryBody(maximumBytes: 65_536) { ended, _ in
                state.withLock { $0.ticket = nil }
                result.withLock { $0 = ended }
                end.signal()
            }
            let ticket = loop.begin(request, exchange)
            let isStopped = state.withLock { state in
                state.ticket = ticket
                return state.isStopped
            }
            if isStopped { loop.cancel(ticket) }
        }
        while true {
            end.wait()
            if let result = result.withLock(\.self) { return result }
        }
    }

    /// Has the loop's thread do something.
    private func perform(_ body: @escaping @Sendable (HTTPLoop) -> Void) {
        driver.pending.withLock { $0.append(body) }
        loop.wake()
    }
}
