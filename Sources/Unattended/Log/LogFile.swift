import Glibc
package import Model
package import System

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
    package init(_ path: String, _ format: Format) throws(SystemCallFailure) {
        name = path
        self.format = format
        // A pipe without a reader would hold the run up.
        file = uninterrupted { open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o640) }
        guard file >= 0 else { throw SystemCallFailure(call: "open", errno: errno) }
        line = Locked(LogLine())
    }

    deinit { close(file) }

    package func write(_ entries: ArraySlice<LogEntry>) throws(SystemCallFailure) {
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
                guard errno == EAGAIN else { throw SystemCallFailure(call: "write", errno: errno) }
                var descriptor = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                guard poll(&descriptor, 1, 5_000) > 0 else { throw SystemCallFailure(call: "write", errno: EAGAIN) }
                continue
            }
            rest = rest.dropFirst(count)
        }
    }
}
