import Catalog
import Files
import Jobs
import MediaProtocol
import Model
import SQLite
import Storage
import System
import Transfer

/// Keeping within `output.max_bytes` while a run goes on.
///
/// Confined to the catalog's queue, like the ledger.
final class StorageLimit {
    /// Files that go in one transaction.
    private static let portion = 256

    private let context: RunContext
    private let journal: RunJournal
    private let sums: RunSums
    /// What the job keeps; nil once the limit can't be held in this run.
    private var kept: KeptFiles?

    /// Begins to count; nil for a job without a limit.
    init?(_ context: RunContext, _ journal: RunJournal, _ sums: RunSums, on catalog: Connection) throws {
        guard let maximum = context.job.output.maximumBytes else { return nil }
        self.context = context
        self.journal = journal
        self.sums = sums
        kept = KeptFiles(maximum: maximum, bytes: try KeptFiles.bytesByRows(ofJob: context.job.name, on: catalog))
    }

    /// Counts files that have got their rows.
    func note(_ items: [PublishedItem], now: Int64) {
        guard kept != nil else { return }
        for published in items where published.item.record.outcome == .downloaded {
            guard let file = published.file else { continue }
            let links = published.isShared ? context.output.information(file.path)?.links ?? 1 : 1
            kept?.add(
                item: published.item.work.id, size: file.size, replacing: published.item.work.stored?.size,
                isLinked: links > 1, now: now)
        }
    }

    /// Takes away what is over the limit, but for files that the run has still to do with.
    ///
    /// - Parameter isInUse: whether the run has still to do with an item.
    /// - Throws: why the catalog can't be written.
    func enforce(on catalog: Connection, now: Int64, isInUse: (Int64) throws -> Bool) throws -> [RunEvent] {
        guard kept?.isOver == true else { return [] }
        var events: [RunEvent] = []
        do {
            try evict(on: catalog, now: now, isInUse: isInUse, &events)
        } catch let error as FileError where error.isCancelled {
            // The next run goes on with it.
            kept = nil
        } catch let error as FileError {
            // The journal tells the next run of what has no row any more.
            journal.keep()
            kept = nil
            events.append(warning("files over output.max_bytes stay for now: \(error)", now))
        }
        return events
    }

    /// Looks at the files once more at the end of the run, when nothing is under way, and takes away what is over the limit.
    func end(on catalog: Connection, now: Int64, isInUse: (Int64) throws -> Bool) throws -> [RunEvent] {
        guard kept != nil else { return [] }
        kept?.lookAgain(bytes: try KeptFiles.bytesByRows(ofJob: context.job.name, on: catalog))
        var events = try enforce(on: catalog, now: now, isInUse: isInUse)
        if context.job.media != nil, kept?.isOver == true {
            events.append(warning("more than output.max_bytes stays until the pictures of its files are made", now))
        }
        return events
    }

    private func evict(
        on catalog: Connection, now: Int64, isInUse: (Int64) throws -> Bool, _ events: inout [RunEvent]
    ) throws {
        guard let file = journal.file, var kept else { return }
        // Taken out meanwhile: a second owner would have its lists copied with every change.
        self.kept = nil
        defer { self.kept = kept }
        let isDurable = context.job.transfer.durability == .batch
        let eviction = Eviction(
            job: context.job.name, output: context.output, isDurable: isDurable,
            isStopped: { [context] in context.isAborted.withLock(\.self) })
        try catalog.setSynchronous(isDurable ? .full : .normal)
        while true {
            let surplus = try kept.takeSurplus(Self.portion, by: eviction, on: catalog) { file in
                try file.items.contains { try isInUse($0) }
            }
            for file in surplus.changed {
                events.append(warning("\(file.path) was changed: it stays, and counts no more as the job's", now))
            }
            for file in surplus.changedMetadata {
                events.append(
                    warning("\(file.path) was changed: it stays, although the file that it is about goes", now))
            }
            guard !surplus.victims.isEmpty else {
                if surplus.isEmpty { return }
                continue
            }
            let before = sums.figures
            let freed = Eviction.freed(by: surplus.victims)
            let failed: [(victim: Eviction.Victim, error: FileError)]
            do {
                failed = try eviction.remove(surplus.victims, file, on: catalog) {
                    sums.countFreed(files: surplus.victims.count, bytes: freed)
                    try sums.write(on: catalog)
                }
            } catch let error as SQLiteError {
                sums.restore(before)
                throw error
            }
            journal.clear()
            kept.putBack(failed.map(\.victim))
            for (_, error) in failed {
                events.append(warning("\(error); it stays, and others go in its place", now))
            }
            let left = Set(failed.map(\.victim.id))
            let gone = surplus.victims.filter { !left.contains($0.id) }
            sums.countFreed(files: -failed.count, bytes: Eviction.freed(by: gone) - freed)
            guard context.interest.includesItems else { continue }
            events += gone.map { victim in
                .itemEvicted(
                    ItemEvicted(
                        run: context.run, job: context.job.name, at: now, item: victim.id, key: victim.key,
                        title: victim.title, path: victim.path.text, size: victim.size))
            }
        }
    }

    private func warning(_ message: String, _ now: Int64) -> RunEvent {
        .warning(RunWarning(job: context.job.name, at: now, message: context.job.trust.secrets.hide(message)))
    }
}
