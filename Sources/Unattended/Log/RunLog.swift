import Dispatch
package import Model
import System

/// The log of runs: takes entries from any thread and writes them on a queue of its own.
///
/// A disk that is slow costs entries, never time: what does not fit in the buffer is dropped, and an entry says how many
/// were. A fault of the disk is reported once, and at the end how many entries it cost.
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
        /// Entries that were to be written, and that were; and those of the difference that were reported.
        var accepted = 0
        var written = 0
        var reported = 0
    }

    /// How long the end waits for entries to be written, and for the next portion of them, microseconds.
    private static let longestClosing: Int64 = 5_000_000
    private static let longestPortion: Int64 = 1_000_000
    private static let lookInterval: Int64 = 100_000

    private let level: LogEntry.Level
    private let destination: any LogDestination
    private let complain: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "runner.log")
    private let state = Locked(State())

    /// - Parameters:
    ///   - level: entries of less importance are left out.
    ///   - complain: called once when entries can't be written.
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
            state.accepted += 1
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
                _ = put([entry], areCounted: false)
            }
        }
    }

    private func put(_ entries: ArraySlice<LogEntry>, areCounted: Bool = true) -> Bool {
        do throws(LogFailure) {
            try destination.write(entries)
            if areCounted { state.withLock { $0.written += entries.count } }
            return true
        } catch {
            state.withLock { state in
                state.hasFailed = true
                if areCounted { state.written += error.written }
            }
            complain("--log: \(destination.name): \(error.reason); nothing more is logged")
            return false
        }
    }

    /// Returns when what was given before is written, or its destination takes nothing more; reports what is not written.
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
            let start = Monotonic.now()
            awaitProgress(since: start, lastAt: start, written: -1, end)
        }
        let missing = state.withLock { state in
            defer { state.reported = state.accepted - state.written }
            return state.accepted - state.written - state.reported
        }
        if missing > 0 {
            complain("--log: \(destination.name): \(missing) line\(missing == 1 ? " was" : "s were") not written")
        }
    }

    /// Calls `end` when nothing has been written for too long.
    private func awaitProgress(
        since start: Monotonic, lastAt: Monotonic, written: Int, _ end: @escaping @Sendable () -> Void
    ) {
        Timers.after(Self.lookInterval) {
            let (now, count) = (Monotonic.now(), self.state.withLock(\.written))
            let lastAt = count == written ? lastAt : now
            guard now - start < Self.longestClosing, now - lastAt < Self.longestPortion else { return end() }
            self.awaitProgress(since: start, lastAt: lastAt, written: count, end)
        }
    }
}

/// Where entries go. Used on one queue.
package protocol LogDestination: Sendable {
    /// For messages.
    var name: String { get }
    func write(_ entries: ArraySlice<LogEntry>) throws(LogFailure)
}

/// Why entries can't be written.
package struct LogFailure: Error, Sendable, Hashable {
    package let reason: String
    /// How many of them are written.
    package var written = 0

    package init(reason: String, written: Int = 0) {
        self.reason = reason
        self.written = written
    }
}
