import Catalog
import Files
import Glibc
import HTTP
import Jobs
import Model
import SQLite
import System
import Transfer

/// Writing what became of items.
extension RunLedger {
    /// Publishes and records a batch: files first, then one transaction with all rows and the sums.
    ///
    /// - Throws: what the catalog threw; nothing of the batch is in it then.
    func record(_ batch: [FinishedItem], on catalog: Connection, now: Int64) throws -> [RunEvent] {
        try requireCatalog(catalog)
        // An item that a user cancelled after its transfer had ended has its row.
        let batch = batch.filter { item in
            if open.contains(item.work.id) { return true }
            try? item.body?.discard(in: context.output)
            return false
        }
        // What is named has its rows when this ends.
        defer { publication.recorded() }
        var items = try publication.publish(batch.map { PublishedItem($0) }, on: catalog)
        sums.addEarlierBytes(to: items)
        // One pass gives followers what their leaders have; they may lead nobody themselves.
        for published in items { sums.countWanted(published.item) }
        if !sharedURLs.isEmpty { items += try publication.publish(items.flatMap { follow($0) }, on: catalog) }
        let before = sums.figures
        do {
            try catalog.transaction {
                try write(items, on: catalog, now: now)
                try writeFigures(on: catalog)
            }
        } catch {
            sums.restore(before)
            throw error
        }
        for published in items {
            _ = end(published.item.work.id)
            traceRecorded(published.item.work.id, published.item.record)
        }
        for published in items { publication.removeSuperseded(published) }
        journal.clear()
        noteStored(items, now: now)
        for published in items { sidecars?.note(published.item.work.id) }
        try sidecars?.write(on: catalog)
        var events = items.compactMap { event($0, now: now) }
        events += evict(on: catalog, now: now)
        if let progress = committed() { events.append(progress) }
        return events
    }

    private func write(_ items: [PublishedItem], on catalog: Connection, now: Int64) throws {
        try TransferRows.insert(
            items.map { ($0.item.work.id, $0.item.record) }, run: context.run, on: catalog)
        for published in items { try update(published, on: catalog, now: now) }
        // What is fetched next takes the place of the file.
        for published in items where published.isDoubtful {
            try ItemRows.forgetValidators(of: published.item.work.id, on: catalog)
        }
    }

    /// Brings an item's row, and the sums, up to what became of it.
    private func update(_ published: PublishedItem, on catalog: Connection, now: Int64) throws {
        let item = published.item
        let record = item.record
        let id = item.work.id
        sums.count(record, of: id, collection: item.work.collectionID)
        if published.isShared { sums.countSaved(published.file?.size ?? 0) }
        switch record.outcome {
        case .downloaded, .unchanged:
            guard let file = published.file else { break }
            let freshness = published.freshness ?? file.freshness
            if record.outcome == .downloaded {
                try ItemRows.markDownloaded(id, file, freshness, run: context.run, on: catalog, now: now)
            } else {
                try ItemRows.markUnchanged(id, file, freshness, run: context.run, on: catalog, now: now)
            }
            if let name = published.name { try ItemRows.setPath(of: id, name, on: catalog) }
        case .failed:
            try markFailed(
                id, record, isPermanent: item.isPermanent, asked: published.isAsked, on: catalog, now: now)
            if let file = published.unclaimed {
                try StoredFileRows.adopt(file.size, file.sha256, asItem: id, on: catalog)
            }
        case .cancelled:
            try ItemRows.markCancelled(id, askedRun: published.isAsked ? context.run : nil, on: catalog)
        case .fresh:
            try ItemRows.markFresh(id, on: catalog)
        case .evicted:
            // Settled as it was listed, not here.
            break
        }
    }

    /// Remembers files that have got their rows.
    private func noteStored(_ items: [PublishedItem], now: Int64) {
        deduplication?.noteStored(items)
        limit?.note(items, now: now)
    }

    /// Takes away what is over the limit of the job's storage.
    private func evict(on catalog: Connection, now: Int64) -> [RunEvent] {
        guard let limit, fatal == nil else { return [] }
        do {
            return try limit.enforce(on: catalog, now: now) { try isInUse($0, on: catalog) }
        } catch {
            abandon("the catalog can't be written: \(error)")
            return []
        }
    }

    /// The same at the end of the run, when nothing is under way.
    func endKeeping(on catalog: Connection, now: Int64) throws -> [RunEvent] {
        guard let limit, fatal == nil else { return [] }
        return try limit.end(on: catalog, now: now) { try isInUse($0, on: catalog) }
    }

    /// Whether an item is under way, or pictures of its file are still to be made.
    private func isInUse(_ item: Int64, on catalog: Connection) throws -> Bool {
        if open.contains(item) { return true }
        guard let media = context.job.media, selected.contains(item) else { return false }
        let isForced = context.selection.isRefreshing || context.selection.isFailedOnly
        return try !RenderingRows.isRendered(item, media, since: isForced ? context.startedAt : 0, on: catalog)
    }

    /// The item's end, if anybody wants to know.
    private func event(_ published: PublishedItem, now: Int64) -> RunEvent? {
        guard context.interest.includesItems || published.item.record.outcome == .failed else { return nil }
        let work = published.item.work
        let file = published.file ?? work.stored
        return .itemFinished(
            ItemFinished(
                run: context.run, job: context.job.name, at: now, item: work.id, key: work.key,
                collection: work.collection, title: work.title, url: work.shownURL, path: file?.path.text,
                mediaType: file?.mediaType, size: file?.size, transfer: published.item.record))
    }

    // MARK: One URL in several places

    /// What the items with a leader's URL come to.
    private func follow(_ leader: PublishedItem) -> [PublishedItem] {
        sharedURLs.takeFollowers(of: leader.item.work.id).filter { open.contains($0.id) }.map { work in
            let published = follow(
                work, leader.item.record, isPermanent: leader.item.isPermanent, leader.file, leader.freshness
            ) { leader.isDoubtful = true }
            published.isAsked = leader.isAsked
            return published
        }
    }

    /// What an item with a leader's URL comes to: the leader's outcome, with a file of its own.
    ///
    /// - Parameter doubt: called when the leader's file is not what was received.
    private func follow(
        _ work: ItemWork, _ outcome: TransferRecord, isPermanent: Bool, _ file: StoredFile?, _ freshness: Freshness?,
        doubt: () -> Void
    ) -> PublishedItem {
        var record = TransferRecord(outcome: outcome.outcome, failure: outcome.failure, detail: outcome.detail)
        record.status = outcome.status
        let published = PublishedItem(
            FinishedItem(work: work, record: record, isPermanent: isPermanent, endedAt: Monotonic.now()))
        published.freshness = freshness
        guard let file else { return published }
        // Where the bytes came, a file that may have rotted meanwhile gives way to them.
        let isReceived = outcome.status != 304
        if let stored = work.stored, stored.sha256 == file.sha256,
            !isReceived || (try? context.output.digest(of: stored.path)) == stored.sha256
        {
            published.file = stored
            return published
        }
        do {
            let type = try file.extension ?? context.output.fileExtension(of: file.path, work.url, file.mediaType)
            published.type = BodyType(extension: type, mediaType: file.mediaType)
            let body = try context.output.copy(file.path, toPart: work.partName)
            guard body.digest == file.sha256 else {
                try body.discard(in: context.output)
                doubt()
                throw FileError(
                    operation: "copy", path: file.path.text, errno: EIO,
                    reason: "it is no longer what was received; the next run fetches it in full")
            }
            published.item.body = body
        } catch {
            let detail = context.job.trust.secrets.hide(String(describing: error))
            published.item.record = TransferRecord(outcome: .failed, failure: .disk, detail: detail)
        }
        return published
    }

    /// Ends an item whose leader ended before it was listed.
    func settle(
        follower work: ItemWork, ofSettled leader: Int64, on catalog: Connection, now: Int64
    ) throws -> [RunEvent] {
        try sums.writeUnasked(on: catalog)
        guard let (record, isPermanent) = try TransferRows.ending(of: leader, inRun: context.run, on: catalog),
            let row = try ItemRows.find(leader, on: catalog)
        else { return [] }
        let file = record.outcome == .failed || record.outcome == .cancelled ? nil : row.storedFile(in: context.output)
        var isDoubtful = false
        let followed = follow(work, record, isPermanent: isPermanent, file, file?.freshness) { isDoubtful = true }
        followed.isAsked = row.askedRun == context.run
        let published = try publication.publish([followed], on: catalog)
        try write(published, on: catalog, now: now)
        publication.recorded()
        if isDoubtful { try ItemRows.forgetValidators(of: leader, on: catalog) }
        noteStored(published, now: now)
        sidecars?.note(work.id)
        publication.noteUncommitted(published)
        _ = end(work.id)
        return published.compactMap { event($0, now: now) }
    }
}
