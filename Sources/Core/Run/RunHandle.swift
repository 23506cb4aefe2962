import Catalog
import Files
import HTTP
import Jobs
import Model
import System
import Transfer

/// Lets runs be watched and steered from outside the process.
package protocol RunDoor: Sendable {
    /// A run has begun. Must not wait.
    func open(_ run: RunHandle)
    /// The run is over, and its last event published. Returns when nobody holds the handle any more.
    func close(_ run: RunHandle) async
}

/// Why a run does not do what it is asked for.
package enum RunRefusal: Error, Sendable, Hashable {
    /// The run has no collection of that key.
    case unknownCollection(String)
    /// None of the items is the run's.
    case unknownItems
    /// What it is at forbids it: why.
    case state(String)
}

/// The limits of a run that can be changed while it goes on.
package struct RunLimits: Sendable, Hashable {
    package var concurrency: Int
    package var perHost: Int
    /// Bytes a second of the whole run; nil for no limit.
    package var bandwidth: Int64?
    /// Until when a timetable says so, a time of day such as `19:00`.
    package var bandwidthUntil: String?
}

/// One run that is under way, for those who watch and steer it. What it is asked for has taken effect when a call returns.
package final class RunHandle: Sendable {
    /// The row of the run.
    package let id: Int64
    package let job: String
    /// Microseconds since 1970 UTC.
    package let startedAt: Int64
    private let run: JobRun

    init(_ run: JobRun, run id: Int64, startedAt: Int64) {
        self.run = run
        self.id = id
        self.startedAt = startedAt
        job = run.job.name
    }

    /// What those who watch see.
    package var live: LiveModel { run.events.live }
    /// The catalog's file.
    package var database: String { run.store.path }

    /// Tells whoever reads the run's messages.
    package func warn(_ message: String) {
        run.warn(message)
    }

    // MARK: The whole run

    /// Begins nothing more; what is in flight has the grace period, then it is broken off, to go on later.
    package func pause() throws(RunRefusal) {
        _ = try begun()
        run.setPaused(true)
    }

    /// Goes on, collections that were paused by themselves included.
    package func resume() throws(RunRefusal) {
        _ = try begun()
        run.setPaused(false, collections: run.state.withLock(\.pausedCollections))
        run.setPaused(false)
    }

    /// Ends the run: with a grace period for what is in flight, or at once.
    package func stop(now: Bool) {
        if now { run.abort(.request) } else { run.stop(.request) }
    }

    package var limits: RunLimits {
        run.state.withLock {
            RunLimits(
                concurrency: $0.effectiveConcurrency, perHost: $0.perHost, bandwidth: $0.bandwidth,
                bandwidthUntil: $0.bandwidthUntil)
        }
    }

    /// Changes what is not nil.
    ///
    /// - Parameter bandwidth: bytes a second; nil in it lifts the limit.
    /// - Returns: what is in force now.
    package func setLimits(concurrency: Int?, perHost: Int?, bandwidth: Int64??) throws(RunRefusal) -> RunLimits {
        _ = try begun()
        run.setLimits { state in
            if let concurrency { state.concurrency = concurrency }
            if let perHost { state.perHost = perHost }
            if let bandwidth { (state.bandwidth, state.bandwidthUntil) = (bandwidth, nil) }
        }
        return limits
    }

    // MARK: Parts of it

    package func pause(collections keys: [String]) async throws {
        try await setPaused(true, keys)
    }

    package func resume(collections keys: [String]) async throws {
        try await setPaused(false, keys)
    }

    private func setPaused(_ isPaused: Bool, _ keys: [String]) async throws {
        let (_, ledger) = try begun()
        let collections = try await run.store.perform { _ in try Self.rows(keys, ledger) }
        run.setPaused(isPaused, collections: collections)
    }

    private static func rows(_ keys: [String], _ ledger: RunLedger) throws -> Set<Int64> {
        Set(
            try keys.map { key in
                guard let id = ledger.collectionID(key) else { throw RunRefusal.unknownCollection(key) }
                return id
            })
    }

    /// Has items fetched before the others of their hosts, in place of those of the last call.
    package func prioritise(_ items: Set<Int64>) async throws {
        let (context, ledger) = try begun()
        let engine = run.engine
        try await run.store.perform { _ in
            // Another place of a URL comes with the item that is fetched for both.
            engine.prioritise(items.union(ledger.sharedURLs.leaders(of: items)), context)
        }
    }

    /// Gives up items that have not ended.
    ///
    /// - Returns: how many they were.
    package func cancel(items: Set<Int64>) async throws -> Int {
        let (context, ledger) = try begun()
        return try await run.store.perform { [run] catalog in
            guard items.contains(where: { ledger.selected.contains($0) }) else { throw RunRefusal.unknownItems }
            let count = run.cancel(items, context, ledger, on: catalog)
            guard count > 0 else { throw RunRefusal.state("the items have ended") }
            return count
        }
    }

    /// Gives up what has not ended of collections, and what is listed of them later.
    package func cancel(collections keys: [String]) async throws -> Int {
        let (context, ledger) = try begun()
        return try await run.store.perform { [run] catalog in
            let collections = try Self.rows(keys, ledger)
            ledger.list.cancel(collections)
            let items = try ledger.openItems(of: collections, on: catalog)
            return items.isEmpty ? 0 : run.cancel(items, context, ledger, on: catalog)
        }
    }

    /// Tries again what failed in this run, or of these items what failed or was cancelled.
    ///
    /// - Returns: how many items are open again.
    package func retry(_ items: Set<Int64>?) async throws -> Int {
        let (context, ledger) = try begun()
        // What has just failed may be retried.
        run.recorder.hurry()
        return try await run.store.perform { [run] catalog in
            // The run may have ended while this waited for its turn.
            _ = try self.begun()
            if let items, !items.contains(where: { ledger.selected.contains($0) }) { throw RunRefusal.unknownItems }
            let now = wallClockMicroseconds()
            let (work, count, events) = try ledger.reopen(items, on: catalog, now: now)
            guard items == nil || count > 0 else { throw RunRefusal.state("none of the items has failed") }
            run.events.publish(events, mayWait: false)
            if !run.engine.add(work, context) {
                let cancelled = try ledger.cancel(work.map(\.id), on: catalog, now: now)
                run.events.publish(cancelled, mayWait: false)
            }
            ledger.checkCompletion()
            return count
        }
    }

    private func begun() throws(RunRefusal) -> (RunContext, RunLedger) {
        let (isOver, isStopped) = run.state.withLock { ($0.isOver, $0.stop != nil) }
        guard !isOver, let begun = run.begun else { throw .state("everything has ended that was to be fetched") }
        guard !isStopped else { throw .state("the run is being stopped") }
        return begun
    }
}
