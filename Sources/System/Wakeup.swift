internal import CLinux
import Glibc
import Synchronization

/// Wakes a thread that waits in epoll, from any other one, without a system call while it is awake.
package final class Wakeup: Sendable {
    /// Becomes readable when the thread is to wake.
    package let descriptor: Int32
    private let state = Atomic<UInt8>(awake)

    private static let awake: UInt8 = 0
    private static let asleep: UInt8 = 1
    /// Woken since it last looked.
    private static let called: UInt8 = 2

    package init() throws(SystemCallFailure) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        if descriptor < 0 { throw SystemCallFailure(call: "eventfd", errno: errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Any thread.
    package func call() {
        // `exchange` orders what the caller did before this against what the thread reads after it.
        if state.exchange(Self.called, ordering: .acquiringAndReleasing) == Self.asleep {
            eventfd_write(descriptor, 1)
        }
    }

    /// Whether the thread may go to sleep now: false when it was called since `didWake`.
    package func prepareToSleep() -> Bool {
        state.compareExchange(
            expected: Self.awake, desired: Self.asleep, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// The thread is awake and looks for what there is to do after this.
    package func didWake() {
        // An exchange and not a store, so that what a caller did before a call that this undoes is seen.
        _ = state.exchange(Self.awake, ordering: .acquiringAndReleasing)
    }

    /// Makes the descriptor unreadable again.
    package func clear() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}
