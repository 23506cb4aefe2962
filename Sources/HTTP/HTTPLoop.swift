internal import CLinux
import Glibc
internal import Synchronization
import System

/// Transfers on one thread, which owns libcurl's multi handle.
///
/// Each turn the thread runs the sockets that are ready, tells the exchanges what has ended, asks the driver
/// for more to begin, and waits. There may be several loops; they share nothing but what their requests share.
///
/// `stop()` must be called before the last reference goes: the thread keeps a started loop alive. Not from the
/// driver's `deinit`, which may run on the loop's thread, at the end of a turn.
// Reason for `@unchecked`: `engine` is used by the loop's thread alone once it runs (`start` and `stop` hand it
// over, and the thread's creation and end order that); all else is immutable, atomic or locked.
package final class HTTPLoop: @unchecked Sendable {
    /// Weak, since the driver usually owns its loop: a loop whose driver has gone begins nothing new.
    private weak let driver: (any HTTPLoopDriver)?
    private let engine: CurlLoop
    private let wakeup: Wakeup
    private let isStopping = Atomic(false)
    private let threadNumber = Atomic<UInt>(0)
    private let state = Locked(State.idle)

    private enum State {
        case idle
        case running(pthread_t)
        case stopped
    }

    /// Makes a loop that asks `driver` what to do. It holds the driver weakly.
    ///
    /// Raises the process's limit of open files. `isReachable` decides what `AddressPolicy.globalOnly` lets
    /// pass; it gets addresses in network order. Throws a failure of kind `.resource`.
    package init(
        driver: any HTTPLoopDriver,
        isReachable: @escaping @Sendable ([UInt8]) -> Bool = { isGloballyReachable($0) }
    ) throws(HTTPFailure) {
        raiseOpenFileLimit()
        self.driver = driver
        do throws(SystemCallFailure) {
            wakeup = try Wakeup()
        } catch {
            throw HTTPFailure(.resource, error.description)
        }
        engine = try CurlLoop(isReachable: isReachable)
        engine.watch(wakeup)
    }

    /// Starts the thread, once. Its first act is a turn of the driver.
    package func start() {
        state.withLock { state in
            guard case .idle = state else { preconditionFailure("a loop is started once") }
            state = .running(spawn())
        }
    }

    /// Has the driver get a turn soon. Any thread; a system call only while the loop sleeps.
    package func wake() {
        wakeup.call()
    }

    /// Ends the loop: everything in flight finishes as `.cancelled`, connections are closed, and the thread has
    /// ended when this returns. Any thread but the loop's; calling it again does nothing.
    package func stop() {
        precondition(!isCurrent, "a loop cannot be stopped from its own thread")
        state.withLock { state in
            switch state {
            case .idle: engine.shutdown()
            case .running(let thread):
                isStopping.store(true, ordering: .releasing)
                wakeup.call()
                pthread_join(thread, nil)
            case .stopped: break
            }
            state = .stopped
        }
    }

    /// Begins a request and returns its ticket. `exchange` is kept until it has finished.
    ///
    /// Never calls the exchange before it returns, also not when the request cannot be made. On the loop's
    /// thread only, and not from within `begin` or `receive` of an exchange.
    package func begin(_ request: HTTPRequest, _ exchange: any HTTPExchange) -> HTTPTicket {
        precondition(isCurrent, "transfers are begun on the loop's thread")
        return engine.begin(request, exchange)
    }

    /// Ends a transfer as `.cancelled`: before this returns, or right after the call when it comes from within
    /// `begin` or `receive` of an exchange. A ticket that is over is ignored. On the loop's thread only.
    package func cancel(_ ticket: HTTPTicket) {
        precondition(isCurrent, "transfers are cancelled on the loop's thread")
        engine.cancel(ticket)
    }

    /// How many transfers have begun and not finished. On the loop's thread only.
    package var inFlight: Int {
        precondition(isCurrent, "the loop's state is its thread's")
        return engine.inFlight
    }

    /// Whether the caller is on the loop's thread.
    package var isCurrent: Bool {
        threadNumber.load(ordering: .relaxed) == UInt(pthread_self())
    }

    private func spawn() -> pthread_t {
        // Signals are for the program's main thread; a new thread inherits the mask it is created under.
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        var thread = pthread_t()
        // Retained for the thread, which releases it.
        let code = pthread_create(&thread, nil, runLoop, Unmanaged.passRetained(self).toOpaque())
        precondition(code == 0, "no thread for the loop: \(String(cString: strerror(code)))")
        return thread
    }

    fileprivate func run() {
        clinux_name_thread("http")
        threadNumber.store(UInt(pthread_self()), ordering: .relaxed)
        while !isStopping.load(ordering: .acquiring) {
            engine.runTimerIfDue(now: .now())
            _ = engine.settle(now: .now())
            let next = driver?.turn(on: self, now: .now())
            // Starts what the driver has begun: a request over a kept connection is sent here.
            engine.runTimerIfDue(now: .now())
            let now = Monotonic.now()
            let hasNews = engine.settle(now: now) || engine.hasUnsettled
            engine.wait(until: hasNews ? now : next, wakeup: wakeup, now: now)
        }
        engine.shutdown()
        // The number may be another thread's by the time that `stop` is called again.
        threadNumber.store(0, ordering: .relaxed)
    }
}

private func runLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // `spawn` always gives a retained loop.
    context.map { Unmanaged<HTTPLoop>.fromOpaque($0).takeRetainedValue().run() }
    return nil
}
