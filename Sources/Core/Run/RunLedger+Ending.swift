import Catalog
import Files
import Jobs
import Model
import SQLite
import Storage
import System
import Transfer

extension RunLedger {
    /// Whether the job's last run was cut short, so that it matters which items come first.
    func isAfterCut(on catalog: Connection) throws -> Bool {
        try RunRows.wasCut(before: context.run, job: context.job.name, on: catalog)
    }

    /// Notes that the list was read as far as it has to be, so that the next may end early; not that of a run that took only
    /// some of its items into the catalog.
    ///
    /// - Parameter isComplete: whether it was read to its end.
    func noteListEnd(isComplete: Bool, on catalog: Connection) throws {
        let selection = context.selection
        guard isComplete || listEnd.isReached, list.areComplete, selection.only.isEmpty, !selection.isSourceChanged
        else { return }
        try catalog.transaction {
            try listEnd.noteEnd(on: catalog)
            if isComplete, list.isPartial, selection.isWhole { try listEnd.leaveUnlisted(on: catalog) }
        }
    }

    /// After a complete list of everything: items that are no longer listed are gone, but for those of collections that
    /// were not listed to their ends. Their files stay. What was evicted stays so, lest it be fetched when it is listed
    /// again.
    ///
    /// - Returns: a warning when the list was empty and nothing was therefore marked.
    func markGone(on catalog: Connection) throws -> String? {
        // Whatever a job has that the catalog did not know was listed by this run.
        guard !isNew else { return nil }
        if list.items == 0 {
            let known = try ItemRows.countListed(inJob: context.job.name, on: catalog)
            let items =
                known == 1 ? "item listed before stays as it is" : "\(known) items listed before stay as they are"
            return known > 0 ? "the list is empty; the \(items)" : nil
        }
        // The index alone has the ids: most were listed, and their rows are not read.
        var missing: [Int64] = []
        try ItemRows.forEachID(inJob: context.job.name, on: catalog) { id in
            if !selected.contains(id) { missing.append(id) }
        }
        try catalog.transaction {
            for id in missing {
                guard let collection = try ItemRows.collection(of: id, on: catalog), list.isComplete(collection) else {
                    continue
                }
                try ItemRows.markGone(id, on: catalog)
            }
        }
        return nil
    }

    /// What a list that `--set` changed does not have is not gone: it was not asked for.
    ///
    /// - Returns: a warning where the list lacks something.
    func unlistedWarning(on catalog: Connection) throws -> String? {
        let selection = context.selection
        guard selection.isSourceChanged, !selection.isFailedOnly, selection.only.isEmpty, selection.limit == nil,
            !isNew
        else { return nil }
        var count = 0
        try ItemRows.forEachID(inJob: context.job.name, onlyListed: true, on: catalog) { id in
            if !selected.contains(id) { count += 1 }
        }
        guard count > 0 else { return nil }
        let items = count == 1 ? "1 item stays" : "\(count) items stay"
        return "\(items) listed that this list does not have: --set changed the source for this run only"
    }

    /// After a complete list: how many items the collections have whose source did not know before it had listed them.
    func writeExpected(on catalog: Connection) throws {
        let counted = list.counted
        guard !counted.isEmpty else { return }
        try catalog.transaction {
            for collection in counted {
                try CollectionRows.setExpected(collection.count, of: collection.id, on: catalog)
            }
        }
    }
}
