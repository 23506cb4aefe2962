import Glibc
package import Model
import System

/// systemd's journal, by its native protocol (systemd.journal-fields(7)): a datagram an entry, with fields that
/// `journalctl RUNNER_JOB=flags RUNNER_EVENT=failed` finds.
package final class Journal: LogDestination {
    package static let usualPath = "/run/systemd/journal/socket"

    package let name: String
    private let socket: Int32
    /// How long a datagram may wait for the journal, milliseconds.
    private static let patience: Int32 = 1_000

    package init(_ path: String = Journal.usualPath) throws(LogFailure) {
        name = "the journal"
        do throws(SystemCallFailure) {
            socket = try DatagramSocket.connect(to: path)
        } catch {
            throw LogFailure(reason: error.reason)
        }
    }

    deinit { close(socket) }

    package func write(_ entries: ArraySlice<LogEntry>) throws(LogFailure) {
        for (written, entry) in entries.enumerated() {
            do throws(SystemCallFailure) {
                try send(Self.datagram(of: entry))
            } catch {
                throw LogFailure(reason: error.reason, written: written)
            }
        }
    }

    private func send(_ bytes: [UInt8]) throws(SystemCallFailure) {
        while true {
            let count = bytes.withUnsafeBytes { bytes in
                uninterrupted { Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            }
            if count >= 0 { return }
            guard errno == EAGAIN || errno == ENOBUFS else { throw SystemCallFailure(call: "send", errno: errno) }
            var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            guard poll(&descriptor, 1, Self.patience) > 0 else { throw SystemCallFailure(call: "send", errno: EAGAIN) }
        }
    }

    /// The fields of an entry as the journal takes them.
    static func datagram(of entry: LogEntry) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ name: String, _ value: String) {
            let value = clamped(value)
            guard value.utf8.contains(0x0A) else {
                bytes += "\(name)=\(value)\n".utf8
                return
            }
            bytes += "\(name)\n".utf8
            let count = UInt64(value.utf8.count).littleEndian
            withUnsafeBytes(of: count) { bytes += $0 }
            bytes += value.utf8
            bytes.append(0x0A)
        }
        add("MESSAGE", message(of: entry))
        add("PRIORITY", String(entry.level.rawValue))
        add("SYSLOG_IDENTIFIER", "runner")
        if let identifier = messageIDs[entry.event] { add("MESSAGE_ID", identifier) }
        add("RUNNER_EVENT", entry.event)
        add("RUNNER_JOB", entry.job)
        if let run = entry.run { add("RUNNER_RUN", String(run)) }
        if let item = entry.item { add("RUNNER_ITEM", String(item)) }
        for (name, value) in entry.fields {
            let name = "RUNNER_" + name.uppercased()
            switch value {
            case .number(let number): add(name, String(number))
            case .text(let text): add(name, text)
            }
        }
        return bytes
    }

    /// Whether a descriptor is what `$JOURNAL_STREAM` names, `device:inode` (systemd.exec(5)).
    package static func isStream(_ descriptor: Int32, named name: String?) -> Bool {
        var information = stat()
        guard let name, fstat(descriptor, &information) == 0 else { return false }
        return name == "\(information.st_dev):\(information.st_ino)"
    }

    /// What `journalctl` shows of an entry; values are as in a file.
    private static func message(of entry: LogEntry) -> String {
        var words = ["\(entry.job): \(entry.event)"]
        if let item = entry.item { words.append("item=\(item)") }
        for (name, value) in entry.fields {
            switch value {
            case .number(let number): words.append("\(name)=\(number)")
            case .text(let text): words.append("\(name)=\(logWord(clamped(text)))")
            }
        }
        return words.joined(separator: " ")
    }

    /// One for each kind of entry that somebody may look for.
    private static let messageIDs = [
        "run-started": "2b1f9c2e6f0a4f5d9a3c7e51d8b40a11",
        "run-finished": "7d0c54f1b8ab4b0f9a6f1f3f0c9b6e22",
        "run-failed": "a3e8d1c07b954c8e8f2d6b7a5c1e9d33",
        "failed": "c94b7f20d3e6417ab0d85e2f9a17c644",
    ]
}
