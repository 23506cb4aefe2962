import Catalog
import Files
import HTTP
import Jobs
import Model
import SourceKit
import System
import Transfer

/// What a run does for its source: requests go through the coordinator of transfers, and what is to last through the catalog.
struct RunServices: SourceServices {
    private let engine: TransferCoordinator
    private let context: RunContext
    private let downloads: SourceDownloads
    private let budget: RequestBudget
    private let memory: SourceMemory
    private let store: @Sendable () throws -> CatalogStore

    /// - Parameters:
    ///   - store: the catalog, opened no sooner than it is needed.
    ///   - keeping: the queue on which downloads are kept, since flushing blocks.
    ///   - warn: tells people something while the source is waiting.
    init(
        _ context: RunContext, engine: TransferCoordinator, keeping: CatalogStore,
        store: @escaping @Sendable () throws -> CatalogStore, warn: @escaping @Sendable (String) -> Void
    ) {
        self.engine = engine
        self.store = store
        self.context = context
        downloads = SourceDownloads(engine: engine, context: context, store: keeping)
        budget = RequestBudget(
            store: store, now: wallClockMicroseconds, pause: { try await Task.sleep(for: .microseconds($0)) },
            warn: warn)
        memory = SourceMemory(
            source: context.job.source.type, secrets: context.job.trust.secrets, store: store,
            now: wallClockMicroseconds)
    }

    var trust: Trust { context.job.trust }

    /// What `--only` passes over does not count.
    var limit: Int? { context.selection.only.isEmpty ? context.selection.limit : nil }

    func fetch(_ request: FetchRequest) async throws -> FetchedReply {
        try await engine.fetch(request, context)
    }

    func download(_ url: WebURL, maximumBytes: Int64) async throws -> SourceFile {
        try await downloads.file(at: url, maximumBytes: maximumBytes)
    }

    func spend(_ key: String, limit: Int, per: Int64) async throws {
        try await budget.spend(key, limit: limit, per: per)
    }

    func recall(_ keys: [String], youngerThan age: Int64) async throws -> [String: String] {
        try await memory.recall(keys, youngerThan: age)
    }

    func recallList() async throws -> String? {
        try await memory.recallList(of: context.job.name)
    }

    func remember(_ values: [String: String]) async throws {
        try await memory.remember(values)
    }

    func pins() async throws -> [SourcePin] {
        let job = context.job.name
        return try await store().perform { catalog in
            try PagePin.all(of: job, from: catalog).map { pin in
                SourcePin(
                    name: pin.name, latitude: pin.latitude, longitude: pin.longitude, radius: pin.radius, turn: pin.turn
                )
            }
        }
    }

    func mayTake(keysBelow prefix: String) -> Bool { context.selection.mayTake(keysBelow: prefix) }

    func usesField(_ name: String) -> Bool { context.job.output.template.uses(name) }
}

extension SourceContext {
    /// The context of a job's source in a run.
    init(_ job: Job, _ services: RunServices) {
        self.init(folder: job.folder, job: job.name, now: wallClockMicroseconds, services: services)
    }
}
