import Catalog
import Files
import Glibc
import Model
import SQLite
import System

/// `runner merge`: brings what machines did home into the catalog. It may run while others still work, again, and twice at
/// once.
package struct ShardMerge: Sendable {
    package let folder: ShardFolder
    /// The catalog's file.
    package let database: String

    /// What came home.
    package struct Progress: Sendable, Hashable {
        package let run: Int64
        package let job: String
        /// Shards in all, and those of them that are at their ends.
        package let shards: Int
        package let finished: Int
        /// Items in all and those that have their rows.
        package let items: Int
        package let settled: Int
        /// Shards that have items left: their numbers, their files, and how many items have rows.
        package let missing: [Missing]
        /// How the run ended; nil while shards are missing.
        package let outcome: String?
        /// Items of the run, also those that needed no request, and those of them that failed.
        package let total: Int
        package let failed: Int
        package let knownFailures: Int
        /// Files that can't be merged, and why, a line each.
        package let faults: [String]
    }

    package struct Missing: Sendable, Hashable {
        package let number: Int
        package let file: String
        package let isCarved: Bool
        package let settled: Int
        package let items: Int
    }

    package init(_ folder: ShardFolder, database: String) {
        self.folder = folder
        self.database = database
    }

    /// Brings home what is there now. Blocks.
    ///
    /// - Throws: ``CatalogError`` for a folder of another catalog or of a run that is there no more; `SQLiteError`.
    package func run() throws -> Progress {
        let scratch = try ScratchFolder(for: "merge")
        defer { scratch.remove() }
        let head = try folder.head(in: scratch)
        guard access(database, F_OK) == 0 else { throw foreign(head, isThere: false) }
        let catalog = try CatalogLocation.openExisting(database)
        defer { catalog.close() }
        guard try OwnershipRows.identity(of: catalog) == head.catalog else { throw foreign(head, isThere: true) }
        guard let run = try CarriedRun.find(head.run, on: catalog), run.job == head.job else {
            throw CatalogError(
                "the catalog has run \(head.run) of '\(head.job)' no more: there is nothing to merge into")
        }
        let shards = try ShardRows.all(ofRun: head.run, on: catalog)
        guard !shards.isEmpty else {
            throw CatalogError("the carving of run \(head.run) was broken off: carve '\(head.job)' anew")
        }
        var hasMerged = false
        var faults: [String] = []
        for shard in shards where shard.finishedAt == nil {
            guard let stage = [ShardFolder.Stage.done, .part].first(where: { folder.has(shard.number, $0) }) else {
                continue
            }
            do {
                try merge(folder.file(shard.number, stage), shard.number, head, scratch, into: catalog)
                hasMerged = true
            } catch let error as CatalogError {
                faults.append("\(error); it is passed over until its shard has run again")
            }
        }
        if hasMerged { try catalog.transaction { try ShardFile.sum(head.run, on: catalog) } }
        // The rows are committed, wherever they are.
        _ = try? catalog.checkpoint()
        return try close(head, faults, on: catalog)
    }

    /// What is wrong with the catalog that was given, and where the right one is.
    private func foreign(_ head: ShardHead, isThere: Bool) -> CatalogError {
        let origin = "\(folder.path) was carved from the catalog \(head.database)"
        guard head.database != database else {
            return CatalogError(
                "\(origin), \(isThere ? "in whose place is another" : "which is there no more"): put a backup back, or "
                    + "remove the folder and carve anew")
        }
        return CatalogError(
            "\(origin), and \(database) \(isThere ? "is another" : "is not there"): merge on the machine that has it, with "
                + "--database \(head.database)")
    }

    private func merge(
        _ file: String, _ number: Int, _ head: ShardHead, _ scratch: ScratchFolder, into catalog: Connection
    ) throws {
        let copy = "\(scratch.path)/\(number)"
        do {
            try WholeCopy.write(file, to: copy, mark: "merge")
        } catch {
            // It became the result between a look and the next.
            guard error.isAbsent else { throw error }
            return
        }
        defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
        let found = try ShardFolder.head(of: copy, namedFor: file)
        // A machine that has not heard that its run is over leaves how far it is among the shards of the next.
        guard found.run == head.run, found.catalog == head.catalog, found.number == number else { return }
        do {
            try ShardFile.merge(copy, run: head.run, number: number, into: catalog)
        } catch let error as SQLiteError where error.code.primary == .corrupt {
            throw CatalogError("\(file) is damaged")
        }
    }

    /// Ends the run once every item has its row.
    private func close(_ head: ShardHead, _ faults: [String], on catalog: Connection) throws -> Progress {
        let shards = try ShardRows.all(ofRun: head.run, on: catalog)
        let settled = try ShardRows.settledByShard(inRun: head.run, on: catalog)
        let missing = shards.filter { $0.finishedAt == nil }.map { shard in
            Missing(
                number: shard.number, file: folder.file(shard.number, .shard),
                isCarved: folder.has(shard.number, .shard), settled: settled[shard.number] ?? 0, items: shard.items)
        }
        guard var run = try CarriedRun.find(head.run, on: catalog) else {
            throw CatalogError("the catalog has run \(head.run) no more")
        }
        if missing.isEmpty, run.finishedAt == nil {
            let outcome: RunOutcome =
                run.diskFault != nil ? .failed : run.failed + run.cancelled == 0 ? .complete : .partial
            try catalog.transaction {
                try RunRows.finish(
                    head.run, outcome, detail: run.diskFault, on: catalog, now: wallClockMicroseconds())
            }
            run = try CarriedRun.find(head.run, on: catalog) ?? run
            removeWorkspaces(head, shards, on: catalog)
        }
        return Progress(
            run: head.run, job: head.job, shards: shards.count, finished: shards.count - missing.count,
            items: shards.reduce(0) { $0 + $1.items }, settled: settled.values.reduce(0, +), missing: missing,
            outcome: missing.isEmpty ? run.outcome : nil, total: run.items, failed: run.failed,
            knownFailures: run.knownFailures, faults: faults)
    }

    /// Removes what machines kept for themselves in the output directory. Best effort: it is harmless.
    private func removeWorkspaces(_ head: ShardHead, _ shards: [ShardRow], on catalog: Connection) {
        guard let directory = try? CatalogJob.directory(of: head.job, on: catalog),
            let output = try? OutputDirectory(path: directory, create: false)
        else { return }
        for shard in shards { try? output.removeShardGroup(ShardRows.group(run: head.run, shard.number)) }
    }
}
