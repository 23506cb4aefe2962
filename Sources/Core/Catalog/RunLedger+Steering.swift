import Files
import HTTP
import SQLite

/// What a person asks of a run that is under way.
extension RunLedger {
    /// The row of a collection of this run; nil for a key that it does not have.
    func collectionID(_ key: String) -> Int64? {
        collections[key]?.id ?? sums.id(ofKey: key)
    }

    /// Items of these collections that have not ended.
    func openItems(of collections: Set<Int64>, on catalog: Connection) throws -> Set<Int64> {
        var items: Set<Int64> = []
        for collection in collections {
            try catalog.forEach("SELECT id FROM item WHERE collection_id = ?", collection) { row in
                let id: Int64 = try row[0]
                if open.contains(id) { items.insert(id) }
            }
        }
        return items
    }

    /// Ends what was listed of collections that a person gave up.
    func dropCancelled(from outcome: inout ListingOutcome, on catalog: Connection, now: Int64) throws {
        guard !cancelledCollections.isEmpty else { return }
        let dropped = outcome.work.filter { cancelledCollections.contains($0.collectionID) }
        guard !dropped.isEmpty else { return }
        outcome.work.removeAll { cancelledCollections.contains($0.collectionID) }
        // Other places of their URLs, in other collections, are fetched all the same.
        outcome.work += takeSuccessors(of: Set(dropped.map(\.id)))
        outcome.events += try cancel(dropped.map(\.id), Self.cancelledByRequest, on: catalog, now: now)
    }

    // MARK: Once more

    /// Opens items again that failed in this run, or were cancelled.
    ///
    /// - Parameter ids: which; nil for all that failed.
    /// - Returns: what is to be fetched, and how many items are open again.
    func reopen(
        _ ids: Set<Int64>?, on catalog: Connection, now: Int64
    ) throws -> (work: [ItemWork], items: Int, events: [RunEvent]) {
        var reopened: [Int64] = []
        try transaction(on: catalog) {
            let ended = try endedInVain(ids, on: catalog)
            for item in ended {
                try catalog.run("DELETE FROM transfer WHERE run_id = ? AND item_id = ?", context.run, item.id)
                if item.outcome == .failed {
                    figures.failed -= 1
                    if knownFailures.remove(item.id) { figures.knownFailures -= 1 }
                } else {
                    figures.cancelled -= 1
                }
                figures.wireBytes -= item.wireBytes
                if item.wireBytes > 0 { earlierBytes[item.id] = item.wireBytes }
                sums.of(item.collection)?.progress.count(item.outcome, -1)
                if context.interest.includesProgress { changedSums.insert(item.collection) }
                givenUp.remove(item.id)
                _ = open.insert(item.id)
                reopened.append(item.id)
            }
            try writeFigures(on: catalog)
        }
        let (work, events) = try load(reopened, on: catalog, now: now)
        let leaders = try grouped(work, on: catalog)
        for work in leaders { wanted.add(work) }
        return (leaders, reopened.count, events + [committed()].compactMap { $0 })
    }

    private struct EndedInVain {
        let id: Int64
        let collection: Int64
        let outcome: TransferOutcome
        let wireBytes: Int64

        init(_ row: borrowing Row) throws {
            id = try row[0]
            collection = try row[1]
            outcome = TransferOutcome(rawValue: try row[2]) ?? .failed
            wireBytes = try row[3]
        }
    }

    /// What failed, or was cancelled where it is asked for by its id, and has a URL.
    private func endedInVain(_ ids: Set<Int64>?, on catalog: Connection) throws -> [EndedInVain] {
        let query = """
            SELECT item_id, collection_id, outcome, coalesce(wire_bytes, 0) FROM transfer
            JOIN item ON item.id = item_id
            WHERE run_id = ?1 AND outcome IN ('failed', 'cancelled') AND state NOT IN ('gone', 'removed') AND stem <> ''
            """
        guard let ids else {
            return try catalog.rows(query + " AND outcome = 'failed' ORDER BY item_id", context.run) { row in
                try EndedInVain(row)
            }
        }
        return try ids.sorted().compactMap { id in
            try catalog.first(query + " AND item_id = ?2", context.run, id) { row in try EndedInVain(row) }
        }
    }

    /// Of items with the same URL one is fetched for the others: one that is under way, else the one that led them before,
    /// if it is there.
    private func grouped(_ work: [ItemWork], on catalog: Connection) throws -> [ItemWork] {
        let following = Set(followers.values.lazy.joined().map(\.id))
        var leaders: [ItemWork] = []
        for group in Dictionary(grouping: work, by: { hash(of: $0) }).values {
            let members = Set(group.map(\.id))
            let candidates = urls.candidates(hash(of: group[0])).filter {
                open.contains($0) && !givenUp.contains($0) && !following.contains($0)
            }
            let underWay = try candidates.first { id in
                guard !members.contains(id) else { return false }
                let shown: String? = try catalog.value("SELECT url FROM item WHERE id = ?", id)
                return try shown.map { try url($0, of: id) == group[0].url } ?? false
            }
            if let underWay {
                followers[underWay, default: []] += group
                continue
            }
            let leader = group.first { candidates.contains($0.id) } ?? group[0]
            leaders.append(leader)
            let others = group.filter { $0.id != leader.id }
            if !others.isEmpty { followers[leader.id, default: []] += others }
        }
        return leaders.sorted { $0.id < $1.id }
    }

    /// Adds to what items have received now what they had before.
    func addEarlierBytes(to items: [PublishedItem]) {
        for published in items {
            guard let bytes = earlierBytes.removeValue(forKey: published.item.work.id) else { continue }
            published.item.record.wireBytes = (published.item.record.wireBytes ?? 0) + bytes
        }
    }
}
