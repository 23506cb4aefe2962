import Glibc
package import Model
import System

/// Tells the service manager that started the program how far it is, by the protocol of sd_notify(3): for `systemctl status`,
/// and so that a run that gets on is not ended by `TimeoutStartSec=`.
package final class ServiceManager: Sendable {
    private struct State {
        /// Of each job, in the order of their beginnings.
        var jobs: [(name: String, progress: RunProgress)] = []
        /// Of all jobs, those in flight included.
        var receivedBytes: Int64 = 0
        var lastStatus = ""
        var nextStatus: Int64 = .min
        /// Items that had ended and bytes that had come when time was asked for last.
        var last = (items: -1, bytes: Int64(-1))
        var isStopping = false
    }

    /// Microseconds between two messages.
    private static let interval: Int64 = 1_000_000
    /// How long the service manager is to wait for the next message after progress, microseconds.
    private static let extensionTime = 300_000_000

    private let socket: Int32
    private let now: @Sendable () -> Int64
    private let state = Locked(State())

    /// - Parameters:
    ///   - path: what `$NOTIFY_SOCKET` said.
    ///   - now: monotonic microseconds.
    /// - Returns: nil where there is nobody to tell.
    package init?(_ path: String?, now: @escaping @Sendable () -> Int64) {
        guard let path, let socket = try? DatagramSocket.connect(to: path) else { return nil }
        self.socket = socket
        self.now = now
    }

    deinit { close(socket) }

    /// The program is up.
    package func ready() {
        send("READY=1")
    }

    /// The program has been asked to end.
    package func stopping() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        if isFirst { send("STOPPING=1\nSTATUS=stopping: transfers in flight are allowed to finish") }
    }

    /// Takes events of a run, in order.
    package func take(_ events: [RunEvent]) {
        let text: String? = state.withLock { state in
            var isLast = false
            for event in events {
                switch event {
                case .progress(let progress): Self.note(progress, &state)
                case .activity(let activity): state.receivedBytes = activity.receivedBytes
                case .runFinished: isLast = true
                default: break
                }
            }
            return self.message(&state, isLast: isLast)
        }
        if let text { send(text) }
    }

    private static func note(_ progress: RunProgress, _ state: inout State) {
        if let index = state.jobs.firstIndex(where: { $0.name == progress.job }) {
            state.jobs[index].progress = progress
        } else {
            state.jobs.append((progress.job, progress))
        }
    }

    private func message(_ state: inout State, isLast: Bool) -> String? {
        let time = now()
        guard !state.jobs.isEmpty, isLast || time >= state.nextStatus else { return nil }
        let items = state.jobs.reduce(0) { $0 + $1.progress.figures.items }
        let bytes = state.receivedBytes
        var lines: [String] = []
        if items != state.last.items || bytes != state.last.bytes {
            state.last = (items, bytes)
            lines.append("EXTEND_TIMEOUT_USEC=\(Self.extensionTime)")
        }
        let status = state.jobs.map { Self.text($0.name, $0.progress) }.joined(separator: "; ")
        if status != state.lastStatus, !state.isStopping {
            state.lastStatus = status
            lines.append("STATUS=\(status)")
        }
        guard !lines.isEmpty else { return nil }
        state.nextStatus = time + Self.interval
        return lines.joined(separator: "\n")
    }

    /// `flags: 120 of 249 items, 2 failed`.
    private static func text(_ job: String, _ progress: RunProgress) -> String {
        let figures = progress.figures
        let listed = "\(progress.listed)\(progress.isListComplete ? "" : "+")"
        return "\(job): \(figures.items) of \(listed) items" + (figures.failed > 0 ? ", \(figures.failed) failed" : "")
    }

    /// Best effort: a service manager that does not listen is none of the run's concern.
    private func send(_ text: String) {
        let bytes = Array(text.utf8.prefix(4_096))
        _ = bytes.withUnsafeBytes { bytes in
            uninterrupted { Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
    }
}
