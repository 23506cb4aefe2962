import Dispatch
package import Model
package import System

/// The log of runs: takes entries from any thread and writes them on a queue of its own.
///
/// A disk that is slow costs entries, never time: what does not fit in the buffer is dropped, and an entry says how many
/// were. A fault of the disk is reported once.
package final class RunLog: LogSink {
    /// Entries that wait to be written, at most.
    private static let longest = 65_536
    /// Entries written at a time.
    private static let portion = 512

    private struct State {
        var pending: [LogEntry] = []
        var dropped = 0
        var isScheduled = false
        var hasFailed = false
    }

    private let level: LogEntry.Level
    private let destination: any LogDestination
    private let complain: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "runner.log")
    private let state = Locked(State())

    /// - Parameters:
    ///   - level: entries of less importance are left out.
    ///   - complain: is told, once, when entries can't be written.
    package init(
        _ level: LogEntry.Level, to destination: any LogDestination, complain: @escaping @Sendable (String) -> Void
    ) {
        self.level = level
        self.destination = destination
        self.complain = complain
    }

    /// Takes the steps of items; nil where they are left out.
    package var itemLog: (any LogSink)? { level >= .debug ? self : nil }

    package func write(_ entry: LogEntry) {
        guard entry.level <= level else { return }
        let isFirst = state.withLock { state in
            guard state.pending.count < Self.longest else {
                state.dropped += 1
                return false
            }
            state.pending.append(entry)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // Entries of so long are written together, in the order of their times: events of runs come a little late.
        if isFirst { queue.asyncAfter(deadline: .now() + .milliseconds(100)) { self.deliver() } }
    }

    private func deliver() {
        while true {
            let (taken, dropped, isSilent) = state.withLock { state in
                defer {
                    state.pending = []
                    state.dropped = 0
                    state.isScheduled = false
                }
                return (state.pending, state.dropped, state.hasFailed)
            }
            guard !taken.isEmpty else { return }
            guard !isSilent else { continue }
            let entries = taken.sorted { $0.at < $1.at }
            for start in stride(from: 0, to: entries.count, by: Self.portion) {
                guard put(entries[start..<min(start + Self.portion, entries.count)]) else { return }
            }
            if dropped > 0, let last = entries.last {
                var entry = LogEntry("dropped", .warning, at: last.at, job: last.job, run: last.run)
                entry.fields = [("entries", .number(Int64(dropped)))]
                _ = put([entry])
            }
        }
    }

    private func put(_ entries: ArraySlice<LogEntry>) -> Bool {
        do throws(SystemCallFailure) {
            try destination.write(entries)
            return true
        } catch {
            state.withLock { $0.hasFailed = true }
            complain("--log: \(destination.name): \(error); nothing more is logged")
            return false
        }
    }

    /// Returns when what was given before is written, or after five seconds.
    package func close() async {
        let (queue, isOver) = (queue, Locked(false))
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            @Sendable func end() {
                let isFirst = isOver.withLock { isOver in
                    defer { isOver = true }
                    return !isOver
                }
                if isFirst { continuation.resume() }
            }
            queue.async {
                self.deliver()
                end()
            }
            Timers.after(5_000_000) { end() }
        }
    }
}

/// Where entries go. Used on one queue.
package protocol LogDestination: Sendable {
    /// For messages.
    var name: String { get }
    func write(_ entries: ArraySlice<LogEntry>) throws(SystemCallFailure)
}
