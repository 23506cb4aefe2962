import Catalog
import Files
import Glibc
import HTTP
import Jobs
import Model
import SQLite
import SourceKit
import System
import Transfer

/// What a page of a list comes to.
struct ListingOutcome: Sendable {
    /// Items to be fetched, in list order.
    var work: [ItemWork] = []
    var events: [RunEvent] = []
    var warnings: [String] = []
    /// Whether `--limit` is reached, so that the rest of the list does not matter.
    var isEnough = false

    mutating func add(_ event: RunEvent?) {
        if let event { events.append(event) }
    }
}

extension RunLedger {
    /// Takes a page of the list into the catalog and decides what becomes of each item. One transaction.
    ///
    /// - Parameter now: wall clock.
    func list(_ page: Page, on catalog: Connection, now: Int64) throws -> ListingOutcome {
        var outcome = ListingOutcome(warnings: page.warnings)
        let clock = Monotonic.now()
        pageTimes.append((selected.highest, clock))
        do {
            try transaction(on: catalog) { try list(page, on: catalog, now: now, clock: clock, &outcome) }
        } catch {
            removeNewNames()
            throw error
        }
        removeOldNames()
        removeSupersededInPage()
        outcome.add(progress())
        return outcome
    }

    /// Ends what items of a page did that took the files of others: their rows are committed.
    private func removeSupersededInPage() {
        guard !publishedInPage.isEmpty else { return }
        for published in publishedInPage { removeSuperseded(published) }
        publishedInPage = []
        clearJournal()
    }

    private func list(
        _ page: Page, on catalog: Connection, now: Int64, clock: Monotonic, _ outcome: inout ListingOutcome
    ) throws {
        for collection in page.collections {
            if let event = try list(collection, on: catalog, now: now) { outcome.events.append(event) }
        }
        if page.isPartial { isPartial = true }
        if let memory = page.memory, planned == nil {
            let secrets = context.job.trust.secrets
            try SourceMemory.write(
                secrets.mask(memory), as: secrets.mask(SourceMemory.listKey(of: context.job.name)),
                of: context.job.source.type, on: catalog, now: now)
        }
        incomplete.formUnion(page.incomplete.compactMap { collections[$0]?.id })
        for item in page.items {
            guard !isEnough else { break }
            try list(item, on: catalog, now: now, clock: clock, &outcome)
        }
        outcome.isEnough = isEnough
        try writeFigures(on: catalog)
        try flushRenamed()
    }

    private var isEnough: Bool {
        if let limit = context.selection.limit, selected.count >= limit { return true }
        guard let known = context.job.stopsAfterKnown, !context.selection.listsEverything else { return false }
        return knownInSequence >= known
    }

    private func list(_ collection: ListedCollection, on catalog: Connection, now: Int64) throws -> RunEvent? {
        guard collections[collection.key] == nil else { return nil }
        let title = collection.title
        let subtitle = collection.subtitle.map(context.job.trust.secrets.hide)
        let position = collections.count + 1
        let former =
            isNew
            ? nil
            : try catalog.first(
                "SELECT title, section FROM collection WHERE job = ? AND key = ?", context.job.name, collection.key
            ) { row in (title: try row[0] as String, section: try row[1] as String?) }
        // An existing row keeps its id: items hang on it.
        try catalog.run(
            """
            INSERT INTO collection (job, key, title, subtitle, section, latitude, longitude, position, expected)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (job, key) DO UPDATE SET title = excluded.title, subtitle = excluded.subtitle,
                section = excluded.section, latitude = excluded.latitude, longitude = excluded.longitude,
                position = excluded.position, expected = coalesce(excluded.expected, expected)
            """,
            context.job.name, collection.key, title, subtitle, collection.section, collection.latitude,
            collection.longitude, position, collection.expected)
        let id: Int64 =
            try catalog.value(
                "SELECT id FROM collection WHERE job = ? AND key = ?", context.job.name, collection.key) ?? 0
        collections[collection.key] = ListedCollectionRow(
            id: id, key: collection.key, title: title, section: collection.section, expected: collection.expected,
            former: former)
        beginSums(ofCollection: id, title: title, expected: collection.expected)
        guard context.interest.includesItems else { return nil }
        return .collection(
            CollectionListed(
                run: context.run, job: context.job.name, at: now, key: collection.key, title: title,
                subtitle: subtitle, section: collection.section, position: position, expected: collection.expected))
    }

    private func list(
        _ item: ListedItem, on catalog: Connection, now: Int64, clock: Monotonic, _ outcome: inout ListingOutcome
    ) throws {
        if lastCollection?.key != item.collection { lastCollection = collections[item.collection] }
        guard let collection = lastCollection else {
            outcome.warnings.append(
                "item '\(item.key)' names the collection '\(item.collection)', which was not listed")
            return
        }
        let position = collection.takePosition()
        listed += 1
        let key = Secrets.withoutUserinfo(item.key)
        guard try isWanted(key, item.url, item.title, path: try knownPath(key, on: catalog)) else { return }

        let invalid = item.invalid ?? Promise.complaint(about: item)
        let url = invalid == nil ? Result { try item.webURL ?? WebURL(item.url, near: lastURL) } : nil
        lastURL = try? url?.get()
        let listing = Listing(item, url: try? url?.get(), position: position, collection: collection, context)
        let row: ItemRow
        // For a list that is new to the catalog the insertion itself tells which keys are not.
        if isNew, let inserted = try insert(listing, key: key, on: catalog) {
            row = inserted
        } else if let known = try knownRow(key, on: catalog) {
            guard !selected.contains(known.id) else {
                outcome.warnings.append("the key '\(key)' is listed twice; the second is passed over")
                return
            }
            let isNamedAnew = isNamedAnew(known, listing, collection)
            row = try rename(
                try update(known, to: listing, on: catalog), to: listing.stem, isNamedAnew: isNamedAnew, on: catalog)
        } else if let inserted = try insert(listing, key: key, on: catalog) {
            row = inserted
        } else {
            return
        }
        guard row.state != "removed" else { return }
        _ = selected.insert(row.id)
        try countListed(collection: row.collectionID, on: catalog)
        knownInSequence = row.state == "stored" ? knownInSequence + 1 : 0

        switch url {
        case .success(let url)?:
            keep(url, of: row)
            try decide(row, url, listing.promise, item.collection, on: catalog, now: now, clock: clock, &outcome)
        case .failure(let error)?:
            let reason = settlement(ofInvalid: row, String(describing: error), now: now)
            outcome.add(try settle(row, reason, item.collection, on: catalog, now: now))
        case nil:
            let reason = settlement(ofInvalid: row, invalid ?? "", now: now)
            outcome.add(try settle(row, reason, item.collection, on: catalog, now: now))
        }
    }

    /// Takes up items that the catalog knows as unsettled, for `--failed`: nothing is listed.
    ///
    /// - Returns: nil when there are no more after the last call's.
    func listUnsettled(after last: inout Int64, on catalog: Connection, now: Int64) throws -> ListingOutcome? {
        let rows = try catalog.rows(
            """
            SELECT \(ItemRow.columns), (SELECT key FROM collection WHERE id = collection_id)
            FROM item WHERE job = ? AND id > ? AND is_unsettled = 1 AND state NOT IN ('gone', 'removed')
            ORDER BY id LIMIT 1000
            """, context.job.name, last
        ) { row in (try ItemRow(row), try row[ItemRow.columnCount] as String) }
        guard let end = rows.last?.0.id else { return nil }
        last = end
        var outcome = ListingOutcome()
        let clock = Monotonic.now()
        try transaction(on: catalog) {
            for (row, collection) in rows {
                guard !isEnough else { break }
                guard isWanted(row.key, row.url, row.title, path: row.path),
                    context.selection.takes(failure: row.failure)
                else { continue }
                listed += 1
                _ = selected.insert(row.id)
                try countListed(collection: row.collectionID, on: catalog)
                guard !row.stem.isEmpty else {
                    let reason = "its element of the list can't be fetched; a run that reads the list says why"
                    outcome.add(try settle(row, .invalid(reason), collection, on: catalog, now: now))
                    continue
                }
                do {
                    let url = try url(of: row)
                    try decide(
                        row, url, row.promise(context.job.trust.secrets), collection, on: catalog, now: now,
                        clock: clock, &outcome)
                } catch let error as WebURLError {
                    let reason = Settlement.invalid(String(describing: error))
                    outcome.add(try settle(row, reason, collection, on: catalog, now: now))
                }
            }
            outcome.isEnough = isEnough
            try writeFigures(on: catalog)
        }
        outcome.add(progress())
        return outcome
    }

    /// The details of parked items, from their rows. One that can't be fetched any more is settled here.
    func load(_ ids: [Int64], on catalog: Connection, now: Int64) throws -> (work: [ItemWork], events: [RunEvent]) {
        var work: [ItemWork] = []
        var events: [RunEvent] = []
        for id in ids where open.contains(id) {
            let found = try catalog.first(
                """
                SELECT \(ItemRow.columns), (SELECT key FROM collection WHERE id = collection_id) FROM item WHERE id = ?
                """, id
            ) { row in (try ItemRow(row), try row[ItemRow.columnCount] as String) }
            guard let (row, collection) = found else {
                // Its row was deleted under the run; there is nothing to write to.
                _ = open.remove(id)
                continue
            }
            do {
                let promise = row.promise(context.job.trust.secrets)
                work.append(makeWork(row, try url(of: row), promise, collection, clock: listingTime(of: id)))
            } catch {
                _ = open.remove(id)
                let reason = Settlement.invalid(String(describing: error))
                events += [try settle(row, reason, collection, on: catalog, now: now)].compactMap { $0 }
            }
        }
        return (work, events)
    }

    /// Whether `--only` selects an item: by a pattern over its key, or as its URL, title or path.
    private func isWanted(
        _ key: String, _ url: String, _ title: String, path: @autoclosure () throws -> String?
    ) rethrows -> Bool {
        let patterns = context.selection.only
        if patterns.isEmpty || patterns.contains(where: { fnmatch($0, key, 0) == 0 || $0 == url || $0 == title }) {
            return true
        }
        guard let path = try path() else { return false }
        return patterns.contains(path)
    }

    /// Where an item of that key has its file by the catalog.
    private func knownPath(_ key: String, on catalog: Connection) throws -> String? {
        try catalog.value(
            "SELECT path FROM item WHERE job = ? AND key = ? AND path IS NOT NULL", context.job.name, key)
    }

    /// Whether an item is fetched, and how; or its outcome where nothing needs to be asked.
    private func decide(
        _ row: ItemRow, _ url: WebURL, _ promise: Promise, _ collection: String, on catalog: Connection, now: Int64,
        clock: Monotonic, _ outcome: inout ListingOutcome
    ) throws {
        let selection = context.selection
        var row = row
        var work = makeWork(row, url, promise, collection, clock: clock)
        if work.stored == nil, row.path != nil {
            row = try noteLost(row, on: catalog)
            work = makeWork(row, url, promise, collection, clock: clock)
        }
        if selection.isAdopting, planned == nil {
            outcome.add(
                work.stored == nil
                    ? try adopt(row, promise, collection, on: catalog, now: now)
                    : try settle(row, .fresh, collection, on: catalog, now: now))
            return
        }
        if !selection.isRefreshing {
            if row.state == "evicted", !selection.isFailedOnly {
                outcome.add(try settle(row, .evicted, collection, on: catalog, now: now))
                return
            }
            if let stored = work.stored, promise.agrees(with: stored), isFresh(stored, work, row, promise, now) {
                outcome.add(try settle(row, .fresh, collection, on: catalog, now: now))
                return
            }
            if let time = row.askedAgainAt, time > now, time <= now + Self.longestPause, !selection.isFailedOnly {
                outcome.add(try settle(row, .notAsked(before: time), collection, on: catalog, now: now))
                return
            }
        }
        let leader = try leader(of: work, on: catalog)
        if let planned {
            return planned(row, leader == nil ? (work.isConditional ? .ask : .fetch) : .duplicate)
        }
        _ = open.insert(row.id)
        guard let leader else {
            outcome.work.append(work)
            if context.interest.includesProgress { wanted.add(work.expectedSize) }
            return
        }
        if open.contains(leader) {
            followers[leader, default: []].append(work)
        } else {
            outcome.events += try settle(follower: work, ofSettled: leader, on: catalog, now: now)
        }
    }

    /// Somebody deleted or changed the file of an item. What was deleted is claimed no more; what was changed gives way to
    /// the next download.
    private func noteLost(_ row: ItemRow, on catalog: Connection) throws -> ItemRow {
        var new = row
        if row.state == "stored" { new.state = row.failure == nil ? "pending" : "failed" }
        if let path = try row.path.map({ try RelativePath(validating: $0) }), context.output.information(path) == nil {
            new.path = nil
        }
        if new.state != row.state || new.path != row.path {
            try catalog.run("UPDATE item SET state = ?, path = ? WHERE id = ?", new.state, new.path, row.id)
        }
        return new
    }

    private func makeWork(
        _ row: ItemRow, _ url: WebURL, _ promise: Promise, _ collection: String, clock: Monotonic
    ) -> ItemWork {
        let stored = row.storedFile(in: context.output)
        let isConditional =
            context.job.refresh == .changed && !context.selection.isRefreshing && isSameURL(row)
            && stored.map(promise.agrees) == true && isSameVariant(row, url, promise)
        return ItemWork(
            context: context, id: row.id, collectionID: row.collectionID, collection: collection, key: row.key,
            title: row.title,
            url: url, shownURL: row.url, stem: row.stem, promise: promise, stored: stored, claimedPath: row.path,
            isConditional: isConditional, precedence: precedence(of: row, isStored: stored != nil), listedAt: clock)
    }

    /// So many runs in which an item failed let it go before what is stored. Then it waits for its turn with these, or many
    /// that fail on and on would take all the time of runs that are cut short.
    private static let runsAhead = 3

    /// When the item's turn comes.
    private func precedence(of row: ItemRow, isStored: Bool) -> Precedence {
        let rank: Precedence.Rank
        if row.askedInVain >= Self.runsAhead {
            rank = .stored
        } else if row.failure == nil || row.askedRun == 0 {
            // Without a request its failure was another's, such as its host's.
            rank = isStored ? .stored : .missing
        } else {
            rank = isStored ? .failedRefresh : .failed
        }
        return Precedence(rank, askedRun: row.askedRun)
    }

    /// Whether a request now would ask for the variant that is stored.
    private func isSameVariant(_ row: ItemRow, _ url: WebURL, _ promise: Promise) -> Bool {
        guard let variant = row.variant else { return true }
        return RequestVariant(like: variant, url, promise, context.job)?.text == variant
    }

    private func isFresh(_ file: StoredFile, _ work: ItemWork, _ row: ItemRow, _ promise: Promise, _ now: Int64) -> Bool
    {
        switch context.job.refresh {
        case .always: return false
        case .never: return isSameURL(row)
        case .changed:
            if promise.sha256 == file.sha256 { return true }
            return work.isConditional && file.freshness.isFresh(now)
        }
    }

    private func hash(of work: ItemWork) -> Int {
        var hasher = Hasher()
        hasher.combine(work.url.text)
        hasher.combine(work.promise)
        return hasher.finalize()
    }

    /// Takes from items that a person gives up the other places of their URLs: one of them is fetched for the others, in its
    /// own name.
    ///
    /// - Returns: what is to be fetched now.
    func takeSuccessors(of ids: Set<Int64>) -> [ItemWork] {
        givenUp.formUnion(ids)
        return ids.compactMap { id in
            let others = (followers.removeValue(forKey: id) ?? []).filter {
                !ids.contains($0.id) && open.contains($0.id)
            }
            guard let successor = others.first else { return nil }
            urls.insert(successor.id, hash: hash(of: successor))
            if others.count > 1 { followers[successor.id] = Array(others.dropFirst()) }
            return successor
        }
    }

    /// The items that are fetched in the name of these.
    func leaders(of ids: Set<Int64>) -> Set<Int64> {
        Set(followers.filter { $0.value.contains { ids.contains($0.id) } }.keys)
    }

    /// An item of this run with the same URL, which is fetched for both.
    private func leader(of work: ItemWork, on catalog: Connection) throws -> Int64? {
        let hash = hash(of: work)
        var isReplaced = false
        let candidates = (newLeaders[hash].map { [$0] } ?? []) + urls.candidates(hash)
        for candidate in candidates where !givenUp.contains(candidate) {
            let found = try catalog.first("SELECT url, state = 'evicted' FROM item WHERE id = ?", candidate) { row in
                (url: try row[0] as String, isEvicted: try row[1] as Bool)
            }
            guard let found, (try? url(found.url, of: candidate)) == work.url else { continue }
            if !found.isEvicted || open.contains(candidate) { return candidate }
            // One whose file went meanwhile has nothing to give.
            isReplaced = true
            break
        }
        if isReplaced {
            newLeaders[hash] = work.id
            return nil
        }
        urls.insert(work.id, hash: hash)
        return nil
    }
}
