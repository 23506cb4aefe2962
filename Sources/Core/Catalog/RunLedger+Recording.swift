import Files
import Glibc
import HTTP
import SQLite

/// Writing what became of items.
extension RunLedger {
    /// Publishes and records a batch: files first, then one transaction with all rows and the sums.
    ///
    /// - Throws: what the catalog threw; nothing of the batch is in it then.
    func record(_ batch: [FinishedItem], on catalog: Connection, now: Int64) throws -> [RunEvent] {
        try requireCatalog(catalog)
        // An item that a person gave up after its transfer had ended has its row.
        let batch = batch.filter { item in
            if open.contains(item.work.id) { return true }
            try? item.body?.discard(in: context.output)
            return false
        }
        // What is named has its rows when this ends.
        defer { named.removeAll(keepingCapacity: true) }
        var items = try publish(batch, on: catalog)
        if !earlierBytes.isEmpty { addEarlierBytes(to: items) }
        // One pass gives followers what their leaders have; they may lead nobody themselves.
        for published in items { countWanted(published.item) }
        if !followers.isEmpty { items += try publish(items.flatMap { try follow($0) }, on: catalog) }
        let before = figures
        do {
            try catalog.transaction {
                try write(items, on: catalog, now: now)
                try writeFigures(on: catalog)
            }
        } catch {
            figures = before
            throw error
        }
        for published in items { _ = open.remove(published.item.work.id) }
        for published in items { removeSuperseded(published) }
        clearJournal()
        noteStored(items)
        noteKept(items, now: now)
        var events = items.compactMap { event($0, now: now) }
        events += evict(on: catalog, now: now)
        if let progress = committed() { events.append(progress) }
        return events
    }

    private func countWanted(_ item: FinishedItem) {
        switch item.record.outcome {
        case .failed, .cancelled: wanted.remove(item.work)
        case .downloaded, .unchanged, .fresh, .evicted: ended.add(item.work)
        }
    }

    private func write(_ items: [PublishedItem], on catalog: Connection, now: Int64) throws {
        try insertTransfers(of: items, on: catalog)
        for published in items { try update(published, on: catalog, now: now) }
        for published in items where published.isDoubtful {
            try forgetValidators(of: published.item.work.id, on: catalog)
        }
    }

    private static let transfersAtOnce = 16
    private static let insertOfOne = insertOfTransfers(1)
    private static let insertOfSeveral = insertOfTransfers(transfersAtOnce)

    private static func insertOfTransfers(_ count: Int) -> String {
        let row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        return """
            INSERT INTO transfer (run_id, item_id, outcome, attempts, status, failure, detail, started_at, queue_us,
                dns_us, connect_us, tls_us, wait_us, receive_us, total_us, store_us, elapsed_us, wire_bytes,
                body_bytes, http_version, connection_reused, address)
            VALUES \(Array(repeating: row, count: count).joined(separator: ", "))
            """
    }

    /// Writes the rows of the `transfer` table, several with a statement: it opens tables and indexes once for them.
    private func insertTransfers(of items: [PublishedItem], on catalog: Connection) throws {
        var start = 0
        while start < items.count {
            let isOne = items.count - start < Self.transfersAtOnce
            let end = start + (isOne ? 1 : Self.transfersAtOnce)
            try catalog.run(isOne ? Self.insertOfOne : Self.insertOfSeveral) { values in
                for published in items[start..<end] { add(published.item, to: &values) }
            }
            start = end
        }
    }

    private func add(_ item: FinishedItem, to values: inout Parameters) {
        let record = item.record
        let timings = record.timings
        values.add(context.run)
        values.add(item.work.id)
        values.add(record.outcome.rawValue)
        values.add(record.attempts)
        values.add(record.status)
        values.add(record.failure?.rawValue)
        values.add(record.detail)
        values.add(record.startedAt)
        values.add(timings?.queue)
        values.add(timings?.dns)
        values.add(timings?.connect)
        values.add(timings?.tls)
        values.add(timings?.wait)
        values.add(timings?.receive)
        values.add(timings?.total)
        values.add(timings?.store)
        values.add(timings?.elapsed)
        values.add(record.wireBytes)
        values.add(record.bodyBytes)
        values.add(record.httpVersion)
        values.add(record.isConnectionReused)
        values.add(record.address)
    }

    /// Brings an item's row, and the sums, up to what became of it.
    private func update(_ published: PublishedItem, on catalog: Connection, now: Int64) throws {
        let item = published.item
        let record = item.record
        let id = item.work.id
        count(record, of: id, collection: item.work.collectionID)
        if published.isShared { figures.savedBytes += published.file?.size ?? 0 }
        switch record.outcome {
        case .downloaded, .unchanged:
            guard let file = published.file else { break }
            let freshness = published.freshness ?? file.freshness
            if record.outcome == .downloaded {
                try catalog.run(
                    """
                    UPDATE item SET path = ?, extension = ?, media_type = ?, size = ?, sha256 = ?, stored_url = url,
                        etag = ?, last_modified = ?, expires_at = ?, variant = ?, stored_at = ?, state = 'stored',
                        failure = NULL, is_unsettled = 0, permanent_failures = 0, asked_again_at = NULL, stored_run = ?,
                        asked_run = ?, asked_in_vain = 0 WHERE id = ?
                    """
                ) { values in
                    values.add(file.path.text)
                    values.add(file.extension)
                    values.add(file.mediaType)
                    values.add(file.size)
                    values.add(file.sha256.hex)
                    values.add(freshness.etag)
                    values.add(freshness.lastModified)
                    values.add(freshness.expiresAt)
                    values.add(freshness.variant)
                    values.add(now)
                    values.add(context.run)
                    values.add(context.run)
                    values.add(id)
                }
            } else {
                try catalog.run(
                    """
                    UPDATE item SET path = ?, media_type = ?, size = ?, sha256 = ?, stored_url = url, etag = ?,
                        last_modified = ?, expires_at = ?, variant = ?, stored_at = coalesce(stored_at, ?),
                        state = 'stored', failure = NULL, is_unsettled = 0, permanent_failures = 0,
                        asked_again_at = NULL, asked_run = ?, asked_in_vain = 0 WHERE id = ?
                    """, file.path.text, file.mediaType, file.size, file.sha256.hex, freshness.etag,
                    freshness.lastModified, freshness.expiresAt, freshness.variant, now, context.run, id)
            }
            if let name = published.name {
                try catalog.run("UPDATE item SET stem = ?, path_hash = ? WHERE id = ?", name.stem, name.hash, id)
            }
        case .failed:
            try markFailed(
                id, record, isPermanent: item.isPermanent, asked: published.isAsked, on: catalog, now: now)
            if let file = published.unclaimed { try adopt(file.size, file.sha256, as: id, on: catalog) }
        case .cancelled:
            try catalog.run(
                """
                UPDATE item SET is_unsettled = 1, asked_in_vain = asked_in_vain + ?,
                    asked_run = coalesce(?, asked_run) WHERE id = ?
                """, published.isAsked, published.isAsked ? context.run : nil, id)
        case .fresh:
            try catalog.run("UPDATE item SET state = 'stored', failure = NULL, is_unsettled = 0 WHERE id = ?", id)
        case .evicted:
            // Settled as it was listed, not here.
            break
        }
    }

    /// Removes what an item had before it became another type, and so got another path.
    func removeSuperseded(_ published: PublishedItem) {
        guard let claimed = published.item.work.claimedPath, let new = published.file?.path, claimed != new.text,
            let old = try? RelativePath(validating: claimed), context.output.information(old)?.isRegular == true
        else { return }
        do { try context.output.remove(old) } catch { keepJournal() }
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
    private func follow(_ leader: PublishedItem) throws -> [PublishedItem] {
        let followers = followers.removeValue(forKey: leader.item.work.id) ?? []
        return followers.filter { open.contains($0.id) }.map { work in
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
            let type = try file.extension ?? fileExtension(of: file.path, work.url, file.mediaType)
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

    /// Has the next run ask in full for an item whose file is not what its row tells: what is fetched takes its place.
    private func forgetValidators(of item: Int64, on catalog: Connection) throws {
        try catalog.run(
            "UPDATE item SET etag = NULL, last_modified = NULL, expires_at = NULL, variant = NULL WHERE id = ?", item)
    }

    /// Ends an item whose leader ended before it was listed.
    func settle(
        follower work: ItemWork, ofSettled leader: Int64, on catalog: Connection, now: Int64
    ) throws -> [RunEvent] {
        let found = try catalog.first(
            """
            SELECT outcome, status, transfer.failure, detail, asked_again_at IS NOT NULL, path
            FROM transfer JOIN item ON item.id = transfer.item_id WHERE run_id = ? AND item_id = ?
            """, context.run, leader
        ) { row in
            var record = TransferRecord(
                outcome: TransferOutcome(rawValue: try row[0]) ?? .failed,
                failure: (try row[2] as String?).flatMap(FailureWord.init(rawValue:)), detail: try row[3])
            record.status = try row[1]
            return (record, try row[4] as Bool)
        }
        let row = try catalog.first("SELECT \(ItemRow.columns) FROM item WHERE id = ?", leader) { try ItemRow($0) }
        guard let (record, isPermanent) = found, let row else { return [] }
        let file = record.outcome == .failed || record.outcome == .cancelled ? nil : row.storedFile(in: context.output)
        var isDoubtful = false
        let followed = follow(work, record, isPermanent: isPermanent, file, file?.freshness) { isDoubtful = true }
        followed.isAsked = row.askedRun == context.run
        let published = try publish([followed], on: catalog)
        try write(published, on: catalog, now: now)
        named.removeAll(keepingCapacity: true)
        if isDoubtful { try forgetValidators(of: leader, on: catalog) }
        noteStored(published)
        noteKept(published, now: now)
        publishedInPage += published
        _ = open.remove(work.id)
        return published.compactMap { event($0, now: now) }
    }
}
