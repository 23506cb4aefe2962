import Jobs
import Model
import SQLite
import System
import Transfer

/// Telling how far the run is, to a reader that wants to know.
extension RunLedger {
    /// The sums so far; nil where nobody wants them. What is told as changed counts as told.
    func progress() -> RunEvent? {
        guard context.interest.includesProgress else { return nil }
        let changed = changedSums.sorted().compactMap { sums[$0] }
        changedSums.removeAll(keepingCapacity: true)
        return .progress(
            RunProgress(
                job: context.job.name, listed: selected.count, isListComplete: isListed, figures: figures,
                wanted: wanted, ended: ended, collections: changed))
    }

    /// Begins the sums of a collection, with none yet.
    func beginSums(ofCollection id: Int64, title: String, expected: Int?) {
        guard context.interest.includesProgress else { return }
        sums[id] = CollectionProgress(id: id, title: title, expected: expected)
        changedSums.insert(id)
    }

    /// Counts a selected item of a collection.
    ///
    /// A run that lists nothing, `--failed`, meets collections by their items: their titles are in the catalog.
    func countListed(collection id: Int64, on catalog: Connection) throws {
        guard context.interest.includesProgress else { return }
        if sums[id] == nil {
            let title = try catalog.value("SELECT title FROM collection WHERE id = ?", id, as: String.self)
            sums[id] = CollectionProgress(id: id, title: title ?? "")
        }
        sums[id]?.listed += 1
        changedSums.insert(id)
    }

    /// Counts an item as failed that had ended well before.
    func countFailure(ofCollection id: Int64) {
        sums[id]?.failed += 1
        changedSums.insert(id)
    }
}
