internal import CLinux
import Glibc

/// Owns an epoll instance and the memory for its answers.
struct Poller: ~Copyable {
    static let readable = UInt32(EPOLLIN.rawValue)
    static let writable = UInt32(EPOLLOUT.rawValue)
    /// Reported unasked.
    static let broken = UInt32(EPOLLERR.rawValue | EPOLLHUP.rawValue)

    private static let capacity = 256
    private let descriptor: Int32
    private let answers: UnsafeMutablePointer<epoll_event>

    init() throws(HTTPFailure) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        answers = .allocate(capacity: Self.capacity)
        if descriptor < 0 { throw HTTPFailure(.resource, "epoll: \(String(cString: strerror(errno)))") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        answers.deallocate()
    }

    /// Makes the interest in a descriptor `events`, none to forget it. `current` is what it was.
    func change(_ socket: Int32, from current: UInt32, to events: UInt32) {
        let operation = events == 0 ? EPOLL_CTL_DEL : current == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        if clinux_epoll_control(descriptor, operation, socket, events) == 0 || events == 0 { return }
        // A number that was closed and given out again unseen is not in the set, or is already.
        let other = errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
        _ = clinux_epoll_control(descriptor, other, socket, events)
    }

    /// Waits for readiness, at most so many microseconds, nil for ever; returns how many answers there are.
    func wait(atMost microseconds: Int64?) -> Int {
        // Rounded up: waking before the deadline would mean waking twice.
        let timeout = microseconds.map { Int32(min(($0 + 999) / 1_000, 3_600_000)) } ?? -1
        return max(0, Int(epoll_wait(descriptor, answers, Int32(Self.capacity), timeout)))
    }

    func answer(_ index: Int) -> (descriptor: Int32, events: UInt32) {
        (clinux_epoll_descriptor(answers + index), clinux_epoll_events(answers + index))
    }
}
