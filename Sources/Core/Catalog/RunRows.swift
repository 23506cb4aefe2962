import Files
import Glibc
import HTTP
import SQLite

/// The rows of the `job` and `run` tables.
enum RunRows {
    /// What comes before anything else of a job: names that an earlier version has written otherwise are put right.
    ///
    /// - Throws: ``RefusedMove``.
    static func prepare(_ job: Job, _ selection: Selection, on catalog: Connection) throws {
        try PlainNames.restore(job, on: catalog)
        if let refusal = try RefusedMove.find(job, selection, on: catalog) { throw refusal }
    }

    /// Enters a job, takes up what unfinished runs left, and begins a run.
    ///
    /// - Returns: the run, and what to tell of it before it begins.
    static func begin(
        _ job: Job, _ change: DirectoryChange?, options: SessionOptions, on catalog: Connection, now: Int64
    ) throws -> (run: Int64, warning: String?) {
        let directory = job.output.directory
        return try catalog.transaction {
            try catalog.run(
                """
                INSERT INTO job (name, file, directory, created_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET file = excluded.file, directory = excluded.directory
                """, job.name, job.file, directory, now)
            try change?.apply(on: catalog)
            try forgetTimes(of: job.name, ifClockWasSetBackTo: now, on: catalog)
            let run = try insert(job, options, on: catalog, now: now)
            return (run, change?.warning)
        }
    }

    /// Where the last run is in the future, the clock has been set back, and until when something is fresh or is not asked
    /// again was counted from a wrong time.
    private static func forgetTimes(
        of job: String, ifClockWasSetBackTo now: Int64, on catalog: Connection
    ) throws {
        let last: Int64? = try catalog.value(
            "SELECT max(started_at, coalesce(finished_at, 0)) FROM run WHERE job = ? ORDER BY id DESC LIMIT 1", job)
        guard let last, last > now else { return }
        try catalog.run(
            """
            UPDATE item SET expires_at = NULL, asked_again_at = NULL
            WHERE job = ? AND (expires_at IS NOT NULL OR asked_again_at IS NOT NULL)
            """, job)
    }

    /// Enters a run that was stopped before it could begin; the job stays as it is.
    static func enterStopped(
        _ job: Job, _ outcome: RunOutcome, detail: String, options: SessionOptions, startedAt: Int64,
        on catalog: Connection, now: Int64
    ) throws -> Int64 {
        try catalog.transaction {
            let run = try insert(job, options, on: catalog, now: startedAt)
            try finish(run, outcome, detail: detail, on: catalog, now: now)
            return run
        }
    }

    private static func insert(
        _ job: Job, _ options: SessionOptions, on catalog: Connection, now: Int64
    ) throws -> Int64 {
        // Whoever held the job's lock before is gone.
        try catalog.run("UPDATE run SET outcome = 'interrupted' WHERE job = ? AND outcome = 'running'", job.name)
        try catalog.run(
            """
            INSERT INTO run (job, started_at, selection, overrides, refresh, http_version, concurrency,
                runner_version, libcurl_version, host, pid)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, job.name, now, options.selection.text(hiding: job.trust.secrets.hide),
            overridesText(options.overrides, of: job), job.refresh.rawValue, job.transfer.httpVersion.rawValue,
            options.concurrency ?? job.transfer.concurrency, options.runnerVersion, curlVersionText, hostName(),
            Int64(getpid()))
        return catalog.lastInsertedRowID
    }

    /// `run.overrides`: a JSON array of the `--set` that the run was given; nil without any. A secret that was typed as it
    /// is becomes `${NAME}`; what was typed as `${NAME}` is that already.
    private static func overridesText(_ overrides: [String], of job: Job) -> String? {
        guard !overrides.isEmpty else { return nil }
        return "[\(overrides.map { jsonText(job.trust.secrets.hide($0)) }.joined(separator: ","))]"
    }

    static func finish(
        _ run: Int64, _ outcome: RunOutcome, detail: String?, on catalog: Connection, now: Int64
    ) throws {
        try catalog.run(
            "UPDATE run SET outcome = ?, detail = ?, finished_at = ? WHERE id = ?", outcome.rawValue, detail, now, run)
    }
}

extension Selection {
    /// `run.selection` of a run that took all of a list that `--set` changed.
    package static let textOfChangedSource = "{\"source\":true}"

    /// `run.selection`: a JSON object of what was asked for; nil for the whole list without more ado.
    ///
    /// - Parameter hide: takes secrets from what was typed.
    func text(hiding hide: (String) -> String = { $0 }) -> String? {
        var members: [String] = []
        if isFailedOnly { members.append("\"failed\":true") }
        if isRefreshing { members.append("\"refresh\":true") }
        if !only.isEmpty { members.append("\"only\":[\(only.map { jsonText(hide($0)) }.joined(separator: ","))]") }
        if let limit { members.append("\"limit\":\(limit)") }
        if isSourceChanged { members.append("\"source\":true") }
        return members.isEmpty ? nil : "{\(members.joined(separator: ","))}"
    }
}

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
