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
    }

    /// A count that takes longer is not waited for.
    private static let patience: Int64 = 100_000
    /// The part of a processor that counting may take: one in so many.
    private static let share: Int64 = 20

    private let state = Locked(State())
    private let counter: CatalogReaders

    init(path: String) {
        counter = CatalogReaders(path: path, count: 1)
    }

    /// The counts as they are now, or were a while ago; nil until they are known the first time. Blocks for a moment.
    ///
    /// - Parameter whenDone: called when a count that was not waited for has ended.
    func counts(whenDone: @escaping @Sendable () -> Void) -> PageCounts? {
        let begins = state.withLock { state in
            if state.isCounting { return false }
            let isQuick = state.duration < Self.patience
            guard isQuick || Monotonic.now() - state.endedAt >= state.duration * Self.share else { return false }
            state.isCounting = true
            return true
        }
        if begins {
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
