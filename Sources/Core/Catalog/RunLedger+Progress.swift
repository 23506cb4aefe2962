import SQLite

/// Telling how far the run is, to a reader that wants to know.
extension RunLedger {
    /// To be called once rows are committed: items that have files go to whoever makes pictures of them.
    ///
    /// - Returns: the sums so far; nil where nobody wants them. What is told as changed counts as told.
    func committed() -> RunEvent? {
        if !storedItems.isEmpty {
            onStored?(storedItems)
            storedItems = []
        }
        guard context.interest.includesProgress else {
            // Nobody watches any more.
            changedSums = []
            endedItems = []
            return nil
        }
        let changed = changedSums.sorted().compactMap { sums.of($0)?.progress }
        changedSums.removeAll(keepingCapacity: true)
        defer { endedItems.removeAll(keepingCapacity: true) }
        return .progress(
            RunProgress(
                job: context.job.name, listed: selected.count, isListComplete: isListed, figures: figures,
                wanted: wanted, ended: ended, collections: changed, items: endedItems))
    }

    /// All sums, for a reader that has just come.
    func allProgress() -> RunEvent? {
        changedSums = Set(sums.ids)
        return committed()
    }

    /// Begins the sums of a collection, with none yet.
    func beginSums(_ collection: CollectionProgress) {
        sums.add(collection)
        noteChange(collection.id)
    }

    private func noteChange(_ collection: Int64) {
        if context.interest.includesProgress { changedSums.insert(collection) }
    }

    /// Counts a selected item of a collection.
    ///
    /// A run that lists nothing, `--failed`, meets collections by their items: their titles are in the catalog.
    func countListed(collection id: Int64, on catalog: Connection) throws {
        if sums.of(id) == nil {
            let found = try catalog.first(
                "SELECT key, title, subtitle, section FROM collection WHERE id = ?", id
            ) { row in
                CollectionProgress(
                    id: id, key: try row[0], title: try row[1], subtitle: try row[2], section: try row[3])
            }
            sums.add(found ?? CollectionProgress(id: id, title: ""))
        }
        sums.of(id)?.progress.listed += 1
        noteChange(id)
    }

    /// Counts an item as failed that had ended well before.
    func countFailure(ofCollection id: Int64) {
        sums.of(id)?.progress.failed += 1
        noteChange(id)
    }
}

/// The sums of a run's collections, by their rows' ids.
///
/// Objects, and the last one kept at hand: most items are of the collection of the item before, and are counted whether or
/// not anybody watches.
struct CollectionSums {
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
