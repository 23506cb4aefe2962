internal import Dispatch

/// Runs what blocks on a thread of its own, away from Swift's pool, which has one thread for each processor.
package func offPool<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        // A queue for each call, since several may block at a time.
        DispatchQueue(label: "off pool").async { continuation.resume(returning: body()) }
    }
}

/// Blocks the calling thread for so many microseconds: for what runs in ``offPool(_:)`` and has nothing but time to wait for.
package func pauseThread(microseconds: Int64) {
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(Int(microseconds)))
}

/// What is due at a time: deadlines, grace periods, second looks. It has a queue of its own, on which nothing that is given
/// to it may wait or take long: a deadline is kept however busy the other queues are.
package enum Timers {
    private static let queue = DispatchQueue(label: "timers")

    /// Calls `body` so many microseconds from now.
    package static func after(_ microseconds: Int64, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .microseconds(Int(microseconds)), execute: body)
    }

    /// Calls `body` so many seconds from now by the wall clock, which may be set meanwhile.
    package static func afterWallClock(seconds: Int, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(wallDeadline: .now() + .seconds(seconds), execute: body)
    }
}
