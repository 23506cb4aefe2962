import Catalog
import Files
import Model
import SQLite

/// Deletes what a job stored, or what it stored of one collection or as one item: the files that rows claim, and the rows.
/// The job is held meanwhile.
///
/// Killed at any moment it leaves no row without its file: rows go before their files, and the journal of the output
/// directory names those files until they have gone, so that the next reset or run removes them.
package final class JobReset: Sendable {
    /// What is about to be deleted.
    package struct Extent: Sendable, Hashable {
        /// Absolute.
        package var directory: String
        package var items = 0
        /// Files that rows claim, and their lengths by the rows.
        package var files = 0
        package var bytes: Int64 = 0
    }

    /// What was deleted.
    package struct Outcome: Sendable, Hashable {
        package var items = 0
        package var files = 0
        /// Files that had gone before.
        package var missing = 0
        /// What is at a claimed path and is not a regular file, such as a folder or a link: it stays.
        package var strangers: [String] = []
        /// Metadata files that were changed since they were written: they stay.
        package var changed: [String] = []
    }

    /// What came of asking for the job.
    package enum Attempt: Sendable {
        case ready(JobReset)
        case busy(RunHolder)
    }

    /// Items whose rows go in one transaction, and whose files are in the journal together.
    private static let batchSize = 1_000

    /// A part of a job.
    package enum Part: Sendable, Hashable {
        case collection(key: String)
        case item(key: String)
    }

    /// What is deleted; nil for the whole job.
    package let part: Part?
    package let extent: Extent
    private let held: HeldJob
    private let store: CatalogStore
    private let scope: ResetRows.Scope

    private init(_ held: HeldJob, _ store: CatalogStore, _ part: Part?, _ scope: ResetRows.Scope, _ extent: Extent) {
        self.held = held
        self.store = store
        self.part = part
        self.scope = scope
        self.extent = extent
    }

    /// Finds the job and holds it.
    ///
    /// - Parameters:
    ///   - name: the key or the title of a collection, or the key, URL, title or path of an item; nil for the whole job.
    ///   - environment: for a directory that the catalog has with `${NAME}` in it.
    /// - Throws: ``UpkeepError``; ``CatalogError`` without a catalog; what the catalog or the directory has thrown.
    package static func begin(
        _ job: String, part name: String?, database: String, environment: [String: String]
    ) async throws -> Attempt {
        let store = CatalogStore(adopting: try CatalogLocation.openExisting(database))
        do {
            let attempt = try await store.perform { catalog in
                let job = try CatalogJob.find(job, on: catalog, environment: environment)
                let part = try name.map { try find($0, of: job.name, on: catalog) }
                let scope = part?.scope ?? .job
                switch try HeldJob.hold(job, database: database, on: catalog) {
                case .busy(let holder): return Attempt.busy(holder)
                case .held(let held):
                    let extent = try measure(job, scope, on: catalog)
                    return .ready(JobReset(held, store, part?.part, scope, extent))
                }
            }
            if case .busy = attempt { await store.close() }
            return attempt
        } catch {
            await store.close()
            throw error
        }
    }

    private static func find(
        _ name: String, of job: String, on catalog: Connection
    ) throws -> (part: Part, scope: ResetRows.Scope) {
        for column in ResetRows.CollectionName.allCases {
            let found = try ResetRows.collections(ofJob: job, called: name, by: column, on: catalog)
            guard found.count < 2 else { throw UpkeepError.ambiguous(name, job: job, keys: found.map(\.key)) }
            if let only = found.first { return (.collection(key: only.key), .collection(only.id)) }
        }
        let items = try ItemLookup.keys(name, of: job, on: catalog)
        guard items.count < 2 else { throw UpkeepError.ambiguous(name, job: job, keys: items) }
        if let key = items.first, let id = try ResetRows.item(ofJob: job, key: key, on: catalog) {
            return (.item(key: key), .item(id))
        }
        let known = try ResetRows.collectionKeys(ofJob: job, on: catalog)
        throw UpkeepError.unknownCollection(name, job: job, known: known)
    }

    private static func measure(_ job: CatalogJob, _ scope: ResetRows.Scope, on catalog: Connection) throws -> Extent {
        let rows = try ResetRows.extent(ofJob: job.name, scope, on: catalog)
        return Extent(directory: job.directory, items: rows.items, files: rows.files, bytes: rows.bytes)
    }

    /// Gives the job back as it is.
    package func cancel() async {
        await store.close()
        held.release()
    }

    /// Deletes. To be called once.
    ///
    /// - Throws: what the catalog or the disk has thrown; what was not deleted is as it was.
    package func run() async throws -> Outcome {
        do {
            let outcome = try await store.perform { [self] catalog in try delete(on: catalog) }
            await cancel()
            return outcome
        } catch {
            await cancel()
            throw error
        }
    }

    private func delete(on catalog: Connection) throws -> Outcome {
        let job = held.job.name
        try catalog.setSynchronous(.full)
        let recovered = try held.recover(on: catalog)
        let journal = recovered?.journal
        if let recovered, let output = held.output {
            for (path, intents) in recovered.unclaimed
            where CrashRecovery.intent(of: path, among: intents, in: output) != nil {
                try output.remove(path)
                output.removeEmptyFolders(above: path)
            }
            try recovered.journal.replace(with: [])
        }
        if scope != .job { try ResetRows.noteListCut(ofJob: job, on: catalog) }
        try ResetRows.deleteTransfers(ofJob: job, scope, on: catalog)
        var outcome = Outcome()
        try ResetRows.withoutForeignKeys(on: catalog) {
            while try deleteBatch(journal, &outcome, on: catalog) {}
        }
        try ResetRows.deleteOwner(ofJob: job, scope, on: catalog)
        if scope == .job { try held.output?.removePrivateFiles() }
        try CatalogSpace.reclaim(on: catalog)
        return outcome
    }

    /// Deletes some items: journal, rows, files.
    ///
    /// - Returns: false when there are no more.
    private func deleteBatch(_ journal: PublishJournal?, _ outcome: inout Outcome, on catalog: Connection) throws
        -> Bool
    {
        let rows = try ResetRows.items(ofJob: held.job.name, scope, limit: Self.batchSize, on: catalog)
        guard !rows.isEmpty else { return false }
        let sidecars = try SidecarRemoval(ofItems: rows.map(\.id), on: catalog)
        try journal?.record(
            rows.compactMap(intent) + sidecars.intents
                + PictureRows.retirements(ofItems: rows.map(\.id), on: catalog))
        try held.output?.flushData()
        var pictures: Set<String> = []
        try catalog.transaction {
            for row in rows {
                pictures.formUnion(try ResetRows.delete(item: row.id, on: catalog))
            }
        }
        outcome.items += rows.count
        if let output = held.output {
            for row in rows {
                try removeFile(of: row, in: output, &outcome)
                switch try sidecars.removeFile(ofItem: row.id, in: output) {
                case .removed: outcome.files += 1
                case .stays(let path): outcome.changed.append(path.text)
                case .missing: break
                }
            }
            for path in pictures {
                try PictureRows.removeUnclaimed(path, of: held.job.name, in: output, on: catalog)
            }
        } else {
            outcome.missing += rows.count { $0.path != nil }
        }
        try journal?.clear()
        return true
    }

    private func intent(_ row: ResetRows.Item) -> PublishJournal.Intent? {
        guard let path = row.path, let size = row.size, let digest = row.digest else { return nil }
        return PublishJournal.Intent(path: path, size: size, digest: digest, isRetirement: true)
    }

    private func removeFile(of row: ResetRows.Item, in output: OutputDirectory, _ outcome: inout Outcome) throws {
        try output.removePart(itemPartName(row.id))
        guard let path = row.path else { return }
        guard let found = output.information(path) else {
            outcome.missing += 1
            return output.removeEmptyFolders(above: path)
        }
        guard found.isRegular else { return outcome.strangers.append(path.text) }
        try output.remove(path)
        outcome.files += 1
        output.removeEmptyFolders(above: path)
    }
}
