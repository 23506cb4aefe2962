import Files
import HTTP
import SQLite

/// An outcome that needs no request.
enum Settlement {
    case fresh
    /// The file has gone to keep within `output.max_bytes`.
    case evicted
    /// The list's entry can't be fetched.
    case invalid(String)
    /// A permanent failure whose time to be asked again has not come, microseconds since 1970 UTC; what else there is to
    /// say of it.
    case notAsked(before: Int64, String? = nil)
}

extension RunLedger {
    /// Ends an item at listing.
    func settle(
        _ row: ItemRow, _ settlement: Settlement, _ collection: String, on catalog: Connection, now: Int64
    ) throws -> RunEvent? {
        if let planned {
            planned(row, PlannedAction(settlement))
            return nil
        }
        let record: TransferRecord
        switch settlement {
        case .fresh:
            record = TransferRecord(outcome: .fresh)
            if row.isUnsettled || row.state != "stored" || row.failure != nil {
                try catalog.run(
                    "UPDATE item SET state = 'stored', failure = NULL, is_unsettled = 0 WHERE id = ?", row.id)
            }
        case .evicted:
            record = TransferRecord(outcome: .evicted)
            if row.isUnsettled { try catalog.run("UPDATE item SET is_unsettled = 0 WHERE id = ?", row.id) }
        case .invalid(let reason):
            let detail = context.job.trust.secrets.hide(reason)
            record = TransferRecord(outcome: .failed, failure: .invalid, detail: detail)
            try markFailed(row.id, record, isPermanent: true, asked: false, on: catalog, now: now)
        case .notAsked(let time, let more):
            record = try knownFailure(row, before: time, more, on: catalog)
        }
        try insert(record, item: row.id, on: catalog)
        count(record, of: row.id, collection: row.collectionID)
        guard context.interest.includesItems || record.outcome == .failed else { return nil }
        return .itemFinished(
            ItemFinished(
                run: context.run, job: context.job.name, at: now, item: row.id, key: row.key, collection: collection,
                title: row.title, url: row.url, path: row.path, mediaType: row.mediaType, size: row.size,
                transfer: record))
    }

    /// The record of a permanent failure that is not asked again yet.
    private func knownFailure(
        _ row: ItemRow, before time: Int64, _ more: String?, on catalog: Connection
    ) throws -> TransferRecord {
        let (since, status) =
            try catalog.first("SELECT failed_since, failed_status FROM item WHERE id = ?", row.id) { found in
                (try found[0] as Int64?, try found[1] as Int?)
            } ?? (nil, nil)
        let word = row.failure.flatMap(FailureWord.init(rawValue:)) ?? .http
        let known = KnownFailure(word, status: word == .http ? status : nil, since: since, next: time)
        let detail = known.detail(more.map(context.job.trust.secrets.hide))
        var record = TransferRecord(outcome: .failed, failure: word, detail: detail)
        record.status = word == .http ? status : nil
        record.known = known
        return record
    }

    /// What an entry of the list that can't be fetched comes to: a failure that is known since an earlier run, or a new one.
    func settlement(ofInvalid row: ItemRow, _ reason: String, now: Int64) -> Settlement {
        let selection = context.selection
        guard !selection.isRefreshing, !selection.isFailedOnly, row.failure == FailureWord.invalid.rawValue,
            let time = row.askedAgainAt, time > now
        else { return .invalid(reason) }
        return .notAsked(before: time, reason)
    }

    /// Sets what a failure leaves in the row: a stored file and its validators stay.
    ///
    /// A permanent one stands for 1, 7, then 30 days until it is asked again. One that a person has asked again meanwhile
    /// stands no longer for that.
    ///
    /// - Parameter asked: whether a request was sent.
    func markFailed(
        _ id: Int64, _ record: TransferRecord, isPermanent: Bool, asked: Bool, on catalog: Connection, now: Int64
    ) throws {
        let word = record.failure ?? .protocolError
        let askedRun = asked ? context.run : nil
        guard isPermanent else {
            try catalog.run(
                """
                UPDATE item SET state = CASE state WHEN 'stored' THEN state ELSE 'failed' END, failure = ?,
                    is_unsettled = 1, permanent_failures = 0, asked_again_at = NULL,
                    asked_in_vain = asked_in_vain + ?, asked_run = coalesce(?, asked_run) WHERE id = ?
                """, word.rawValue, asked, askedRun, id)
            return
        }
        let day: Int64 = 86_400_000_000
        try catalog.run(
            """
            UPDATE item SET state = CASE state WHEN 'stored' THEN state ELSE 'failed' END, failure = ?1,
                is_unsettled = 1, asked_in_vain = asked_in_vain + ?2, asked_run = coalesce(?3, asked_run),
                permanent_failures = permanent_failures + (coalesce(asked_again_at, 0) <= ?4),
                asked_again_at = CASE WHEN asked_again_at > ?4 THEN asked_again_at
                    ELSE ?4 + CASE permanent_failures WHEN 0 THEN 1 WHEN 1 THEN 7 ELSE 30 END * ?5 END,
                failed_since = CASE WHEN permanent_failures > 0 THEN coalesce(failed_since, ?4) ELSE ?4 END,
                failed_status = ?6
            WHERE id = ?7
            """, word.rawValue, asked, askedRun, now, day, record.status, id)
    }

    /// Microseconds. A time further off was set by a clock that was wrong.
    static let longestPause: Int64 = 30 * 86_400_000_000

    static let cancelledByEnd = "the run ended before its turn"
    static let cancelledByRequest = "cancelled on request"

    /// Ends items that never began.
    func cancel(
        _ ids: [Int64], _ detail: String = cancelledByEnd, on catalog: Connection, now: Int64
    ) throws -> [RunEvent] {
        var events: [RunEvent] = []
        let record = TransferRecord(outcome: .cancelled, failure: .cancelled, detail: detail)
        try transaction(on: catalog) {
            for id in ids where open.remove(id) {
                try insert(record, item: id, on: catalog)
                try catalog.run("UPDATE item SET is_unsettled = 1 WHERE id = ? AND is_unsettled = 0", id)
                if let event = try countCancelled(id, record, on: catalog, now: now) { events.append(event) }
                for follower in followers.removeValue(forKey: id) ?? [] {
                    events += try cancel(follower: follower, record, on: catalog, now: now)
                }
            }
            try writeFigures(on: catalog)
        }
        if let progress = committed() { events.append(progress) }
        checkCompletion()
        return events
    }

    private func cancel(
        follower: ItemWork, _ record: TransferRecord, on catalog: Connection, now: Int64
    ) throws -> [RunEvent] {
        guard open.remove(follower.id) else { return [] }
        try insert(record, item: follower.id, on: catalog)
        try catalog.run("UPDATE item SET is_unsettled = 1 WHERE id = ? AND is_unsettled = 0", follower.id)
        return try countCancelled(follower.id, record, on: catalog, now: now).map { [$0] } ?? []
    }

    /// Counts an item that never began; its end as an event, if anybody wants to know.
    private func countCancelled(
        _ id: Int64, _ record: TransferRecord, on catalog: Connection, now: Int64
    ) throws -> RunEvent? {
        let collection: Int64? = try catalog.value("SELECT collection_id FROM item WHERE id = ?", id)
        count(record, of: id, collection: collection ?? 0)
        guard context.interest.includesItems else { return nil }
        return try catalog.first(
            """
            SELECT item.key, item.title, item.url, item.path, item.media_type, item.size, collection.key
            FROM item JOIN collection ON collection.id = item.collection_id WHERE item.id = ?
            """, id
        ) { row in
            .itemFinished(
                ItemFinished(
                    run: context.run, job: context.job.name, at: now, item: id, key: try row[0], collection: try row[6],
                    title: try row[1], url: try row[2], path: try row[3], mediaType: try row[4], size: try row[5],
                    transfer: record))
        }
    }

    /// Writes a row of the `transfer` table for an item that was not asked for: a short one. Most rows are such in a run
    /// that finds everything fresh.
    func insert(_ record: TransferRecord, item: Int64, on catalog: Connection) throws {
        try catalog.run(
            """
            INSERT INTO transfer (run_id, item_id, outcome, attempts, status, failure, detail)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        ) { values in
            values.add(context.run)
            values.add(item)
            values.add(record.outcome.rawValue)
            values.add(record.attempts)
            values.add(record.status)
            values.add(record.failure?.rawValue)
            values.add(record.detail)
        }
    }

    /// Writes the sums so far, so that they equal the rows at every commit.
    func writeFigures(on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE run SET downloaded = ?, unchanged = ?, fresh = ?, failed = ?, cancelled = ?, wire_bytes = ?,
                body_bytes = ?, saved_bytes = ?, list_requests = ?, list_bytes = ?, evicted = ?, freed_files = ?,
                freed_bytes = ?, known_failed = ? WHERE id = ?
            """, figures.downloaded, figures.unchanged, figures.fresh, figures.failed, figures.cancelled,
            figures.wireBytes, figures.bodyBytes, figures.savedBytes, figures.listRequests, figures.listBytes,
            figures.evicted, figures.freedFiles, figures.freedBytes, figures.knownFailures, context.run)
    }
}
