import Files
import HTTP
import SQLite

/// One run of one job, from its locks to its last row.
final class JobRun: Sendable {
    /// Why a run is ended before its list is done.
    enum Stop: Sendable {
        case signal
        case deadline
        case failure
    }

    private struct State {
        var context: RunContext?
        var ledger: RunLedger?
        var stop: Stop?
        /// Cancelled when the run is stopped, so that a source that waits ends.
        var listing: Task<Listing, Never>?
        var isAborted = false
    }

    let job: Job
    private let options: SessionOptions
    private let store: CatalogStore
    private let engine: Engine
    private let events: EventStream
    private let state = Locked(State())

    init(_ job: Job, options: SessionOptions, store: CatalogStore, engine: Engine, events: EventStream) {
        self.job = job
        self.options = options
        self.store = store
        self.engine = engine
        self.events = events
    }

    /// Runs the job to its end.
    func run() async -> JobEnding {
        do {
            // Both locks: one for all runs of the job with this catalog, one for all that write into its directory.
            let catalogLock: FileLock
            switch try FileLock.acquire("\(store.path).\(job.name).lock") {
            case .acquired(let lock): catalogLock = lock
            case .held(let holder): return locked(holder)
            }
            defer { catalogLock.release() }
            let output = try OutputDirectory(path: job.output.directory, create: true)
            let outputLock: FileLock
            switch try output.lock() {
            case .acquired(let lock): outputLock = lock
            case .held(let holder): return locked(holder)
            }
            defer { outputLock.release() }
            return try await run(in: output)
        } catch {
            return .failed(job.trust.secrets.hide(String(describing: error)))
        }
    }

    private func locked(_ holder: LockHolder?) -> JobEnding {
        .locked(pid: holder?.pid ?? 0, since: holder?.since ?? 0)
    }

    private func run(in output: OutputDirectory) async throws -> JobEnding {
        let job = job
        let options = options
        let startedAt = wallClockMicroseconds()
        let run = try await store.perform { catalog in
            try RunRows.begin(
                job, selection: options.selection, runnerVersion: options.runnerVersion, on: catalog, now: startedAt)
        }
        do {
            let context = RunContext(
                job: job, run: run, selection: options.selection, output: output,
                profile: try JobProfile.make(job, options), index: engine.addJob(limits), startedAt: startedAt)
            let ledger = try await store.perform { catalog in
                let ledger = RunLedger(context, journal: try PublishJournal(in: output))
                try ledger.takeUpLeftovers(on: catalog)
                return ledger
            }
            engine.recorder.add(ledger)
            let isStopped = state.withLock { state in
                state.context = context
                state.ledger = ledger
                return state.stop != nil
            }
            publish(
                .runStarted(
                    RunStarted(
                        run: run, job: job.name, at: startedAt, selection: options.selection.text,
                        concurrency: limits.concurrency)))
            if isStopped { stopTransfers() }
            let task = Task { await list(ledger) }
            let isStopping = state.withLock { state in
                state.listing = task
                return state.stop != nil
            }
            if isStopping { task.cancel() }
            let listing = await task.value
            return .ran(try await finish(ledger, listing))
        } catch {
            // The row must not stay `running`.
            let detail = job.trust.secrets.hide(String(describing: error))
            _ = try? await store.perform { catalog in
                try RunRows.finish(run, .failed, detail: detail, on: catalog, now: wallClockMicroseconds())
            }
            throw error
        }
    }

    private var limits: Scheduler.Limits {
        Scheduler.Limits(
            concurrency: options.concurrency ?? job.transfer.concurrency, perHost: job.transfer.perHost,
            interval: job.transfer.rate?.interval ?? 0, retries: job.transfer.retries)
    }

    private func publish(_ event: RunEvent) {
        events.publish([event], mayWait: false)
    }

    private func warn(_ message: String) {
        publish(
            .warning(
                RunWarning(
                    job: job.name, at: wallClockMicroseconds(), message: job.trust.secrets.hide(message))))
    }

    // MARK: Listing

    /// Items entered at a time: the first transfers begin soon, and recording has its turns in between.
    private static let portion = 250
    /// Items after which free memory is given back: a list of a million would leave a third more of it resident.
    private static let releaseInterval = 25_000

    private enum Listing {
        case complete
        /// Enough is listed, or the run is being stopped.
        case cut
        case failed(String)
    }

    private func list(_ ledger: RunLedger) async -> Listing {
        do {
            if options.selection.isFailedOnly { return try await listUnsettled(ledger) }
            let store = store
            let context = SourceContext(
                job: job, engine: engine, context: ledger.context, store: { store },
                warn: { [self] message in warn(message) })
            var pages = try job.source.pages(in: context)
            var untilRelease = Self.releaseInterval
            while !isStopped, let page = try await pages.next() {
                for portion in page.portions(of: Self.portion) {
                    let outcome = try await store.perform { catalog in
                        try ledger.list(portion, on: catalog, now: wallClockMicroseconds())
                    }
                    try await take(outcome, ledger)
                    if outcome.isEnough { return .cut }
                }
                untilRelease -= page.items.count
                if untilRelease < 0 {
                    untilRelease = Self.releaseInterval
                    releaseFreeMemory()
                }
            }
            if isStopped { return .cut }
            // What earlier lists were made of is of no more use; what can't be removed is in nobody's way.
            try? ledger.context.keeping.removeKept(except: ledger.context.keptNames.withLock { $0 })
            return .complete
        } catch {
            let reason = job.trust.secrets.hide(String(describing: error))
            if isStopped { return .cut }
            return .failed(reason)
        }
    }

    private func listUnsettled(_ ledger: RunLedger) async throws -> Listing {
        var last: Int64 = 0
        while !isStopped {
            let from = last
            let (outcome, end) = try await store.perform { catalog in
                var last = from
                let outcome = try ledger.listUnsettled(after: &last, on: catalog, now: wallClockMicroseconds())
                return (outcome, last)
            }
            last = end
            guard let outcome else { break }
            try await take(outcome, ledger)
            if outcome.isEnough { break }
        }
        return .cut
    }

    private func take(_ outcome: ListingOutcome, _ ledger: RunLedger) async throws {
        for warning in outcome.warnings { warn(warning) }
        let name = job.name
        let progress = try await store.perform { _ in
            RunEvent.listing(ListingProgress(job: name, items: ledger.selected.count, isComplete: false))
        }
        // Before the items begin: a collection is known before anything of it happens.
        events.publish([progress] + outcome.events, mayWait: false)
        if !engine.add(outcome.work, ledger.context) {
            let ids = outcome.work.map(\.id)
            let cancelled = try await store.perform { catalog in
                try ledger.cancel(ids, on: catalog, now: wallClockMicroseconds())
            }
            events.publish(cancelled, mayWait: false)
        }
    }

    // MARK: The end

    private func finish(_ ledger: RunLedger, _ listing: Listing) async throws -> RunFinished {
        let name = job.name
        await withCheckedContinuation { continuation in
            store.enqueue { _ in
                ledger.isListed = true
                self.publish(
                    .listing(ListingProgress(job: name, items: ledger.selected.count, isComplete: true)))
                ledger.whenComplete { continuation.resume() }
            }
        }
        // An abandoned run may have transfers under way.
        _ = engine.stop(ledger.context)
        engine.abort(ledger.context)
        let stop = state.withLock { $0.stop }
        let (finished, warning) = try await store.perform { catalog in
            try self.close(ledger, listing, stop, on: catalog)
        }
        if let warning { warn(warning) }
        publish(.runFinished(finished))
        return finished
    }

    private func close(
        _ ledger: RunLedger, _ listing: Listing, _ stop: Stop?, on catalog: Connection
    ) throws -> (RunFinished, warning: String?) {
        var outcome: RunOutcome
        var detail: String?
        let figures = ledger.figures
        let missed = figures.failed + figures.cancelled
        if let fatal = ledger.fatal {
            (outcome, detail) = (.failed, job.trust.secrets.hide(fatal))
        } else if stop == .signal {
            (outcome, detail) = (.interrupted, "stopped by a signal")
        } else if case .failed(let reason) = listing {
            (outcome, detail) = (.failed, "the list failed: \(reason)")
        } else if let fault = ledger.diskFault {
            (outcome, detail) = (.failed, fault)
        } else if stop == .deadline {
            (outcome, detail) = (.partial, "the deadline cut the run")
        } else {
            outcome = missed == 0 ? .complete : .partial
        }
        var warning: String?
        if case .complete = listing, ledger.context.selection.isWhole, ledger.fatal == nil {
            warning = try ledger.markGone(on: catalog)
        }
        let now = wallClockMicroseconds()
        try catalog.transaction {
            try ledger.writeFigures(on: catalog)
            try RunRows.finish(ledger.context.run, outcome, detail: detail, on: catalog, now: now)
        }
        // Files of followers may have been named without a batch to follow.
        try? ledger.journal?.clear()
        let isAllowed =
            stop == nil && figures.cancelled == 0
            && job.allowedFailures.allows(figures.failed, of: figures.items)
        let finished = RunFinished(
            run: ledger.context.run, job: job.name, at: now, outcome: outcome, figures: figures, detail: detail,
            startedAt: ledger.context.startedAt, isAcceptable: outcome == .partial && isAllowed)
        return (finished, warning)
    }

    // MARK: Control

    private var isStopped: Bool { state.withLock { $0.stop != nil } }

    /// Begins nothing more. What is in flight has the grace period, then it is broken off.
    func stop(_ reason: Stop) {
        let isFirst = state.withLock { state in
            guard state.stop == nil else { return false }
            state.stop = reason
            state.listing?.cancel()
            return true
        }
        guard isFirst else { return }
        stopTransfers()
        store.enqueue(after: Int(options.gracePeriod)) { _ in self.abortTransfers() }
    }

    /// Breaks off what is in flight.
    func abort() {
        stop(.signal)
        abortTransfers()
    }

    private func stopTransfers() {
        guard let (context, ledger) = begun else { return }
        let waiting = engine.stop(context)
        store.enqueue { catalog in
            do {
                let now = wallClockMicroseconds()
                self.events.publish(try ledger.cancel(waiting, on: catalog, now: now), mayWait: false)
            } catch {
                ledger.abandon("the catalog can't be written: \(error)")
            }
        }
    }

    private func abortTransfers() {
        if let (context, _) = begun { engine.abort(context) }
    }

    func setPaused(_ isPaused: Bool) {
        if let (context, _) = begun { engine.setPaused(isPaused, context) }
    }

    func setConcurrency(_ concurrency: Int) {
        if let (context, _) = begun { engine.setConcurrency(concurrency, context) }
    }

    func prioritise(_ items: Set<Int64>) {
        if let (context, _) = begun { engine.prioritise(items, context) }
    }

    /// Gives up items of this job; those of others are passed over.
    func cancel(_ items: Set<Int64>) {
        guard let (context, ledger) = begun else { return }
        store.enqueue { catalog in
            let open = items.filter { ledger.open.contains($0) }
            let inFlight = self.engine.cancel(open, context)
            let waiting = open.subtracting(inFlight)
            do {
                let now = wallClockMicroseconds()
                self.events.publish(try ledger.cancel(Array(waiting), on: catalog, now: now), mayWait: false)
            } catch {
                ledger.abandon("the catalog can't be written: \(error)")
            }
        }
    }

    private var begun: (RunContext, RunLedger)? {
        state.withLock { state in
            guard let context = state.context, let ledger = state.ledger else { return nil }
            return (context, ledger)
        }
    }
}
