internal import Catalog
internal import Dispatch
internal import HTTP
internal import SQLite
internal import System

/// The counts of items, kept until the catalog changes.
///
/// Counting passes over all rows. Where that is quick it is done while a request waits; else beside, and the request has the
/// counts of the last time.
final class CountsCache: Sendable {
    private struct State {
        var counts: PageCounts?
        /// Of the counter's connection; that of another one is another number.
        var version: Int64?
        /// What the last count took, and when it ended; microseconds.
        var duration: Int64 = 0
        var endedAt = Monotonic(microseconds: 0)
        var isCounting = false
        /// Whether somebody comes back to what was put off.
        var isPutOff = false
    }

    /// A count that takes longer is not waited for.
    private static let patience: Int64 = 100_000
    /// The part of a processor that counting may take: one in so many; but it waits no longer than this, in microseconds.
    private static let share: Int64 = 20
    private static let longestWait: Int64 = 30_000_000

    private let state = Locked(State())
    private let counter: CatalogReaders

    init(path: String) {
        counter = CatalogReaders(path: path, count: 1)
    }

    /// The counts as they are now, or were a while ago; nil until they are known the first time. Blocks for a moment.
    ///
    /// - Parameter whenDone: called when others may be had: a count that was not waited for has ended, or one that was put
    ///   off is due.
    func counts(whenDone: @escaping @Sendable () -> Void) -> PageCounts? {
        enum Step { case keep, count, putOff(Int64) }
        let step = state.withLock { state -> Step in
            if state.isCounting { return .keep }
            let wait = state.duration < Self.patience ? 0 : min(state.duration * Self.share, Self.longestWait)
            let rest = wait - (Monotonic.now() - state.endedAt)
            guard rest > 0 else {
                state.isCounting = true
                return .count
            }
            if state.isPutOff { return .keep }
            state.isPutOff = true
            return .putOff(rest)
        }
        if case .putOff(let rest) = step {
            Timers.after(rest) {
                self.state.withLock { $0.isPutOff = false }
                whenDone()
            }
        }
        if case .count = step {
            let done = DispatchSemaphore(value: 0)
            count { isNew in
                done.signal()
                if isNew { whenDone() }
            }
            _ = done.wait(timeout: .now() + .microseconds(Int(Self.patience)))
        }
        return state.withLock { $0.counts }
    }

    /// Counts, where the catalog has changed since the last time.
    private func count(then done: @escaping @Sendable (_ isNew: Bool) -> Void) {
        let began = Monotonic.now()
        let known = state.withLock { $0.version }
        counter.read(within: nil) { connection -> (PageCounts?, Int64) in
            let version = try connection.dataVersion
            return (version == known ? nil : try PageCounts(from: connection), version)
        } then: { result in
            let isNew = self.state.withLock { state in
                state.isCounting = false
                guard case .success((let counts?, let version)) = result else { return false }
                state.counts = counts
                state.version = version
                state.endedAt = .now()
                state.duration = state.endedAt - began
                return state.duration >= Self.patience
            }
            done(isNew)
        }
    }
}
