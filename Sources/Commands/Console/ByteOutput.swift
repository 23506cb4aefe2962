import Glibc
import Synchronization

/// Text on its way to a descriptor: gathered, and written whole whatever `write(2)` takes at a time.
///
/// Callable from any thread; what one call writes is not torn apart by another's.
final class ByteOutput: Sendable {
    private let descriptor: Int32
    private let capacity: Int
    private let buffer = Mutex<[UInt8]>([])

    /// Gathers `capacity` bytes before it writes without ``flush()``; with 0 it writes each call at once.
    init(descriptor: Int32, capacity: Int) {
        self.descriptor = descriptor
        self.capacity = capacity
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
        while done < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            }
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                // Standard error may share a non-blocking description with another program.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                throw errno == EPIPE ? .closedPipe : .failed(errno)
            }
        }
    }
}

/// Why text did not reach its descriptor.
enum OutputError: Error, Equatable, CustomStringConvertible {
    /// The reader went away: `runner report | head`. Not worth a word.
    case closedPipe
    case failed(Int32)

    var description: String {
        switch self {
        case .closedPipe: "the output was closed"
        case .failed(let code): "cannot write the output: \(String(cString: strerror(code)))"
        }
    }
}
