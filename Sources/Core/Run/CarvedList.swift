package import Catalog
import Files
package import HTTP
package import Jobs
import Model
package import SQLite
import Schedule
import SourceKit
import Storage
import System
import Transfer

/// An item of a run that has to be asked for.
package struct CarvedItem: Sendable {
    package let id: Int64
    package let origin: HTTPOrigin
    /// Items with one URL have one: that of the item that is fetched for the others.
    package let key: String

    package init(id: Int64, origin: HTTPOrigin, key: String) {
        self.id = id
        self.origin = origin
        self.key = key
    }
}

/// A list that is read for other machines to fetch.
package struct CarvedList: Sendable {
    package let run: Int64
    package let items: [CarvedItem]
    /// Of what needed no request.
    package let settled: Int
}

/// The first part of a run whose items other machines ask for: it lists, and settles what needs no request.
package enum ListCarving {
    /// What came of it.
    package enum Ending: Sendable {
        /// Shards carry the run from now on.
        case carved(CarvedList)
        /// The run is at its end: nothing was to be asked, or it failed.
        case ended(JobEnding)
    }

    /// Begins a run in the catalog, and reads its list.
    ///
    /// - Parameters:
    ///   - warn: called with what the source warns of.
    ///   - folder: where the shards go, absolute.
    ///   - begin: called on the catalog's queue before the run begins; what it throws keeps it from beginning.
    ///   - carve: called on the catalog's queue with the items to be asked for, unless there are none, once the list is
    ///     complete; it hands them to shards.
    package static func make(
        _ job: Job, options: SessionOptions, to folder: String, warn: @escaping @Sendable (String) -> Void,
        begin: @escaping @Sendable (Connection) throws -> Void,
        carve: @escaping @Sendable (CarvedList, Connection) throws -> [ShardRow]
    ) async throws -> Ending {
        let store = try CatalogStore(path: options.database)
        do {
            let ending = try await make(job, options, store, folder, warn, begin, carve)
            await store.close()
            return ending
        } catch {
            await store.close()
            throw error
        }
    }

    private static func make(
        _ job: Job, _ options: SessionOptions, _ store: CatalogStore, _ folder: String,
        _ warn: @escaping @Sendable (String) -> Void, _ begin: @escaping @Sendable (Connection) throws -> Void,
        _ carve: @escaping @Sendable (CarvedList, Connection) throws -> [ShardRow]
    ) async throws -> Ending {
        let output: OutputDirectory
        let locks: JobLocks
        switch try JobLocks.acquire(
            job.name, directory: job.output.directory, isMaking: true, catalog: store.path)
        {
        case .held(let held, let directory): (locks, output) = (held, directory)
        case .withoutDirectory(_, let error): throw error
        case .busy(let holder): return .ended(.locked(pid: holder.pid, since: holder.since))
        }
        defer { locks.release() }
        let now = wallClockMicroseconds()
        let database = store.path
        try await store.perform { catalog in
            try DirectoryOwnership.claim(
                job.name, output, directory: job.output.directory, database: database, on: catalog)
            try PlainNames.restore(job, on: catalog)
            if let refusal = try RefusedMove.find(job, options.selection, on: catalog) { throw refusal }
            try begin(catalog)
        }
        let change = try await DirectoryChange.find(job, in: output, store, isStopped: { false })
        let run = try await store.perform { catalog in
            try RunRows.begin(job, options.invocation, on: catalog, now: now) { try change?.apply(on: $0) }
        }
        if let warning = change?.warning { warn(warning) }
        do {
            return try await list(job, options, store, output, run: run, now, folder, warn, carve)
        } catch {
            let detail = job.trust.secrets.hide(String(describing: error))
            // The row must not stay `running`.
            _ = try? await store.perform { catalog in
                try RunRows.finish(run, .failed, detail: detail, on: catalog, now: wallClockMicroseconds())
            }
            throw error
        }
    }

    private static func list(
        _ job: Job, _ options: SessionOptions, _ store: CatalogStore, _ output: OutputDirectory, run: Int64,
        _ startedAt: Int64, _ folder: String, _ warn: @escaping @Sendable (String) -> Void,
        _ carve: @escaping @Sendable (CarvedList, Connection) throws -> [ShardRow]
    ) async throws -> Ending {
        let recorder = Recorder(store: store, events: EventHub { _ in })
        let engine = try TransferCoordinator(sink: recorder, bodyChecks: options.bodyChecks)
        defer { engine.stop() }
        let limits = Scheduler.Limits(
            concurrency: job.transfer.concurrency, perHost: job.transfer.perHost,
            interval: job.transfer.rate?.interval ?? 0, retries: job.transfer.retries)
        let context = RunContext(
            job: job, run: run, selection: options.selection, output: output,
            profile: try JobProfile.make(
                job, bandwidth: job.transfer.bandwidth.period(at: options.dayClock.secondOfDay()).bytesPerSecond,
                runnerVersion: options.runnerVersion),
            index: engine.addJob(job.name, limits), startedAt: startedAt)
        let ledger = try await store.perform { try RunLedger(context, journal: PublishJournal(in: output), on: $0) }
        recorder.add(ledger)
        let (found, isComplete) =
            options.selection.isFailedOnly
            ? (try await unsettled(ledger, store, warn), false)
            : try await listed(
                SourceContext(job, RunServices(context, engine: engine, keeping: store, store: { store }, warn: warn)),
                job, ledger, store, warn)
        return try await store.perform { catalog in
            ledger.endListing()
            let items = withFollowers(found, of: ledger)
            let list = CarvedList(run: run, items: items, settled: ledger.figures.items)
            try ledger.noteListEnd(isComplete: isComplete, on: catalog)
            if isComplete { try end(ledger, warn, on: catalog) }
            guard items.isEmpty else {
                let shards = try carve(list, catalog)
                try catalog.transaction {
                    try ledger.writeFigures(on: catalog)
                    try ShardRows.carry(run, shards, in: folder, on: catalog)
                }
                return .carved(list)
            }
            let outcome: RunOutcome = ledger.figures.failed == 0 ? .complete : .partial
            let now = wallClockMicroseconds()
            try catalog.transaction {
                try ledger.writeFigures(on: catalog)
                try RunRows.finish(run, outcome, detail: nil, on: catalog, now: now)
            }
            return .ended(
                .ran(
                    RunFinished(
                        run: run, job: job.name, at: now, outcome: outcome, figures: ledger.figures, detail: nil,
                        startedAt: startedAt,
                        isAcceptable: outcome == .partial
                            && job.allowedFailures.allows(ledger.figures.failed, of: ledger.figures.items))))
        }
    }

    /// The items of the source's list that are to be asked for, and whether that is all of the list.
    private static func listed(
        _ source: SourceContext, _ job: Job, _ ledger: RunLedger, _ store: CatalogStore,
        _ warn: @escaping @Sendable (String) -> Void
    ) async throws -> ([CarvedItem], Bool) {
        var items: [CarvedItem] = []
        var pages = try job.source.pages(in: source)
        while let page = try await pages.next() {
            for portion in page.portions(of: 500) {
                let (outcome, found) = try await store.perform { catalog in
                    let outcome = try ledger.list(portion, on: catalog, now: wallClockMicroseconds())
                    return (outcome, try outcome.work.map { try carved($0, ledger) })
                }
                outcome.warnings.forEach(warn)
                items += found
                if outcome.isEnough { return (items, false) }
            }
        }
        return (items, true)
    }

    /// The items that `--failed` selects.
    private static func unsettled(
        _ ledger: RunLedger, _ store: CatalogStore, _ warn: @escaping @Sendable (String) -> Void
    ) async throws -> [CarvedItem] {
        var items: [CarvedItem] = []
        var last: Int64 = 0
        while true {
            let from = last
            let (outcome, found, end) = try await store.perform { catalog in
                var last = from
                let outcome = try ledger.listUnsettled(after: &last, on: catalog, now: wallClockMicroseconds())
                return (outcome, try (outcome?.work ?? []).map { try carved($0, ledger) }, last)
            }
            last = end
            guard let outcome else { return items }
            outcome.warnings.forEach(warn)
            items += found
            if outcome.isEnough { return items }
        }
    }

    /// - Throws: where the catalog, and so a shard, has not all of the URL.
    private static func carved(_ work: ItemWork, _ ledger: RunLedger) throws -> CarvedItem {
        if work.shownURL.utf8.contains(UInt8(ascii: "$")),
            try ItemURLs(ledger.context.job.trust.secrets).url(work.shownURL, of: work.id) != work.url
        {
            throw WebURLError(
                reason: "the list alone knows what is hidden in \(work.shownURL), and shards do not have it: name "
                    + "passwords in the job file as ${NAME}")
        }
        return CarvedItem(id: work.id, origin: work.url.origin, key: work.key)
    }

    private static func withFollowers(_ items: [CarvedItem], of ledger: RunLedger) -> [CarvedItem] {
        guard !ledger.sharedURLs.isEmpty else { return items }
        let followers = ledger.sharedURLs.followersByLeader
        return items.flatMap { leader in
            [leader]
                + (followers[leader.id] ?? []).map { CarvedItem(id: $0, origin: leader.origin, key: leader.key) }
        }
    }

    /// What a complete list tells, as at the end of any run.
    private static func end(
        _ ledger: RunLedger, _ warn: @escaping @Sendable (String) -> Void, on catalog: Connection
    ) throws {
        var warnings = [ledger.renaming.warning]
        if !ledger.list.isPartial, !ledger.context.selection.isSourceChanged { try ledger.writeExpected(on: catalog) }
        if ledger.context.selection.isWhole, !ledger.list.isPartial {
            warnings.append(try ledger.markGone(on: catalog))
            try ledger.renaming.end(on: catalog)
            try ledger.journal.removeLeftovers(on: catalog)
        } else {
            warnings.append(try ledger.unlistedWarning(on: catalog))
        }
        ledger.journal.clear()
        warnings.compactMap { $0 }.forEach(warn)
    }
}
