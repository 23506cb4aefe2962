import Catalog
import Files
import HTTP
package import Jobs
import Model
import SQLite
import Schedule
import SourceKit
import Storage
import System
import Transfer

/// What a run would do with an item.
package enum PlannedAction: Sendable, Hashable {
    /// Fetch it in full.
    case fetch
    /// Ask whether what is stored has changed.
    case ask
    /// Ask nothing: what is stored is fresh.
    case fresh
    /// Ask nothing: the file has gone to keep within `output.max_bytes`.
    case evicted
    /// Ask nothing yet: a permanent failure that is not due to be asked again.
    case notAsked
    /// Fail: the list's entry can't be fetched.
    case invalid(String)
    /// Take what another item with the same URL gets.
    case duplicate

    /// - Parameter record: an outcome that needs no request.
    init(_ record: TransferRecord) {
        self =
            switch record.outcome {
            case .fresh: .fresh
            case .evicted: .evicted
            default: record.known == nil ? .invalid(record.detail ?? "") : .notAsked
            }
    }
}

/// One item of a plan, secrets hidden.
package struct PlannedItem: Sendable, Hashable {
    package var key: String
    package var title: String
    package var url: String
    /// Relative to the output directory; with `{extension}` where only the bytes will show it.
    package var path: String
    package var action: PlannedAction
}

/// A list as a run would take it, without fetching an item or writing anywhere but into a temporary folder.
package enum Plan {
    /// Lists a job against a copy of the catalog.
    ///
    /// - Parameters:
    ///   - items: called with the items of each page, in list order.
    ///   - warnings: called with what the source warns of.
    /// - Throws: what keeps the list from being begun or ended.
    package static func make(
        _ job: Job, options: SessionOptions, items: @escaping @Sendable ([PlannedItem]) -> Void,
        warnings: @escaping @Sendable (String) -> Void
    ) async throws {
        let warnings: @Sendable (String) -> Void = { warnings(job.trust.secrets.hide($0)) }
        let scratch = try ScratchFolder(for: "plan")
        defer { scratch.remove() }
        let store = try await ScratchCatalog.open(copyOf: options.database, at: "\(scratch.path)/catalog.sqlite")
        let recorder = Recorder(store: store, events: EventHub { _ in })
        let engine = try TransferCoordinator(sink: recorder, bodyChecks: options.bodyChecks)
        defer { engine.stop() }
        try await list(job, options, store, engine, recorder, scratch, items: items, warnings: warnings)
        await store.close()
    }

    private static func list(
        _ job: Job, _ options: SessionOptions, _ store: CatalogStore, _ engine: TransferCoordinator,
        _ recorder: Recorder, _ scratch: ScratchFolder,
        items: @escaping @Sendable ([PlannedItem]) -> Void, warnings: @escaping @Sendable (String) -> Void
    ) async throws {
        let now = wallClockMicroseconds()
        // A directory that is not there yet holds nothing, like the empty one.
        let own = try OutputDirectory(path: scratch.path, create: false)
        let output = (try? OutputDirectory(path: job.output.directory, create: false)) ?? own
        try await store.perform { catalog in
            try DirectoryOwnership.check(
                job.name, output, directory: job.output.directory, database: options.database, on: catalog)
            try PlainNames.restore(job, on: catalog)
            if let refusal = try RefusedMove.find(job, options.selection, on: catalog) { throw refusal }
        }
        let change = try await DirectoryChange.find(job, in: output, store, isStopped: { false })
        let run = try await store.perform { catalog in
            try RunRows.begin(job, options.invocation, on: catalog, now: now) { try change?.apply(on: $0) }
        }
        if let warning = change?.warning { warnings(warning) }
        let limits = Scheduler.Limits(
            concurrency: 1, perHost: job.transfer.perHost, interval: job.transfer.rate?.interval ?? 0,
            retries: job.transfer.retries)
        let context = RunContext(
            job: job, run: run, selection: options.selection, output: output, keeping: own,
            profile: try JobProfile.make(job, bandwidth: nil, runnerVersion: options.runnerVersion),
            index: engine.addJob(job.name, limits), startedAt: now)
        let ledger = try await store.perform { try RunLedger(context, journal: nil, on: $0) }
        recorder.add(ledger)
        // What the source asks is asked: it counts in the catalog itself.
        let kept = LazyStore(path: options.database, otherwise: store)
        let source = SourceContext(
            job, RunServices(context, engine: engine, keeping: store, store: kept.open, warn: warnings))
        var pages = try job.source.pages(in: source)
        while let page = try await pages.next() {
            let (planned, outcome) = try await store.perform { catalog in
                var planned: [PlannedItem] = []
                ledger.planned = { row, action in
                    var item = PlannedItem(row, action)
                    item.path = ledger.renaming.plannedPath(of: row.id) ?? item.path
                    planned.append(item)
                }
                defer {
                    ledger.planned = nil
                    ledger.renaming.forgetPlanned()
                }
                let outcome = try ledger.list(page, on: catalog, now: wallClockMicroseconds())
                return (planned, outcome)
            }
            items(planned)
            outcome.warnings.forEach(warnings)
            if outcome.isEnough { break }
        }
        await kept.close()
    }
}

extension PlannedItem {
    init(_ row: ItemRow, _ action: PlannedAction) {
        let path = row.path ?? PathTemplate.shown(stem: row.stem)
        self.init(key: row.key, title: row.title, url: row.url, path: path, action: action)
    }
}

/// The catalog, opened for writing only if a source has something to remember.
private final class LazyStore: Sendable {
    private let path: String
    private let substitute: CatalogStore
    private let opened = Locked<CatalogStore?>(nil)

    /// - Parameter substitute: used where the catalog can't be written.
    init(path: String, otherwise substitute: CatalogStore) {
        self.path = path
        self.substitute = substitute
    }

    @Sendable func open() -> CatalogStore {
        opened.withLock { opened in
            let store = opened ?? (try? CatalogStore(path: path)) ?? substitute
            opened = store
            return store
        }
    }

    /// Closes the catalog if it was opened; the substitute stays open.
    func close() async {
        let store = opened.withLock { $0 }
        if let store, store !== substitute { await store.close() }
    }
}
