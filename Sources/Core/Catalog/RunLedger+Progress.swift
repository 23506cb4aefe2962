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
        let changed = changedSums.sorted().compactMap { sums[$0] }
        changedSums.removeAll(keepingCapacity: true)
        defer { endedItems.removeAll(keepingCapacity: true) }
        return .progress(
            RunProgress(
                job: context.job.name, listed: selected.count, isListComplete: isListed, figures: figures,
                wanted: wanted, ended: ended, collections: changed, items: endedItems))
    }

    /// All sums, for a reader that has just come.
    func allProgress() -> RunEvent? {
        changedSums = Set(sums.keys)
        return committed()
    }

    /// Begins the sums of a collection, with none yet.
    func beginSums(_ collection: CollectionProgress) {
        sums[collection.id] = collection
        noteChange(collection.id)
    }

    private func noteChange(_ collection: Int64) {
        if context.interest.includesProgress { changedSums.insert(collection) }
    }

    /// Counts a selected item of a collection.
    ///
    /// A run that lists nothing, `--failed`, meets collections by their items: their titles are in the catalog.
    func countListed(collection id: Int64, on catalog: Connection) throws {
        if sums[id] == nil {
            sums[id] =
                try catalog.first("SELECT key, title, subtitle, section FROM collection WHERE id = ?", id) { row in
                    CollectionProgress(
                        id: id, key: try row[0], title: try row[1], subtitle: try row[2], section: try row[3])
                } ?? CollectionProgress(id: id, title: "")
        }
        sums[id]?.listed += 1
        noteChange(id)
    }

    /// Counts an item as failed that had ended well before.
    func countFailure(ofCollection id: Int64) {
        sums[id]?.failed += 1
        noteChange(id)
    }
}
