import Catalog
import Files
import Model
import SQLite

/// Deletes what a job stored, or what it stored of one collection or as one item: the files that rows claim, and the rows. The job is held
/// meanwhile.
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
        /// What is at a claimed path and is no file, such as a folder or a link: it stays.
        package var strangers: [String] = []
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
    /// The rows of the part; both nil for the whole job.
    private let scope: Scope

    private struct Scope: Sendable {
        var collection: Int64?
        var item: Int64?

        /// Over `item`, with the ids as the second and the third parameter.
        static let condition = "(?2 IS NULL OR collection_id = ?2) AND (?3 IS NULL OR id = ?3)"
    }

    private init(_ held: HeldJob, _ store: CatalogStore, _ part: Part?, _ scope: Scope, _ extent: Extent) {
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
                let scope = part?.scope ?? Scope()
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
    ) throws -> (part: Part, scope: Scope) {
        for column in ["key", "title"] {
            let found = try catalog.rows(
                "SELECT id, key FROM collection WHERE job = ? AND \(column) = ? ORDER BY position", job, name
            ) { (id: try $0[0] as Int64, key: try $0[1] as String) }
            guard found.count < 2 else { throw UpkeepError.ambiguous(name, job: job, keys: found.map(\.key)) }
            if let only = found.first { return (.collection(key: only.key), Scope(collection: only.id)) }
        }
        let items = try ItemLookup.keys(name, of: job, on: catalog)
        guard items.count < 2 else { throw UpkeepError.ambiguous(name, job: job, keys: items) }
        if let key = items.first {
            let id: Int64? = try catalog.value("SELECT id FROM item WHERE job = ? AND key = ?", job, key)
            return (.item(key: key), Scope(item: id))
        }
        let known = try catalog.rows("SELECT key FROM collection WHERE job = ? ORDER BY position", job) {
            try $0[0] as String
        }
        throw UpkeepError.unknownCollection(name, job: job, known: known)
    }

    private static func measure(_ job: CatalogJob, _ scope: Scope, on catalog: Connection) throws -> Extent {
        var extent = Extent(directory: job.directory)
        try catalog.forEach(
            """
            SELECT count(*), count(path), CAST(total(iif(path IS NULL, 0, size)) AS INTEGER) FROM item
            WHERE job = ? AND \(Scope.condition)
            """, job.name, scope.collection, scope.item
        ) { row in (extent.items, extent.files, extent.bytes) = (try row[0], try row[1], try row[2]) }
        return extent
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
        let journal = try held.output.map { try PublishJournal(in: $0) }
        if let journal, let output = held.output {
            let left = try CrashRecovery.recover(journal, in: output, job: job, on: catalog)
            for (path, intents) in left where CrashRecovery.intent(of: path, among: intents, in: output) != nil {
                try output.remove(path)
                output.removeEmptyFolders(above: path)
            }
            try journal.clear()
        }
        try deleteTransfers(on: catalog)
        // Each item's deletion would look through all transfers for its own, which have just gone.
        try catalog.execute("PRAGMA foreign_keys = OFF")
        var outcome = Outcome()
        while try deleteBatch(journal, &outcome, on: catalog) {}
        try catalog.execute("PRAGMA foreign_keys = ON")
        if let collection = scope.collection {
            try catalog.run("DELETE FROM collection WHERE id = ?", collection)
        } else if scope.item == nil {
            try catalog.run("DELETE FROM job WHERE name = ?", job)
            try held.output?.removePrivateFiles()
        }
        try CatalogSpace.reclaim(on: catalog)
        return outcome
    }

    /// Deletes the runs of the job, or the transfers of the part's items. The figures of runs stay what they were.
    private func deleteTransfers(on catalog: Connection) throws {
        let job = held.job.name
        guard part != nil else {
            let runs = try catalog.rows("SELECT id FROM run WHERE job = ?", job) { try $0[0] as Int64 }
            for run in runs { try catalog.run("DELETE FROM run WHERE id = ?", run) }
            return
        }
        // The plus sign keeps it to one pass over the runs: looking up each item in each run would cost their product.
        try catalog.run(
            """
            DELETE FROM transfer WHERE run_id IN (SELECT id FROM run WHERE job = ?)
                AND +item_id IN (SELECT id FROM item WHERE job = ?1 AND \(Scope.condition))
            """, job, scope.collection, scope.item)
    }

    private struct Row {
        let id: Int64
        let path: RelativePath?
        let size: Int64?
        let digest: SHA256Digest?
    }

    /// Deletes some items: journal, rows, files.
    ///
    /// - Returns: false when there are no more.
    private func deleteBatch(_ journal: PublishJournal?, _ outcome: inout Outcome, on catalog: Connection) throws
        -> Bool
    {
        let rows = try catalog.rows(
            """
            SELECT id, path, size, sha256 FROM item WHERE job = ? AND \(Scope.condition)
            ORDER BY id LIMIT \(Self.batchSize)
            """, held.job.name, scope.collection, scope.item
        ) { row in
            Row(
                id: try row[0], path: (try row[1] as String?).flatMap { try? RelativePath(validating: $0) },
                size: try row[2], digest: (try row[3] as String?).flatMap(SHA256Digest.init(hex:)))
        }
        guard !rows.isEmpty else { return false }
        try journal?.record(rows.compactMap(intent))
        try held.output?.flushData()
        var pictures: Set<String> = []
        try catalog.transaction {
            for row in rows {
                pictures.formUnion(try PictureRows.delete(ofItem: row.id, on: catalog))
                try catalog.run("DELETE FROM mark WHERE item_id = ?", row.id)
                try catalog.run("DELETE FROM download WHERE item_id = ?", row.id)
                try catalog.run("DELETE FROM item WHERE id = ?", row.id)
            }
        }
        outcome.items += rows.count
        if let output = held.output {
            for row in rows { try removeFile(of: row, in: output, &outcome) }
            for path in pictures {
                try PictureRows.removeUnclaimed(path, of: held.job.name, in: output, on: catalog)
            }
        } else {
            outcome.missing += rows.count { $0.path != nil }
        }
        try journal?.clear()
        return true
    }

    private func intent(_ row: Row) -> PublishJournal.Intent? {
        guard let path = row.path, let size = row.size, let digest = row.digest else { return nil }
        return PublishJournal.Intent(path: path, size: size, digest: digest, isRetirement: true)
    }

    private func removeFile(of row: Row, in output: OutputDirectory, _ outcome: inout Outcome) throws {
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
