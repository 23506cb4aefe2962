import Glibc

/// State that threads share, with waiting for it to become what is needed: a mutex and a condition variable.
///
/// Waiting blocks the calling thread. Tests may do so as long as what they wait for runs on threads of its own.
// Reason for `@unchecked`: `state` is only touched under the mutex.
package final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ state: sending State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Reads or changes the state, and has those who wait look again.
    @discardableResult
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Waits until `body` returns a value; nil when that takes longer than `seconds`.
    package func wait<Result>(seconds: Int = 30, until body: (inout State) -> Result?) -> Result? {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += seconds
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) {
                pthread_cond_broadcast(condition)
                return result
            }
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return body(&state) }
        }
    }
}

/// Something that did not happen in time, or could not be set up.
package struct TestSupportError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Runs `body` on a new thread, which is not joined.
package func spawnThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    // Retained for the thread, which releases it.
    let context = Unmanaged.passRetained(Box(body)).toOpaque()
    let code = pthread_create(
        &thread, nil,
        { context in
            context.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
            return nil
        }, context)
    precondition(code == 0, "no thread: \(code)")
    pthread_detach(thread)
}
