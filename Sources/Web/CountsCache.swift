internal import Core
internal import Dispatch
internal import HTTP
internal import SQLite

/// The counts of items, kept until the catalog changes.
///
/// Counting passes over all rows. Where that is quick it is done while a request waits; else beside, and the request has the
/// counts of the last time.
final class CountsCache: Sendable {
    private struct State {
        var counts: PageCounts?
        var version: Int64 = -1
        /// What the last count took, and when it ended; microseconds.
        var duration: Int64 = 0
        var endedAt = Monotonic(microseconds: .min)
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

    /// The counts for a request that reads with `connection`; nil until they are known the first time.
    ///
    /// - Parameter whenDone: called when a count that was begun beside has ended.
    func counts(_ connection: Connection, whenDone: @escaping @Sendable () -> Void) throws -> PageCounts? {
        let version = try connection.dataVersion
        enum Step { case keep, count, countBeside }
        let (kept, step) = state.withLock { state -> (PageCounts?, Step) in
            if state.version == version || state.isCounting { return (state.counts, .keep) }
            if state.counts != nil, state.duration < Self.patience { return (nil, .count) }
            if Monotonic.now() - state.endedAt < state.duration * Self.share { return (state.counts, .keep) }
            state.isCounting = true
            return (state.counts, .countBeside)
        }
        switch step {
        case .keep: return kept
        case .count:
            let began = Monotonic.now()
            let counts = try PageCounts(from: connection)
            keep(counts, version, since: began)
            return counts
        case .countBeside:
            let began = Monotonic.now()
            let isFirst = kept == nil
            let done = DispatchSemaphore(value: 0)
            counter.read(within: nil) { try PageCounts(from: $0) } then: { result in
                if case .success(let counts) = result {
                    self.keep(counts, version, since: began)
                } else {
                    self.state.withLock { $0.isCounting = false }
                }
                done.signal()
                whenDone()
            }
            // On a reader's queue, which may wait for what a small catalog takes.
            if isFirst { _ = done.wait(timeout: .now() + .microseconds(Int(Self.patience))) }
            return state.withLock { $0.counts }
        }
    }

    private func keep(_ counts: PageCounts, _ version: Int64, since began: Monotonic) {
        state.withLock { state in
            state.counts = counts
            state.version = version
            state.endedAt = .now()
            state.duration = state.endedAt - began
            state.isCounting = false
        }
    }
}
