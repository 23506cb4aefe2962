import Files
import Glibc
import HTTP
import SQLite

/// The rows of the `job` and `run` tables.
enum RunRows {
    /// Enters a job, takes up what unfinished runs left, and begins a run.
    ///
    /// - Returns: the run, and what to tell of it before it begins.
    /// - Throws: ``CatalogError`` when the output directory belongs to another job.
    static func begin(
        _ job: Job, in output: OutputDirectory, selection: Selection, runnerVersion: String, on catalog: Connection,
        now: Int64
    ) throws -> (run: Int64, warning: String?) {
        let directory = job.trust.secrets.hide(job.output.directory)
        // Before the transaction: files are read.
        let change = try DirectoryChange(job, output, on: catalog)
        return try catalog.transaction {
            let owner: String? = try catalog.value(
                "SELECT name FROM job WHERE directory = ? AND name <> ?", directory, job.name)
            if let owner {
                throw CatalogError(
                    "the output directory \(directory) belongs to the job '\(owner)'; "
                        + "give '\(job.name)' one of its own")
            }
            try catalog.run(
                """
                INSERT INTO job (name, file, directory, created_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET file = excluded.file, directory = excluded.directory
                """, job.name, job.trust.secrets.hide(job.file), directory, now)
            try change?.apply(on: catalog)
            // Whoever held the job's lock before is gone.
            try catalog.run(
                "UPDATE run SET outcome = 'interrupted' WHERE job = ? AND outcome = 'running'", job.name)
            try catalog.run(
                """
                INSERT INTO run (job, started_at, selection, runner_version, libcurl_version, host, pid)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """, job.name, now, selection.text, runnerVersion, curlVersionText, hostName(), Int64(getpid()))
            return (catalog.lastInsertedRowID, change?.warning)
        }
    }

    static func finish(
        _ run: Int64, _ outcome: RunOutcome, detail: String?, on catalog: Connection, now: Int64
    ) throws {
        try catalog.run(
            "UPDATE run SET outcome = ?, detail = ?, finished_at = ? WHERE id = ?", outcome.rawValue, detail, now, run)
    }

    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension Selection {
    /// `run.selection`: a JSON object of what was asked for; nil for the whole list without more ado.
    var text: String? {
        var members: [String] = []
        if isFailedOnly { members.append("\"failed\":true") }
        if isRefreshing { members.append("\"refresh\":true") }
        if !only.isEmpty { members.append("\"only\":[\(only.map { jsonText($0) }.joined(separator: ","))]") }
        if let limit { members.append("\"limit\":\(limit)") }
        return members.isEmpty ? nil : "{\(members.joined(separator: ","))}"
    }
}

extension RunLedger {
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
            return known > 0 ? "the list is empty; the \(known) items listed before stay as they are" : nil
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
    func takeUpLeftovers(on catalog: Connection) throws {
        guard let journal else { return }
        // What the journal forgets then is in the catalog.
        if context.job.transfer.durability == .batch { try catalog.setSynchronous(.full) }
        leftovers = try Leftovers.takeUp(journal, in: context.output, job: context.job.name, on: catalog)
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
        try Leftovers.apply(
            try Leftovers.find(intents, in: context.output, job: context.job.name, on: catalog), in: context.output,
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
