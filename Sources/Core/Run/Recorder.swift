import Catalog
import Files
import HTTP
import Jobs
import Model
import SQLite
import Schedule
import System
import Transfer

/// Brings finished items to their names and rows: in batches of up to 256 or one second, on the catalog's queue.
final class Recorder: TransferSink {
    private static let batchSize = 256
    /// Microseconds.
    private static let longestWait = 1_000_000
    private static let longestBacklog = 2_048

    private struct State {
        var pending: [FinishedItem] = []
        /// Items given and not in the catalog.
        var backlog = 0
        var isFlushing = false
        /// Whether what is pending goes although it fills no batch.
        var isDue = false
        var isTimed = false
        var ledgers: [Scheduler.JobIndex: RunLedger] = [:]
        var drained: @Sendable () -> Void = {}
    }

    let store: CatalogStore
    let events: EventHub
    private let state = Locked(State())

    init(store: CatalogStore, events: EventHub) {
        self.store = store
        self.events = events
    }

    func add(_ ledger: RunLedger) {
        state.withLock { $0.ledgers[ledger.context.index] = ledger }
    }

    var interest: CurrentInterest { events.interest }

    func offer(_ activity: [RunEvent]) {
        events.offer(activity)
    }

    /// Called back, on the catalog's queue, after each batch.
    func whenDrained(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.drained = body }
    }

    /// Whether so much is not in the catalog that nothing more should begin.
    var isFull: Bool {
        state.withLock { $0.backlog >= Self.longestBacklog }
    }

    /// Takes finished items.
    ///
    /// - Parameter isLast: whether nothing more is to come for now, so that waiting would serve nobody.
    func add(_ items: [FinishedItem], isLast: Bool) {
        enum Next { case flush, timer, nothing }
        let next: Next = state.withLock { state in
            state.pending += items
            state.backlog += items.count
            guard !state.pending.isEmpty else { return .nothing }
            if isLast { state.isDue = true }
            if state.isFlushing { return .nothing }
            if state.isDue || state.pending.count >= Self.batchSize {
                state.isFlushing = true
                return .flush
            }
            if state.isTimed { return .nothing }
            state.isTimed = true
            return .timer
        }
        switch next {
        case .flush: store.enqueue { self.flush($0) }
        case .timer: store.enqueue(after: Self.longestWait) { self.flushDue($0) }
        case .nothing: break
        }
    }

    /// Has what is pending recorded now.
    func hurry() {
        add([], isLast: true)
    }

    private func flushDue(_ catalog: Connection) {
        let isFirst = state.withLock { state in
            state.isTimed = false
            state.isDue = !state.pending.isEmpty
            guard state.isDue, !state.isFlushing else { return false }
            state.isFlushing = true
            return true
        }
        if isFirst { flush(catalog) }
    }

    private func flush(_ catalog: Connection) {
        while let batch = nextBatch() {
            record(batch, on: catalog)
            let drained = state.withLock { state in
                state.backlog -= batch.count
                return state.drained
            }
            drained()
        }
        // What came meanwhile and fills no batch starts the clock.
        add([], isLast: false)
    }

    private func nextBatch() -> [FinishedItem]? {
        state.withLock { state in
            guard state.isDue || state.pending.count >= Self.batchSize, !state.pending.isEmpty else {
                state.isFlushing = false
                return nil
            }
            let batch = Array(state.pending.prefix(Self.batchSize))
            state.pending.removeFirst(batch.count)
            if state.pending.isEmpty { state.isDue = false }
            return batch
        }
    }

    private func record(_ batch: [FinishedItem], on catalog: Connection) {
        for (index, items) in Dictionary(grouping: batch, by: { $0.work.context.index }) {
            guard let ledger = state.withLock({ $0.ledgers[index] }) else { continue }
            guard ledger.fatal == nil else {
                for item in items { try? item.body?.discard(in: ledger.context.output) }
                continue
            }
            do {
                let durability = ledger.context.job.transfer.durability
                try catalog.setSynchronous(durability == .batch ? .full : .normal)
                events.publish(try ledger.record(items, on: catalog, now: wallClockMicroseconds()), mayWait: true)
                ledger.checkCompletion()
            } catch {
                ledger.abandon("the catalog can't be written: \(error)")
            }
        }
    }

    // MARK: What the engine tells beside

    func started(_ items: [StartedItem], at wall: Int64) {
        guard !items.isEmpty else { return }
        events.publish(
            items.map { item in
                let work = item.work
                return .itemStarted(
                    ItemStarted(
                        run: work.context.run, job: work.context.job.name, at: wall, item: work.id, key: work.key,
                        collection: work.collection, title: work.title, url: work.shownURL, attempt: item.attempt))
            }, mayWait: false)
    }

    /// Reports that a host is paused, and ends its items that are skipped and never started.
    func tell(_ trouble: HostOutage) {
        guard let ledger = state.withLock({ $0.ledgers[trouble.job] }) else { return }
        let job = ledger.context.job
        let now = wallClockMicroseconds()
        if trouble.shouldReport {
            let message = job.trust.secrets.hide(trouble.failure.detail)
            events.publish([.warning(RunWarning(job: job.name, at: now, message: message))], mayWait: false)
        }
        guard !trouble.items.isEmpty else { return }
        store.enqueue { catalog in
            do {
                self.events.publish(
                    try ledger.fail(trouble.items, trouble.failure, on: catalog, now: now), mayWait: true)
                ledger.checkCompletion()
            } catch {
                ledger.abandon("the catalog can't be written: \(error)")
            }
        }
    }

    func countListRequest(_ context: RunContext) {
        update(context) { $0.sums.countListRequest() }
    }

    func countListBytes(_ bytes: Int64, _ context: RunContext) {
        update(context) { $0.sums.countListBytes(bytes) }
    }

    private func update(_ context: RunContext, _ body: @escaping @Sendable (RunLedger) -> Void) {
        let ledger = state.withLock { $0.ledgers[context.index] }
        guard let ledger else { return }
        store.enqueue { _ in body(ledger) }
    }

    /// Reads the details of parked items for the engine.
    func load(_ load: Scheduler.Load, for engine: TransferCoordinator) {
        guard let ledger = state.withLock({ $0.ledgers[load.job] }) else { return }
        store.enqueue { catalog in
            do {
                let now = wallClockMicroseconds()
                let (work, events) = try ledger.load(load.ids, on: catalog, now: now)
                self.events.publish(events, mayWait: true)
                if !engine.loaded(load, work) {
                    self.events.publish(try ledger.cancel(work.map(\.id), on: catalog, now: now), mayWait: true)
                }
                ledger.checkCompletion()
            } catch {
                ledger.abandon("the catalog can't be read: \(error)")
            }
        }
    }
}
