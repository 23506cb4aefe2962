import Catalog
import Files
import HTTP
import Model
import SQLite
import System
import Transfer

/// What a person asks of a run that is under way.
extension RunLedger {
    /// The row of a collection of this run; nil for a key that it does not have.
    func collectionID(_ key: String) -> Int64? {
        list[key]?.id ?? sums.collection(ofKey: key)
    }

    /// Items of these collections that have not ended.
    func openItems(of collections: Set<Int64>, on catalog: Connection) throws -> Set<Int64> {
        var items: Set<Int64> = []
        for collection in collections {
            try ItemRows.forEachID(inCollection: collection, on: catalog) { id in
                if open.contains(id) { items.insert(id) }
            }
        }
        return items
    }

    /// Ends what was listed of collections that a user cancelled.
    func dropCancelled(from outcome: inout ListingOutcome, on catalog: Connection, now: Int64) throws {
        guard !list.cancelled.isEmpty else { return }
        let dropped = outcome.work.filter { list.cancelled.contains($0.collectionID) }
        guard !dropped.isEmpty else { return }
        outcome.work.removeAll { list.cancelled.contains($0.collectionID) }
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
            for ended in try TransferRows.unsuccessful(ids, inRun: context.run, on: catalog) {
                try TransferRows.delete(ended.item, run: context.run, on: catalog)
                sums.reopen(ended)
                sharedURLs.reopen(ended.item)
                begin(ended.item)
                reopened.append(ended.item)
            }
            try writeFigures(on: catalog)
        }
        let (work, events) = try load(reopened, on: catalog, now: now)
        let leaders = try sharedURLs.grouped(
            work, on: catalog, isOpen: open.contains, askedURL: askedURL)
        for work in leaders { sums.want(work) }
        return (leaders, reopened.count, events + [committed()].compactMap { $0 })
    }

    /// Takes from items that a person gives up the other places of their URLs.
    ///
    /// - Returns: what is to be fetched now.
    func takeSuccessors(of ids: Set<Int64>) -> [ItemWork] {
        sharedURLs.takeSuccessors(of: ids, isOpen: open.contains)
    }
}
