import Catalog
import Jobs
import Model
import SQLite
import System
import Transfer

/// The sums of a run while it goes on: its own, those of its collections, and what a reader has not been given yet.
///
/// Confined to the catalog's queue, like the ledger.
final class RunSums {
    private let context: RunContext
    private(set) var figures = RunFigures()
    /// Counted items that were not asked for and have no row yet.
    private var unasked: [(item: Int64, record: TransferRecord)] = []
    /// By the row of the collection, and for a reader that wants them the rows whose sums have changed since its last event.
    private var collections = CollectionSums()
    private var changed: Set<Int64> = []
    /// Items that have ended since the last event; kept while somebody watches.
    private var endedItems: [EndedItem] = []
    /// Items that have their files, until they are handed to `onStored`.
    private var storedItems: [Int64] = []
    /// Takes the items that have their files once their rows are committed; nil where nobody makes pictures of them.
    var onStored: (@Sendable ([Int64]) -> Void)?
    /// What the items bring that are fetched, and those of them that have ended.
    private var wanted = WantedBytes()
    private var ended = WantedBytes()
    /// Items that failed in earlier runs and were not asked again.
    private var knownFailures = IDSet()
    /// Coded bytes that items had received before a person had them tried again, by item.
    private var earlierBytes: [Int64: Int64] = [:]
    /// The first fault of the disk: items failed of it.
    private(set) var diskFault: String?

    init(_ context: RunContext) {
        self.context = context
    }

    // MARK: Counting

    /// Counts how an item of a collection ended.
    func count(_ record: TransferRecord, of item: Int64, collection: Int64) {
        collections.of(collection)?.progress.count(record.outcome)
        noteChange(collection)
        if context.interest.isWatched { endedItems.append(EndedItem(id: item, outcome: record.outcome)) }
        if onStored != nil, record.outcome.hasFile { storedItems.append(item) }
        switch record.outcome {
        case .downloaded: figures.downloaded += 1
        case .unchanged: figures.unchanged += 1
        case .fresh: figures.fresh += 1
        case .evicted: figures.evicted += 1
        case .failed:
            figures.failed += 1
            if record.known != nil {
                figures.knownFailures += 1
                _ = knownFailures.insert(item)
            }
        case .cancelled: figures.cancelled += 1
        }
        if record.failure == .disk, diskFault == nil { diskFault = record.detail }
        figures.wireBytes += record.wireBytes ?? 0
        figures.bodyBytes += record.bodyBytes ?? 0
    }

    /// Counts an item of a collection that ended without being asked for, whose row is written by ``write(on:)`` at the
    /// latest: several at once take a third fewer instructions, 6 % of what a fresh item took in all.
    func countUnasked(
        _ record: TransferRecord, of item: Int64, collection: Int64, on catalog: Connection
    ) throws {
        count(record, of: item, collection: collection)
        unasked.append((item, record))
        if unasked.count == TransferRows.rowsAtOnce { try writeUnasked(on: catalog) }
    }

    /// Writes the rows of counted items that were not asked for.
    func writeUnasked(on catalog: Connection) throws {
        try TransferRows.insertUnasked(unasked, run: context.run, on: catalog)
        unasked.removeAll(keepingCapacity: true)
    }

    /// Writes the figures so far, so that they equal the rows at every commit.
    func write(on catalog: Connection) throws {
        try writeUnasked(on: catalog)
        try RunRows.setFigures(figures, of: context.run, on: catalog)
    }

    /// Takes an item that had a good outcome for a failed one; false when it had none.
    func uncount(_ outcome: TransferOutcome, collection: Int64?) -> Bool {
        switch outcome {
        case .downloaded: figures.downloaded -= 1
        case .unchanged: figures.unchanged -= 1
        case .fresh: figures.fresh -= 1
        case .evicted, .failed, .cancelled: return false
        }
        figures.failed += 1
        if let collection {
            collections.of(collection)?.progress.failed += 1
            noteChange(collection)
        }
        return true
    }

    /// Counts an item no more that failed or was cancelled: it is open again.
    func reopen(_ ended: TransferRows.Unsuccessful) {
        if ended.outcome == .failed {
            figures.failed -= 1
            if knownFailures.remove(ended.item) { figures.knownFailures -= 1 }
        } else {
            figures.cancelled -= 1
        }
        figures.wireBytes -= ended.wireBytes
        if ended.wireBytes > 0 { earlierBytes[ended.item] = ended.wireBytes }
        collections.of(ended.collection)?.progress.count(ended.outcome, -1)
        noteChange(ended.collection)
    }

    /// Adds to what items have received now what they had before.
    func addEarlierBytes(to items: [PublishedItem]) {
        guard !earlierBytes.isEmpty else { return }
        for published in items {
            guard let bytes = earlierBytes.removeValue(forKey: published.item.work.id) else { continue }
            published.item.record.wireBytes = (published.item.record.wireBytes ?? 0) + bytes
        }
    }

    func countSaved(_ bytes: Int64) {
        figures.savedBytes += bytes
    }

    /// Counts files that went to keep within `output.max_bytes`; less than none for those that stayed after all.
    func countFreed(files: Int, bytes: Int64) {
        figures.freedFiles += files
        figures.freedBytes += bytes
    }

    func countListRequest() {
        figures.listRequests += 1
    }

    func countListBytes(_ bytes: Int64) {
        figures.listBytes += bytes
    }

    /// Sets the figures back to what they were before a transaction that failed.
    func restore(_ figures: RunFigures) {
        self.figures = figures
        unasked = []
    }

    // MARK: Bytes

    /// Counts an item that is fetched.
    func want(_ work: ItemWork) {
        wanted.add(work.expectedSize)
    }

    /// Counts the end of an item that was fetched.
    func countWanted(_ item: FinishedItem) {
        switch item.record.outcome {
        case .failed, .cancelled: wanted.remove(item.work.expectedSize)
        case .downloaded, .unchanged, .fresh, .evicted: ended.add(item.work.expectedSize)
        }
    }

    // MARK: Collections

    /// Begins the sums of a collection, with none yet.
    func begin(_ collection: CollectionProgress) {
        collections.add(collection)
        noteChange(collection.id)
    }

    /// Counts a selected item of a collection.
    ///
    /// A run that lists nothing, `--failed`, meets collections by their items: their titles are in the catalog.
    func countListed(collection id: Int64, on catalog: Connection) throws {
        if collections.of(id) == nil { collections.add(try CollectionRows.progress(of: id, on: catalog)) }
        collections.of(id)?.progress.listed += 1
        noteChange(id)
    }

    /// The row of a collection that this run has met.
    func collection(ofKey key: String) -> Int64? {
        collections.id(ofKey: key)
    }

    private func noteChange(_ collection: Int64) {
        if context.interest.includesProgress { changed.insert(collection) }
    }

    // MARK: Reading

    /// To be called once rows are committed: items that have files go to whoever makes pictures of them.
    ///
    /// - Returns: the sums so far, and what has changed since the last call; nil where nobody wants them.
    func committed(listed: Int, isListComplete: Bool) -> RunEvent? {
        if !storedItems.isEmpty {
            onStored?(storedItems)
            storedItems = []
        }
        guard context.interest.includesProgress else {
            // Nobody watches any more.
            changed = []
            endedItems = []
            return nil
        }
        let sums = changed.sorted().compactMap { collections.of($0)?.progress }
        changed.removeAll(keepingCapacity: true)
        defer { endedItems.removeAll(keepingCapacity: true) }
        return .progress(
            RunProgress(
                job: context.job.name, listed: listed, isListComplete: isListComplete, figures: figures,
                wanted: wanted, ended: ended, collections: sums, items: endedItems))
    }

    /// Has the next ``committed(listed:isListComplete:)`` give the sums of every collection.
    func noteAll() {
        changed = Set(collections.ids)
    }
}

/// The sums of a run's collections, by their rows' ids.
///
/// Objects, and the last one kept at hand: most items are of the collection of the item before, and are counted whether or
/// not anybody watches.
private struct CollectionSums {
    final class Entry {
        var progress: CollectionProgress

        init(_ progress: CollectionProgress) {
            self.progress = progress
        }
    }

    private var entries: [Int64: Entry] = [:]
    private var last: (id: Int64, entry: Entry)?

    var ids: some Sequence<Int64> { entries.keys }

    /// Those of a collection; nil for one that has none yet.
    mutating func of(_ id: Int64) -> Entry? {
        if let last, last.id == id { return last.entry }
        guard let entry = entries[id] else { return nil }
        last = (id, entry)
        return entry
    }

    mutating func add(_ progress: CollectionProgress) {
        let entry = Entry(progress)
        entries[progress.id] = entry
        last = (progress.id, entry)
    }

    func id(ofKey key: String) -> Int64? {
        entries.first { $0.value.progress.key == key }?.key
    }
}
