import Glibc
import HTTP
import Synchronization
import System

/// Text on its way to a descriptor: gathered, and written whole whatever `write(2)` takes at a time.
///
/// Callable from any thread; what one call writes is not torn apart by another's.
final class ByteOutput: Sendable {
    private let descriptor: Int32
    private let capacity: Int
    private let buffer = Mutex<[UInt8]>([])
    private let isSocket: Bool
    /// Microseconds for which a write waits for a reader that takes nothing.
    private let longestWait = Atomic<Int64>(.max)

    /// Gathers `capacity` bytes before it writes without ``flush()``; with 0 it writes each call at once.
    init(descriptor: Int32, capacity: Int) {
        self.descriptor = descriptor
        self.capacity = capacity
        isSocket = false
    }

    /// One of the process's standard descriptors, whose writes ``limitWaiting(to:)`` ends.
    init(standard descriptor: Int32, capacity: Int) {
        var information = stat()
        let kind = fstat(descriptor, &information) == 0 ? information.st_mode & S_IFMT : 0
        var own: Int32 = -1
        if kind == S_IFIFO || isatty(descriptor) == 1 {
            // A description of this process's own: O_NONBLOCK on the inherited one would be everybody's who shares it.
            own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
        self.descriptor = own >= 0 ? own : descriptor
        self.capacity = capacity
        isSocket = kind == S_IFSOCK
    }

    /// From now on a write that could go on for so many microseconds only if the reader took something fails, also one
    /// that waits already, and so do all after it. With 0 nothing waits.
    func limitWaiting(to microseconds: Int64) {
        longestWait.store(microseconds, ordering: .relaxed)
    }

    func write(_ text: String) throws(OutputError) {
        try write(text.utf8)
    }

    func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
        try buffer.withLock { buffer throws(OutputError) in
            buffer.append(contentsOf: bytes)
            if buffer.count > capacity { try drain(&buffer) }
        }
    }

    /// Writes what was gathered.
    func flush() throws(OutputError) {
        try buffer.withLock { buffer throws(OutputError) in try drain(&buffer) }
    }

    private func drain(_ buffer: inout [UInt8]) throws(OutputError) {
        // What can't be written now is dropped, not tried again by the next call.
        defer { buffer.removeAll(keepingCapacity: true) }
        var done = 0
        var waitsSince: Monotonic?
        while done < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                let (start, length) = (bytes.baseAddress.map { $0 + done }, bytes.count - done)
                return isSocket
                    ? send(descriptor, start, length, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                    : Glibc.write(descriptor, start, length)
            }
            if count >= 0 {
                done += count
                waitsSince = nil
            } else if errno == EAGAIN {
                let start = waitsSince ?? .now()
                waitsSince = start
                try waitForReader(since: start)
            } else if errno != EINTR {
                throw errno == EPIPE ? .closedPipe : .failed(errno)
            }
        }
    }

    /// Milliseconds after which a limit that was set meanwhile counts.
    private static let lookInterval: Int32 = 50

    /// Waits for the reader, a moment at most.
    private func waitForReader(since start: Monotonic) throws(OutputError) {
        guard Monotonic.now() - start < longestWait.load(ordering: .relaxed) else {
            limitWaiting(to: 0)
            throw .stuckReader
        }
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, Self.lookInterval)
    }
}

/// Why text did not reach its descriptor.
enum OutputError: Error, Equatable, CustomStringConvertible {
    /// The reader went away: `runner report | head`. Not worth a word.
    case closedPipe
    /// The reader took nothing for as long as it may take.
    case stuckReader
    case failed(Int32)

    var description: String {
        switch self {
        case .closedPipe: "the output was closed"
        case .stuckReader: "cannot write the output: nobody reads it"
        case .failed(let code): "cannot write the output: \(String(cString: strerror(code)))"
        }
    }
}
