import Catalog
import Files
import HTTP
import Jobs
import Model
import SQLite
import Storage
import System
import Transfer

/// Giving files their names, before the catalog has their rows.
///
/// Confined to the catalog's queue, like the ledger.
final class Publication {
    private let context: RunContext
    private let journal: RunJournal
    private let names: ItemNames
    /// nil unless the job stores equal bytes once.
    private let deduplication: Deduplication?
    /// Files of items whose rows do not tell of them yet.
    private var named: Set<RelativePath> = []
    /// What got its file while a page is listed, whose row is not committed.
    private var uncommitted: [PublishedItem] = []

    init(_ context: RunContext, _ journal: RunJournal, _ names: ItemNames, _ deduplication: Deduplication?) {
        self.context = context
        self.journal = journal
        self.names = names
        self.deduplication = deduplication
    }

    func noteUncommitted(_ items: [PublishedItem]) {
        uncommitted += items
    }

    /// The page is committed: ends what its items did that took the files of others.
    func committed() {
        guard !uncommitted.isEmpty else { return }
        for published in uncommitted { removeSuperseded(published) }
        uncommitted = []
        journal.clear()
    }

    /// The rows of all that was published are written.
    func recorded() {
        named.removeAll(keepingCapacity: true)
    }

    /// Publishes the bodies of a batch: intents to the journal, data flushed, names given, folders flushed. An item whose
    /// file can't be stored fails; the others go on.
    func publish(_ items: [PublishedItem], on catalog: Connection) throws -> [PublishedItem] {
        let pending = items.filter { $0.item.body != nil }
        guard !pending.isEmpty else { return items }
        let isDurable = context.job.transfer.durability == .batch
        do throws(FileError) {
            // Those whose names turn out to be taken go on with others, which the journal has to have first.
            var round = pending
            while !round.isEmpty {
                try journal.record(intents(of: round))
                if isDurable { try context.output.flushData() }
                var next: [PublishedItem] = []
                for published in round where try !publish(published, on: catalog) { next.append(published) }
                round = next
            }
        } catch {
            // Without the journal or the flush nothing of the batch may be named, and on a full disk nothing more.
            for published in pending where published.file == nil && published.item.record.outcome != .failed {
                fail(published, error)
            }
        }
        do throws(FileError) {
            if isDurable { try context.output.flushFolders() }
        } catch {
            // Names that may be lost again are not claimed; the journal tells the next run of those that are new.
            journal.keep()
            for published in pending {
                guard let file = published.file else { continue }
                fail(published, error)
                if published.item.work.claimedPath == file.path.text { published.unclaimed = file }
            }
        }
        return items
    }

    /// The files that get their names, and those that go when their items became another type.
    private func intents(of items: [PublishedItem]) -> [PublishJournal.Intent] {
        var intents: [PublishJournal.Intent] = []
        for published in items {
            let work = published.item.work
            guard let body = published.item.body, let path = try? published.bodyPath() else { continue }
            intents.append(PublishJournal.Intent(path: path, size: body.size, digest: body.digest))
            if let old = superseded(of: work, by: path) { intents.append(old) }
        }
        return intents
    }

    /// The file that an item leaves for one at another path: what was stored, or what somebody has made of that.
    private func superseded(of work: ItemWork, by path: RelativePath) -> PublishJournal.Intent? {
        if let old = work.stored {
            guard old.path != path else { return nil }
            return PublishJournal.Intent(path: old.path, size: old.size, digest: old.sha256, isRetirement: true)
        }
        guard let claimed = work.claimedPath, claimed != path.text,
            let old = try? RelativePath(validating: claimed), let found = context.output.information(old),
            found.isRegular, let digest = try? context.output.digest(of: old)
        else { return nil }
        return PublishJournal.Intent(path: old, size: found.size, digest: digest, isRetirement: true)
    }

    /// Gives one body its name.
    ///
    /// - Returns: false when the name is somebody else's: the item has another one now, to be tried next.
    /// - Throws: never for a fault of this item alone, which is written into it.
    private func publish(_ published: PublishedItem, on catalog: Connection) throws(FileError) -> Bool {
        let item = published.item
        guard let body = item.body else { return true }
        do {
            if published.name == nil { published.isShared = try deduplication?.share(body, on: catalog) ?? false }
            let path = try published.bodyPath()
            let isOwn = item.work.claimedPath == path.text
            var outcome = try context.output.publish(body, as: path, replacing: isOwn)
            if case .exists = outcome, journal.isLeftover(path) {
                outcome = try context.output.publish(body, as: path, replacing: true)
            }
            switch outcome {
            case .published:
                // A rename between two names of one file does nothing, and keeps both (rename(2)).
                if published.isShared { try body.discard(in: context.output) }
            case .exists:
                let isFree = try !isClaimed(path, by: item.work.id, on: catalog)
                let hasBytes = try isFree && isSame(path, body)
                if isFree, !hasBytes, let other = journal.published(byOthersAt: path) {
                    // The first of several attempts at a shard names the file, and all have the same rows of it.
                    try body.discard(in: context.output)
                    (published.isShared, published.freshness) = (false, nil)
                    note(published, at: path, size: other.size, other.digest)
                    return true
                }
                guard hasBytes else {
                    published.name = try names.freeName(published.wanted, on: catalog)
                    return false
                }
                published.isShared = false
                try body.discard(in: context.output)
            case .blocked(let folder):
                let name = try names.freeName(published.stem, besideFile: folder, published.extension, on: catalog)
                (published.name, published.wanted) = (name, name.stem)
                return false
            }
            note(published, at: path, size: body.size, body.digest)
        } catch let error as FileError where error.isDiskFull {
            throw error
        } catch {
            fail(published, error)
        }
        return true
    }

    /// An item has its file.
    private func note(_ published: PublishedItem, at path: RelativePath, size: Int64, _ digest: SHA256Digest) {
        named.insert(path)
        deduplication?.note(digest, at: path)
        published.file = StoredFile(
            path: path, extension: published.extension, mediaType: published.type?.mediaType, size: size,
            sha256: digest, freshness: published.freshness ?? Freshness())
        published.item.record.timings?.store = max(0, Monotonic.now() - published.item.endedAt)
        published.item.work.trace(
            .published,
            [
                ("path", .text(path.text)), ("size", .number(size)),
                ("shared", .text(published.isShared ? "yes" : "no")),
            ])
    }

    private func isSame(_ path: RelativePath, _ body: SealedPart) throws -> Bool {
        guard let found = context.output.information(path), found.isRegular, found.size == body.size else {
            return false
        }
        return try context.output.digest(of: path) == body.digest
    }

    private func isClaimed(_ path: RelativePath, by other: Int64, on catalog: Connection) throws -> Bool {
        if named.contains(path) { return true }
        return try ItemRows.isClaimed(path: path.text, besides: other, inJob: context.job.name, on: catalog)
    }

    private func fail(_ published: PublishedItem, _ error: any Error) {
        try? published.item.body?.discard(in: context.output)
        published.item.body = nil
        published.file = nil
        published.item.isPermanent = false
        published.item.record.outcome = .failed
        published.item.record.failure = .disk
        published.item.record.detail = context.job.trust.secrets.hide(String(describing: error))
        published.item.record.bodyBytes = 0
    }

    /// Removes what an item had before it became another type, and so got another path.
    func removeSuperseded(_ published: PublishedItem) {
        guard let claimed = published.item.work.claimedPath, let new = published.file?.path, claimed != new.text,
            let old = try? RelativePath(validating: claimed), context.output.information(old)?.isRegular == true
        else { return }
        do { try context.output.remove(old) } catch { journal.keep() }
    }
}
