import Catalog
import Files
import HTTP
import Jobs
import Model
import Pictures
import SQLite
import Schedule
import SourceKit
import Storage
import System
import Transfer

/// One run of one job, from its locks to its last row.
final class JobRun: Sendable {
    struct State {
        var context: RunContext?
        var ledger: RunLedger?
        var stop: StopCause?
        /// When what is in flight is broken off, once the run is stopped.
        var graceEnd: Monotonic?
        var isPaused = false
        /// Counts pauses, so that what follows one ends with it.
        var pauses = 0
        var pausedCollections: Set<Int64> = []
        /// As asked for, whatever the bandwidth bears; see ``effectiveConcurrency``.
        var concurrency: Int
        var perHost: Int
        /// Bytes a second; nil for no limit.
        var bandwidth: Int64?
        /// Until when the timetable says so, a time of day; nil where none is followed.
        var bandwidthUntil: String?
        /// Whether everything has ended, so that nothing can be steered any more.
        var isOver = false

        /// A bandwidth limit bears only so many transfers.
        var effectiveConcurrency: Int {
            min(concurrency, bandwidth.map(HTTPBandwidth.mostTransfers(bytesPerSecond:)) ?? .max)
        }
        /// Cancelled when the run is stopped, so that a source that waits ends.
        var listing: Task<Listing, Never>?
        /// Cancelled when the run is stopped before it begins.
        var waiting: Task<Void, Never>?
        /// nil where the job wants no pictures.
        var pictures: RenderJob?
    }

    let job: Job
    let options: SessionOptions
    let store: CatalogStore
    let engine: TransferCoordinator
    let recorder: Recorder
    let events: EventHub
    let rendering: RenderQueue?
    let state: Locked<State>

    init(
        _ job: Job, options: SessionOptions, store: CatalogStore, engine: TransferCoordinator, recorder: Recorder,
        events: EventHub, rendering: RenderQueue?
    ) {
        self.job = job
        self.options = options
        self.store = store
        self.engine = engine
        self.recorder = recorder
        self.events = events
        self.rendering = rendering
        let bandwidth = job.transfer.bandwidth.period(at: options.dayClock.secondOfDay())
        state = Locked(
            State(
                concurrency: options.concurrency ?? job.transfer.concurrency, perHost: job.transfer.perHost,
                bandwidth: bandwidth.bytesPerSecond, bandwidthUntil: bandwidth.next?.time))
    }

    /// Runs the job to its end.
    func run() async -> JobEnding {
        let ending = await attempt()
        if case .ran = ending { return ending }
        if events.interest.includesProgress { publish(.jobAbandoned(job.name)) }
        return ending
    }

    private func attempt() async -> JobEnding {
        if job.media != nil, rendering == nil { return .failed(RenderJob.missing) }
        do {
            guard await delayBeginning() else { return .failed("it was stopped before it began") }
            switch try await acquireLocks() {
            case .held(let locks, let output):
                defer { locks.release() }
                return try await run(in: output)
            case .withoutDirectory(_, let error): throw error
            case .busy(let holder): return .locked(pid: holder.pid, since: holder.since)
            }
        } catch let refusal as RefusedMove {
            return .refused(refusal)
        } catch {
            return .failed(job.trust.secrets.hide(String(describing: error)))
        }
    }

    private func run(in output: OutputDirectory) async throws -> JobEnding {
        let job = job
        let options = options
        let engine = engine
        let startedAt = wallClockMicroseconds()
        let database = store.path
        try await store.perform { catalog in
            try DirectoryOwnership.claim(
                job.name, output, directory: job.output.directory, database: database, on: catalog)
            // Best effort: a part that cannot be removed is harmless.
            try? output.removeParts(writtenBefore: startedAt / 1_000_000 - Self.longestWaitOfParts)
            try PlainNames.restore(job, on: catalog)
            if let refusal = try RefusedMove.find(job, options.selection, on: catalog) { throw refusal }
        }
        let change: DirectoryChange?
        do {
            change = try await DirectoryChange.find(job, in: output, store) { self.isStopped }
        } catch let error as FileError where error.isCancelled {
            return .ran(try await finishStopped(by: state.withLock { $0.stop }, startedAt: startedAt))
        }
        let run = try await store.perform { catalog in
            if let shard = options.shard {
                try catalog.transaction { try change?.apply(on: catalog) }
                return shard.run
            }
            return try RunRows.begin(job, options.invocation, on: catalog, now: startedAt) { catalog in
                try change?.apply(on: catalog)
            }
        }
        do {
            let context = RunContext(
                job: job, run: run, selection: options.selection, interest: events.interest,
                log: options.itemLog, output: output,
                profile: try JobProfile.make(
                    job, bandwidth: state.withLock(\.bandwidth), runnerVersion: options.runnerVersion),
                index: engine.addJob(job.name, limits), startedAt: startedAt)
            let ledger = try await store.perform { catalog in
                let ledger = try RunLedger(context, journal: PublishJournal(in: output), on: catalog)
                // What has no file may be listed last.
                if try ledger.isAfterCut(on: catalog) { engine.holdStored(context, for: Self.longestHold) }
                return ledger
            }
            recorder.add(ledger)
            let pictures = try await beginRendering(ledger)
            publish(
                .runStarted(
                    RunStarted(
                        run: run, job: job.name, at: startedAt,
                        selection: options.selection.text(hiding: job.trust.secrets.hide),
                        concurrency: limits.concurrency, perHost: limits.perHost)))
            let (isStopped, isPaused) = state.withLock { state in
                state.pictures = pictures
                state.context = context
                state.ledger = ledger
                return (state.stop != nil, state.isPaused)
            }
            // What was asked for before there was a run.
            if isPaused { engine.setPaused(true, context) }
            engine.setConcurrency(limits.concurrency, context)
            if isStopped || isPaused { publishControl() }
            followTimetable()
            let handle = RunHandle(self, run: run, startedAt: startedAt)
            options.door?.open(handle)
            if let warning = change?.warning { warn(warning) }
            if isStopped {
                pictures?.stop()
                stopTransfers()
            }
            let task = Task { await list(ledger) }
            let isStopping = state.withLock { state in
                state.listing = task
                return state.stop != nil
            }
            if isStopping { task.cancel() }
            let listing = await task.value
            engine.releaseStored(context)
            let finished: RunFinished
            do {
                finished = try await finish(ledger, listing)
            } catch {
                await options.door?.close(handle)
                throw error
            }
            await options.door?.close(handle)
            return .ran(finished)
        } catch {
            // The row must not stay `running`.
            let detail = job.trust.secrets.hide(String(describing: error))
            _ = try? await store.perform { catalog in
                try RunRows.finish(run, .failed, detail: detail, on: catalog, now: wallClockMicroseconds())
            }
            throw error
        }
    }

    /// A week, in seconds: parts that no run has gone on with in that time are of items that are listed no more.
    private static let longestWaitOfParts: Int64 = 7 * 86_400
    /// How long what is stored waits for the end of the list, microseconds: most lists are read by then.
    private static let longestHold: Int64 = 2_000_000

    var limits: Scheduler.Limits {
        var limits = Scheduler.Limits(
            concurrency: state.withLock(\.effectiveConcurrency), perHost: job.transfer.perHost,
            interval: job.transfer.rate?.interval ?? 0, retries: job.transfer.retries)
        limits.parts = options.shard?.parts ?? [:]
        return limits
    }

    func publish(_ event: RunEvent) {
        events.publish([event], mayWait: false)
    }

    func warn(_ message: String) {
        publish(
            .warning(
                RunWarning(
                    job: job.name, at: wallClockMicroseconds(), message: job.trust.secrets.hide(message))))
    }

    // MARK: Listing

    /// Items entered at a time: the first transfers begin soon, and recording has its turns in between.
    private static let portion = 500
    /// Items after which free memory is given back: a list of a million would leave a third more of it resident.
    private static let releaseInterval = 25_000

    enum Listing {
        case complete
        /// Enough is listed.
        case enough
        /// The run is being stopped.
        case cut
        case failed(String)
    }

    private func list(_ ledger: RunLedger) async -> Listing {
        do {
            if options.selection.isFailedOnly || options.shard != nil { return try await listUnsettled(ledger) }
            let store = store
            let context = SourceContext(
                job,
                RunServices(ledger.context, engine: engine, keeping: store, store: { store }) { [self] message in
                    warn(message)
                })
            var pages = try job.source.pages(in: context)
            var untilRelease = Self.releaseInterval
            while !isStopped, let page = try await pages.next() {
                for portion in page.portions(of: Self.portion) {
                    let outcome = try await store.perform { catalog in
                        let now = wallClockMicroseconds()
                        var outcome = try ledger.list(portion, on: catalog, now: now)
                        try ledger.dropCancelled(from: &outcome, on: catalog, now: now)
                        return outcome
                    }
                    try await take(outcome, ledger)
                    if outcome.isEnough { return .enough }
                }
                untilRelease -= page.items.count
                if untilRelease < 0 {
                    untilRelease = Self.releaseInterval
                    releaseFreeMemory()
                }
            }
            if isStopped { return .cut }
            // Downloads of earlier lists. Best effort: a file that cannot be removed is harmless.
            if !options.selection.isSourceChanged {
                try? ledger.context.keeping.removeKept(except: ledger.context.keptNames.withLock { $0 })
            }
            return .complete
        } catch {
            let reason = job.trust.secrets.hide(String(describing: error))
            if isStopped { return .cut }
            return .failed(reason)
        }
    }

    private func listUnsettled(_ ledger: RunLedger) async throws -> Listing {
        var last: Int64 = 0
        let isShard = options.shard != nil
        while !isStopped {
            let from = last
            let (outcome, end) = try await store.perform { catalog in
                var last = from
                let outcome = try ledger.listUnsettled(
                    after: &last, isShard: isShard, on: catalog, now: wallClockMicroseconds())
                return (outcome, last)
            }
            last = end
            guard let outcome else { return .enough }
            try await take(outcome, ledger)
            if outcome.isEnough { return .enough }
        }
        return .cut
    }

    private func take(_ outcome: ListingOutcome, _ ledger: RunLedger) async throws {
        for warning in outcome.warnings { warn(warning) }
        // Before the items begin: a collection is known before anything of it happens.
        await events.send(outcome.events)
        if !engine.add(outcome.work, ledger.context) {
            let ids = outcome.work.map(\.id)
            let cancelled = try await store.perform { catalog in
                try ledger.cancel(ids, on: catalog, now: wallClockMicroseconds())
            }
            await events.send(cancelled)
        }
    }

    // MARK: The end

    private func finish(_ ledger: RunLedger, _ listing: Listing) async throws -> RunFinished {
        await withCheckedContinuation { continuation in
            store.enqueue { _ in
                ledger.endListing()
                if let progress = ledger.committed() { self.publish(progress) }
                ledger.whenComplete {
                    self.state.withLock { $0.isOver = true }
                    continuation.resume()
                }
            }
        }
        // An abandoned run may have transfers under way.
        _ = engine.stop(ledger.context)
        engine.abort(ledger.context)
        let pictures = await finishRendering()
        let stop = state.withLock { $0.stop }
        // A signal is obeyed at once: the next run takes away what is over the limit.
        if stop != .signal {
            let events = try await store.perform { catalog in
                try ledger.endKeeping(on: catalog, now: wallClockMicroseconds())
            }
            await self.events.send(events)
        }
        let (finished, warnings) = try await store.perform { catalog in
            try self.close(ledger, listing, stop, pictures, on: catalog)
        }
        for warning in warnings { warn(warning) }
        publish(.runFinished(finished))
        return finished
    }

    /// Waits so many microseconds, or until the run is stopped.
    func wait(for microseconds: Int64) async {
        let task = Task {
            // Cancelled when the run is stopped.
            try? await Task.sleep(for: .microseconds(microseconds))
            return
        }
        let isStopped = state.withLock { state in
            state.waiting = task
            return state.stop != nil
        }
        if isStopped { task.cancel() }
        await task.value
        state.withLock { $0.waiting = nil }
    }
}
