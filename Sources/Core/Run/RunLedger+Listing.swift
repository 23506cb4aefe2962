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
        list.notePage(after: selected.highest, at: clock)
        do {
            try transaction(on: catalog) { try list(page, on: catalog, now: now, clock: clock, &outcome) }
        } catch {
            renaming.removeNewNames()
            throw error
        }
        renaming.removeOldNames()
        publication.committed()
        try sidecars?.write(on: catalog)
        outcome.add(committed())
        return outcome
    }

    private func list(
        _ page: Page, on catalog: Connection, now: Int64, clock: Monotonic, _ outcome: inout ListingOutcome
    ) throws {
        // Rows may have changed since the last page.
        known.forget()
        for collection in page.collections {
            if let event = try list(collection, on: catalog, now: now) { outcome.events.append(event) }
        }
        if page.isPartial { list.notePartial() }
        if let memory = page.memory, planned == nil {
            let secrets = context.job.trust.secrets
            try SourceMemory.write(
                secrets.mask(memory), as: secrets.mask(SourceMemory.listKey(of: context.job.name)),
                of: context.job.source.type, on: catalog, now: now)
        }
        list.noteIncomplete(page.incomplete)
        for item in page.items {
            guard !isEnough else { break }
            try list(item, mayRepeat: page.mayRepeat, on: catalog, now: now, clock: clock, &outcome)
        }
        outcome.isEnough = isEnough
        try writeFigures(on: catalog)
        try renaming.flush()
    }

    private var isEnough: Bool {
        if let limit = context.selection.limit, selected.count >= limit { return true }
        return listEnd.isReached
    }

    private func list(_ collection: ListedCollection, on catalog: Connection, now: Int64) throws -> RunEvent? {
        guard list[collection.key] == nil else { return nil }
        let title = collection.title
        let subtitle = collection.subtitle.map(context.job.trust.secrets.hide)
        let position = list.count + 1
        let job = context.job.name
        let former = isNew ? nil : try CollectionRows.names(ofKey: collection.key, inJob: job, on: catalog)
        let id = try CollectionRows.enter(
            collection, subtitle: subtitle, position: position, inJob: job, on: catalog)
        list.add(
            ListedCollections.Collection(
                id: id, key: collection.key, title: title, section: collection.section, expected: collection.expected,
                former: former))
        sums.begin(
            CollectionProgress(
                id: id, key: collection.key, title: title, subtitle: subtitle, section: collection.section,
                expected: collection.expected))
        guard context.interest.includesItems else { return nil }
        return .collection(
            CollectionListed(
                run: context.run, job: context.job.name, at: now, key: collection.key, title: title,
                subtitle: subtitle, section: collection.section, position: position, expected: collection.expected))
    }

    private func list(
        _ item: ListedItem, mayRepeat: Bool, on catalog: Connection, now: Int64, clock: Monotonic,
        _ outcome: inout ListingOutcome
    ) throws {
        guard let collection = list[item.collection] else {
            outcome.warnings.append(
                "item '\(item.key)' names the collection '\(item.collection)', which was not listed")
            return
        }
        let position = collection.takePosition()
        list.countItem()
        let key = Secrets.withoutUserinfo(item.key)
        guard
            try isWanted(
                key, item.url, item.title, path: try ItemRows.path(ofKey: key, inJob: context.job.name, on: catalog))
        else { return }

        let invalid = item.invalid ?? ExpectedContent.complaint(about: item)
        let url = invalid == nil ? Result { try item.webURL ?? WebURL(item.url, reusingOriginOf: lastURL) } : nil
        lastURL = try? url?.get()
        let listing = ItemListing(item, url: try? url?.get(), position: position, collection: collection, context)
        var row: ItemRow
        // For a list that is new to the catalog the insertion itself tells which keys are not.
        if isNew, let inserted = try insert(listing, key: key, on: catalog) {
            row = inserted
        } else if let found = try known.find(key: key, on: catalog) {
            guard !selected.contains(found.id) else {
                if !mayRepeat { outcome.warnings.append("the key '\(key)' is listed twice; the second is skipped") }
                return
            }
            row = found
            let isNamedAnew = renaming.isNamedAnew(row, listing, collection)
            try update(&row, to: listing, on: catalog)
            if let renamed = try renaming.rename(row, to: listing.stem, isNamedAnew: isNamedAnew, on: catalog) {
                row = renamed
                known.forget()
            }
        } else if let inserted = try insert(listing, key: key, on: catalog) {
            row = inserted
            // Others may have made way for its path.
            known.forget()
        } else {
            return
        }
        guard row.state != .removed else { return }
        select(row.id)
        traceListed(row)
        try sums.countListed(collection: row.collectionID, on: catalog)
        try listEnd.note(row, on: catalog)

        switch url {
        case .success(let url)?:
            urls.remember(url, of: row)
            try decide(
                &row, url, listing.expectedContent, item.collection, on: catalog, now: now, clock: clock, &outcome)
        case .failure(let error)?:
            let record = try self.invalid(row, String(describing: error), on: catalog, now: now)
            outcome.add(try settle(row, record, item.collection, on: catalog, now: now))
        case nil:
            let record = try self.invalid(row, invalid ?? "", on: catalog, now: now)
            outcome.add(try settle(row, record, item.collection, on: catalog, now: now))
        }
    }

    /// Takes up items that the catalog knows as unsettled, for `--failed`: nothing is listed.
    ///
    /// - Returns: nil when there are no more after the last call's.
    ///
    /// - Parameter isShard: whether it takes the items of a shard instead.
    func listUnsettled(
        after last: inout Int64, isShard: Bool = false, on catalog: Connection, now: Int64
    ) throws -> ListingOutcome? {
        let rows =
            isShard
            ? try ItemRows.unasked(inRun: context.run, after: last, on: catalog)
            : try ItemRows.unsettled(inJob: context.job.name, after: last, on: catalog)
        guard let end = rows.last?.row.id else { return nil }
        last = end
        var outcome = ListingOutcome()
        let clock = Monotonic.now()
        try transaction(on: catalog) {
            for (var row, collection) in rows {
                guard !isEnough else { break }
                guard isWanted(row.key, row.url, row.title, path: row.path),
                    context.selection.takes(failure: row.failure)
                else { continue }
                list.countItem()
                select(row.id)
                traceListed(row)
                try sums.countListed(collection: row.collectionID, on: catalog)
                guard !row.stem.isEmpty else {
                    let reason = "its element of the list can't be fetched; a run that reads the list says why"
                    outcome.add(try settle(row, invalid(reason), collection, on: catalog, now: now))
                    continue
                }
                do {
                    let url = try urls.url(of: row)
                    try decide(
                        &row, url, row.expectedContent(context.job.trust.secrets), collection, on: catalog, now: now,
                        clock: clock, &outcome)
                } catch let error as WebURLError {
                    outcome.add(try settle(row, invalid(String(describing: error)), collection, on: catalog, now: now))
                }
            }
            outcome.isEnough = isEnough
            try writeFigures(on: catalog)
        }
        try sidecars?.write(on: catalog)
        outcome.add(committed())
        return outcome
    }

    /// The details of parked items, from their rows. One that can't be fetched any more is settled here.
    func load(_ ids: [Int64], on catalog: Connection, now: Int64) throws -> (work: [ItemWork], events: [RunEvent]) {
        var work: [ItemWork] = []
        var invalid: [(row: ItemRow, record: TransferRecord, collection: String)] = []
        for id in ids where open.contains(id) {
            guard let (row, collection) = try ItemRows.findWithCollection(id, on: catalog) else {
                // Its row was deleted under the run; there is nothing to write to.
                _ = end(id)
                continue
            }
            do {
                let expectedContent = row.expectedContent(context.job.trust.secrets)
                work.append(
                    makeWork(
                        row, try urls.url(of: row), expectedContent, collection, row.storedFile(in: context.output),
                        clock: list.time(ofItem: id)))
            } catch {
                _ = end(id)
                invalid.append((row, self.invalid(String(describing: error)), collection))
            }
        }
        var events: [RunEvent] = []
        guard !invalid.isEmpty else { return (work, events) }
        try transaction(on: catalog) {
            for (row, record, collection) in invalid {
                events += [try settle(row, record, collection, on: catalog, now: now)].compactMap { $0 }
            }
            try writeFigures(on: catalog)
        }
        return (work, events)
    }

    /// Whether `--only` selects an item: by a pattern over its key, or as its key, URL, title or path.
    private func isWanted(
        _ key: String, _ url: String, _ title: String, path: @autoclosure () throws -> String?
    ) rethrows -> Bool {
        let patterns = context.selection.only
        if patterns.isEmpty { return true }
        func isCalled(_ names: [String]) -> Bool {
            patterns.contains { pattern in names.contains { ItemLookup.isCalled($0, pattern) } }
        }
        if patterns.contains(where: { fnmatch($0, key, 0) == 0 }) || isCalled([key, url, title]) { return true }
        guard let path = try path() else { return false }
        return isCalled([path])
    }

    /// Whether an item is fetched, and how; or its outcome where nothing needs to be asked.
    private func decide(
        _ row: inout ItemRow, _ url: WebURL, _ expectedContent: ExpectedContent, _ collection: String,
        on catalog: Connection, now: Int64, clock: Monotonic, _ outcome: inout ListingOutcome
    ) throws {
        let selection = context.selection
        let stored = row.storedFile(in: context.output)
        // One that was to be renamed claims nothing by now.
        if stored == nil, row.path != nil || row.state == .stored { try noteLost(&row, on: catalog) }
        if let adoption, planned == nil {
            outcome.add(
                stored == nil
                    ? try adopt(row, expectedContent, collection, from: adoption, on: catalog, now: now)
                    : try settle(row, TransferRecord(outcome: .fresh), collection, on: catalog, now: now))
            return
        }
        if !selection.isRefreshing {
            if row.state == .evicted, !selection.isFailedOnly {
                outcome.add(try settle(row, TransferRecord(outcome: .evicted), collection, on: catalog, now: now))
                return
            }
            if let stored, expectedContent.agrees(with: stored), isFresh(stored, row, url, expectedContent, now) {
                outcome.add(try settle(row, TransferRecord(outcome: .fresh), collection, on: catalog, now: now))
                return
            }
            if let time = row.askedAgainAt, time > now, time <= now + Self.longestPause, !selection.isFailedOnly {
                let record = try knownFailure(row, before: time, on: catalog)
                outcome.add(try settle(row, record, collection, on: catalog, now: now))
                return
            }
        }
        let work = makeWork(row, url, expectedContent, collection, stored, clock: clock)
        let leader = try sharedURLs.leader(of: work, on: catalog, isOpen: open.contains, askedURL: askedURL)
        if let planned {
            return planned(row, leader == nil ? (work.isConditional ? .ask : .fetch) : .duplicate)
        }
        begin(row.id)
        guard let leader else {
            outcome.work.append(work)
            sums.want(work)
            return
        }
        if open.contains(leader) {
            sharedURLs.follow(leader, work)
        } else {
            outcome.events += try settle(follower: work, ofSettled: leader, on: catalog, now: now)
        }
    }

    /// Somebody deleted or changed the file of an item. What was deleted is claimed no more; what was changed gives way to
    /// the next download.
    private func noteLost(_ row: inout ItemRow, on catalog: Connection) throws {
        let (state, path) = (row.state, row.path)
        if state == .stored { row.state = row.failure == nil ? .pending : .failed }
        if let path = try path.map({ try RelativePath(validating: $0) }), context.output.information(path) == nil {
            row.path = nil
        }
        if row.state != state || row.path != path {
            try ItemRows.setPlace(of: row.id, row.state, path: row.path, on: catalog)
        }
    }

    /// - Parameter stored: the file that the item has.
    func makeWork(
        _ row: ItemRow, _ url: WebURL, _ expectedContent: ExpectedContent, _ collection: String, _ stored: StoredFile?,
        clock: Monotonic
    ) -> ItemWork {
        let isConditional = stored.map { self.isConditional($0, row, url, expectedContent) } ?? false
        return ItemWork(
            context: context, id: row.id, collectionID: row.collectionID, collection: collection, key: row.key,
            title: row.title,
            url: url, shownURL: row.url, stem: row.stem, expectedContent: expectedContent, stored: stored,
            claimedPath: row.path,
            isConditional: isConditional, precedence: precedence(of: row, isStored: stored != nil), listedAt: clock)
    }

    /// Whether a request would ask for what is stored.
    private func isConditional(
        _ stored: StoredFile, _ row: ItemRow, _ url: WebURL, _ expectedContent: ExpectedContent
    ) -> Bool {
        context.job.refresh == .changed && !context.selection.isRefreshing && urls.isSame(row)
            && expectedContent.agrees(with: stored) && isSameVariant(row, url, expectedContent)
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
    private func isSameVariant(_ row: ItemRow, _ url: WebURL, _ expectedContent: ExpectedContent) -> Bool {
        guard let variant = row.variant else { return true }
        return RequestVariant(like: variant, url, expectedContent, context.job)?.text == variant
    }

    private func isFresh(
        _ file: StoredFile, _ row: ItemRow, _ url: WebURL, _ expectedContent: ExpectedContent, _ now: Int64
    ) -> Bool {
        switch context.job.refresh {
        case .always: return false
        case .never: return urls.isSame(row)
        case .changed:
            if expectedContent.sha256 == file.sha256 { return true }
            return file.freshness.isFresh(now) && isConditional(file, row, url, expectedContent)
        }
    }

    /// The URL of an item as it is asked for; nil for one that can't be asked.
    func askedURL(_ shown: String, _ item: Int64) -> WebURL? { try? urls.url(shown, of: item) }
}
