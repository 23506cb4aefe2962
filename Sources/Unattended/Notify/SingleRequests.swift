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

    private let loop: HTTPLoop
    private let driver = Driver()

    init() throws(HTTPFailure) {
        loop = try HTTPLoop(driver: driver)
        loop.start()
    }

    deinit { loop.stop() }

    /// The end of a request, whose time limit bounds the wait. Not from the cooperative pool.
    func send(_ request: HTTPRequest) -> HTTPResult {
        let (end, result) = (DispatchSemaphore(value: 0), Locked<HTTPResult?>(nil))
        driver.pending.withLock { pending in
            pending.append { loop in
                let exchange = HTTPMemoryBody(maximumBytes: 65_536) { ended, _ in
                    result.withLock { $0 = ended }
                    end.signal()
                }
                _ = loop.begin(request, exchange)
            }
        }
        loop.wake()
        while true {
            end.wait()
            if let result = result.withLock(\.self) { return result }
        }
    }
}
