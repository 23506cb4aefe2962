import Glibc
package import Model
import System

/// A log in a file: a line an entry, appended whole, so that several runs may share it and it may be rotated by renaming.
package final class LogFile: LogDestination {
    /// How a line is written.
    package enum Format: String, CaseIterable, Sendable {
        /// `2026-11-22T04:17:00.123456+0100 info run-started job=flags run=12 …`
        case text
        /// An object a line.
        case json
    }

    package let name: String
    private let file: Int32
    private let format: Format
    private let line: Locked<LogLine>

    /// Opens the file, or makes it, readable by the owner's group.
    package init(_ path: String, _ format: Format) throws(LogFailure) {
        name = path
        self.format = format
        // A pipe without a reader would hold the run up.
        file = uninterrupted { open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o640) }
        guard file >= 0 else {
            let code = errno
            throw LogFailure(
                reason: code == ENXIO ? "nobody reads it" : SystemCallFailure(call: "open", errno: code).reason)
        }
        line = Locked(LogLine())
    }

    deinit { close(file) }

    /// How long a pipe may be full, milliseconds.
    private static let patience: Int32 = 5_000

    package func write(_ entries: ArraySlice<LogEntry>) throws(LogFailure) {
        let bytes = line.withLock { line in
            for entry in entries { line.append(entry, format) }
            return line.take()
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { rest in
                uninterrupted { Glibc.write(file, rest.baseAddress, rest.count) }
            }
            guard count >= 0 else {
                let code = errno
                var descriptor = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                if code == EAGAIN, poll(&descriptor, 1, Self.patience) > 0 { continue }
                let written = bytes[..<rest.startIndex].count { $0 == 0x0A }
                throw LogFailure(
                    reason: code == EAGAIN
                        ? "nobody reads it" : SystemCallFailure(call: "write", errno: code).reason,
                    written: written)
            }
            rest = rest.dropFirst(count)
        }
    }
}
