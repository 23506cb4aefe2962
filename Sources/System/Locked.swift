internal import Glibc

/// A value behind a lock.
///
/// `Synchronization.Mutex` would do, but ThreadSanitizer does not see it when threads meet at it, and reports each use
/// as a race; pthread's locks it knows.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {  // the value is reached with the lock held only
    // Allocated: a lock must not move.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: consuming sending Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Runs `body` with the lock held: it must be short, wait for nothing, and not come back here.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
