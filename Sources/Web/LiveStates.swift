internal import Catalog
internal import Control
internal import Dispatch
internal import JSON
internal import Model
internal import Run
internal import System

/// What the runs that are at work are at: listing, running, paused or stopping. Each is asked once a second at most, and
/// one that does not answer at once holds nobody up.
final class LiveStates: Sendable {
    private struct Entry {
        var state: String
        var askedAt: Monotonic
        var isAsking = false
        /// Counts what was asked of the run: an answer from before it is not kept.
        var version = 0
    }

    /// How long an answer counts, and how long somebody waits for one; microseconds.
    private static let age: Int64 = 1_000_000
    private static let patience = 100_000

    private let settings: WebSettings
    private let entries = Locked<[Int64: Entry]>([:])
    private let queue = DispatchQueue(label: "page states", attributes: .concurrent)

    init(_ settings: WebSettings) {
        self.settings = settings
    }

    /// The state of a run whose row says that it goes on; `running` where it does not answer.
    ///
    /// - Parameter pid: of the run's process.
    func state(ofRun run: Int64, pid: Int64) -> String {
        let (entry, asks) = entries.withLock { entries -> (Entry, Bool) in
            var entry =
                entries[run] ?? Entry(state: RunState.running.rawValue, askedAt: Monotonic(microseconds: 0))
            if entry.isAsking || Monotonic.now() - entry.askedAt < Self.age { return (entry, false) }
            // Ids rise with time: what is far below has ended.
            if entries.count > 100, let oldest = entries.keys.min() { entries[oldest] = nil }
            entry.isAsking = true
            entries[run] = entry
            return (entry, true)
        }
        guard asks else { return entry.state }
        let done = DispatchSemaphore(value: 0)
        queue.async {
            self.ask(run, pid, version: entry.version)
            done.signal()
        }
        _ = done.wait(timeout: .now() + .microseconds(Self.patience))
        return entries.withLock { $0[run]?.state } ?? RunState.running.rawValue
    }

    /// Something was asked of the run: what is known of it counts no more.
    func forget(_ run: Int64) {
        entries.withLock {
            $0[run]?.version += 1
            $0[run]?.askedAt = Monotonic(microseconds: 0)
            $0[run]?.isAsking = false
        }
    }

    private func ask(_ run: Int64, _ pid: Int64, version: Int) {
        let client = ControlClient.find(
            run: run, processID: pid, database: settings.database, environment: settings.environment)
        var state = RunState.running.rawValue
        if let status = try? client?.status(), case .text(let word)? = status["state"],
            word != RunState.finished.rawValue
        {
            state = word
        }
        entries.withLock { entries in
            if let entry = entries[run], entry.version != version { return }
            entries[run] = Entry(state: state, askedAt: .now(), version: version)
        }
    }
}
