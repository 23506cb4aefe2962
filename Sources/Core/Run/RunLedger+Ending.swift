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
        try catalog.value(
            """
            SELECT outcome = 'interrupted' OR cancelled > 0 FROM run WHERE job = ? AND id < ? ORDER BY id DESC LIMIT 1
            """, context.job.name, context.run) ?? false
    }

    /// After a complete list of everything: items that are no longer listed are gone, but for those of collections that
    /// were not listed to their ends. Their files stay. What was evicted stays so, lest it be fetched when it is listed
    /// again.
    ///
    /// - Returns: a warning when the list was empty and nothing was therefore marked.
    func markGone(on catalog: Connection) throws -> String? {
        // Whatever a job has that the catalog did not know was listed by this run.
        guard !isNew else { return nil }
        if listed == 0 {
            let known: Int64 =
                try catalog.value(
                    "SELECT count(*) FROM item WHERE job = ? AND state NOT IN ('gone', 'removed')", context.job.name)
                ?? 0
            let items =
                known == 1 ? "item listed before stays as it is" : "\(known) items listed before stay as they are"
            return known > 0 ? "the list is empty; the \(items)" : nil
        }
        // The index alone has the ids: most were listed, and their rows are not read.
        var missing: [Int64] = []
        try catalog.forEach("SELECT id FROM item WHERE job = ?", context.job.name) { row in
            let id: Int64 = try row[0]
            if !selected.contains(id) { missing.append(id) }
        }
        try catalog.transaction {
            for id in missing {
                let collection: Int64? = try catalog.value("SELECT collection_id FROM item WHERE id = ?", id)
                guard let collection, !incomplete.contains(collection) else { continue }
                try catalog.run(
                    "UPDATE item SET state = 'gone' WHERE id = ? AND state NOT IN ('gone', 'removed', 'evicted')", id)
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
        try catalog.forEach(
            "SELECT id FROM item WHERE job = ? AND state NOT IN ('gone', 'removed')", context.job.name
        ) { row in
            if !selected.contains(try row[0]) { count += 1 }
        }
        guard count > 0 else { return nil }
        let items = count == 1 ? "1 item stays" : "\(count) items stay"
        return "\(items) listed that this list does not have: --set changed the source for this run only"
    }

    /// After a complete list: how many items the collections have whose source did not know before it had listed them.
    func writeExpected(on catalog: Connection) throws {
        let counted = collections.values.filter { $0.expected == nil && !incomplete.contains($0.id) }
        guard !counted.isEmpty else { return }
        try catalog.transaction {
            for collection in counted {
                try catalog.run(
                    "UPDATE collection SET expected = ?1 WHERE id = ?2 AND expected IS NOT ?1", collection.count,
                    collection.id)
            }
        }
    }

    /// What a run that ended between naming files and writing rows left: rows are brought up to files that were replaced,
    /// files that no row claims are remembered as this job's own, and those that rows no longer claim are removed.
    func recover(on catalog: Connection) throws {
        guard let journal else { return }
        // What the journal forgets then is in the catalog.
        if context.job.transfer.durability == .batch { try catalog.setSynchronous(.full) }
        leftovers = try CrashRecovery.recover(journal, in: context.output, job: context.job.name, on: catalog)
            .filter { context.output.information($0.key)?.isRegular == true }
        // They stay in the journal: this run may be killed, too, before it comes to them.
        try journal.replace(with: leftovers.values.flatMap(\.self))
    }

    /// After a complete list of everything: removes what an unfinished run left under names that no item has taken up, as
    /// those of items that are named otherwise by now or listed no more.
    func removeLeftovers(on catalog: Connection) throws {
        guard let journal, !leftovers.isEmpty else { return }
        let intents = leftovers.mapValues { intents in
            intents.map { PublishJournal.Intent(path: $0.path, size: $0.size, digest: $0.digest, isRetirement: true) }
        }
        try CrashRecovery.apply(
            try CrashRecovery.find(intents, in: context.output, job: context.job.name, on: catalog), in: context.output,
            on: catalog)
        leftovers = [:]
        try journal.replace(with: [])
    }

    /// Brings a row up to its file, which is the newer one and whole. Nothing tells how fresh it is.
    func adopt(_ size: Int64, _ digest: SHA256Digest, as item: Int64, on catalog: Connection) throws {
        try catalog.run(
            "UPDATE item SET size = ?, sha256 = ?, etag = NULL, last_modified = NULL, expires_at = NULL WHERE id = ?",
            size, digest.hex, item)
    }
}
