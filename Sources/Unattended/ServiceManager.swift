import Glibc
package import Model
import System

/// Tells the service manager that started the program how far it is, by the protocol of sd_notify(3): for `systemctl status`,
/// and so that a run that gets on is not ended by `TimeoutStartSec=`.
package final class ServiceManager: Sendable {
    private struct State {
        /// Of each job, in the order of their beginnings.
        var jobs: [(name: String, progress: RunProgress?, outcome: RunOutcome?)] = []
        /// Of all jobs, those in flight included.
        var receivedBytes: Int64 = 0
        var lastStatus = ""
        var nextStatus: Int64 = .min
        /// Items that had ended and bytes that had come when time was asked for last.
        var last = (items: -1, bytes: Int64(-1))
        var isStopping = false
        var hasEnded = false
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

    /// The program has been asked to end before its runs are over.
    package func stopping() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        if isFirst { send("STOPPING=1\nSTATUS=stopping: transfers in flight are allowed to finish") }
    }

    /// The runs are over, and the program ends once everybody who is to hear of it has.
    package func ended() {
        let lines: [String]? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            let status = Self.status(state)
            return (state.isStopping ? [] : ["STOPPING=1"]) + (status.isEmpty ? [] : ["STATUS=\(status)"])
        }
        if let lines, !lines.isEmpty { send(lines.joined(separator: "\n")) }
    }

    /// Takes events of a run, in order.
    package func take(_ events: [RunEvent]) {
        let text: String? = state.withLock { state in
            var isLast = false
            for event in events {
                switch event {
                case .progress(let progress): state.jobs[Self.place(of: progress.job, &state)].progress = progress
                case .activity(let activity): state.receivedBytes = activity.receivedBytes
                case .runFinished(let run):
                    state.jobs[Self.place(of: run.job, &state)].outcome = run.outcome
                    isLast = true
                default: break
                }
            }
            return self.message(&state, isLast: isLast)
        }
        if let text { send(text) }
    }

    private static func place(of job: String, _ state: inout State) -> Int {
        if let index = state.jobs.firstIndex(where: { $0.name == job }) { return index }
        state.jobs.append((job, nil, nil))
        return state.jobs.count - 1
    }

    private func message(_ state: inout State, isLast: Bool) -> String? {
        let time = now()
        guard !state.jobs.isEmpty, isLast || time >= state.nextStatus else { return nil }
        let items = state.jobs.reduce(0) { $0 + ($1.progress?.endedItems ?? 0) }
        let bytes = state.receivedBytes
        var lines: [String] = []
        if items != state.last.items || bytes != state.last.bytes {
            state.last = (items, bytes)
            lines.append("EXTEND_TIMEOUT_USEC=\(Self.extensionTime)")
        }
        let status = Self.status(state)
        if status != state.lastStatus, !state.isStopping {
            state.lastStatus = status
            lines.append("STATUS=\(status)")
        }
        guard !lines.isEmpty else { return nil }
        state.nextStatus = time + Self.interval
        return lines.joined(separator: "\n")
    }

    /// `flags: 120 of 249 items, 2 failed`, and at its end `flags: partial, 249 of 249 items, 2 failed`.
    private static func status(_ state: State) -> String {
        state.jobs.map { job in
            var words = job.outcome.map { [$0.rawValue] } ?? []
            if let progress = job.progress {
                let listed = "\(max(progress.listed, progress.endedItems))\(progress.isListComplete ? "" : "+")"
                words.append("\(progress.endedItems) of \(listed) items")
                if progress.figures.failed > 0 { words.append("\(progress.figures.failed) failed") }
            }
            return "\(job.name): \(words.joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    /// Best effort: a service manager that does not listen is none of the run's concern.
    private func send(_ text: String) {
        let bytes = Array(text.utf8.prefix(4_096))
        _ = bytes.withUnsafeBytes { bytes in
            uninterrupted { Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
    }
}

extension RunProgress {
    /// Items that have come to an end of their own; those that a stop left out have not.
    fileprivate var endedItems: Int { figures.items - figures.cancelled }
}
