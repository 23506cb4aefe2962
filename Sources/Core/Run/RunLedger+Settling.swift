import Catalog
import Files
import HTTP
import Jobs
import Model
import SQLite
import System
import Transfer

extension RunLedger {
    /// Ends an item at listing, with an outcome that needs no request.
    func settle(
        _ row: ItemRow, _ record: TransferRecord, _ collection: String, on catalog: Connection, now: Int64
    ) throws -> RunEvent? {
        if let planned {
            planned(row, PlannedAction(record))
            return nil
        }
        sidecars?.note(row.id)
        switch record.outcome {
        case .fresh:
            if row.isUnsettled || row.state != .stored || row.failure != nil {
                try ItemRows.markFresh(row.id, on: catalog)
            }
        case .evicted:
            if row.isUnsettled { try ItemRows.setSettled(row.id, on: catalog) }
        default:
            // What is known of an earlier run is in the row already.
            if record.known == nil {
                try markFailed(row.id, record, isPermanent: true, asked: false, on: catalog, now: now)
            }
        }
        try sums.countUnasked(record, of: row.id, collection: row.collectionID, on: catalog)
        traceRecorded(row.id, record)
        guard context.interest.includesItems || record.outcome == .failed else { return nil }
        return .itemFinished(
            ItemFinished(
                run: context.run, job: context.job.name, at: now, item: row.id, key: row.key, collection: collection,
                title: row.title, url: row.url, path: row.path, mediaType: row.mediaType, size: row.size,
                transfer: record))
    }

    /// The record of a permanent failure that is not due to be asked again.
    ///
    /// - Parameters:
    ///   - time: when it is, microseconds since 1970 UTC.
    ///   - more: what else there is to say of it.
    func knownFailure(
        _ row: ItemRow, before time: Int64, _ more: String? = nil, on catalog: Connection
    ) throws -> TransferRecord {
        let (since, status) = try ItemRows.permanentFailure(of: row.id, on: catalog)
        let word = row.failure ?? .http
        let known = KnownFailure(word, status: word == .http ? status : nil, since: since, next: time)
        let detail = known.detail(more.map(context.job.trust.secrets.hide))
        var record = TransferRecord(outcome: .failed, failure: word, detail: detail)
        record.status = word == .http ? status : nil
        record.known = known
        return record
    }

    /// The record of a list's entry that can't be fetched.
    func invalid(_ reason: String) -> TransferRecord {
        TransferRecord(outcome: .failed, failure: .invalid, detail: context.job.trust.secrets.hide(reason))
    }

    /// The record of a list's entry that can't be fetched: a failure that is known since an earlier run, or a new one.
    func invalid(_ row: ItemRow, _ reason: String, on catalog: Connection, now: Int64) throws -> TransferRecord {
        let selection = context.selection
        guard !selection.isRefreshing, !selection.isFailedOnly, row.failure == .invalid,
            let time = row.askedAgainAt, time > now
        else { return invalid(reason) }
        return try knownFailure(row, before: time, reason, on: catalog)
    }

    /// Sets what a failure leaves in the row: a stored file and its validators stay.
    ///
    /// A permanent one is retried after 1, 7, then every 30 days. One that a user has retried meanwhile
    /// is not put off by that.
    ///
    /// - Parameter asked: whether a request was sent.
    func markFailed(
        _ id: Int64, _ record: TransferRecord, isPermanent: Bool, asked: Bool, on catalog: Connection, now: Int64
    ) throws {
        let word = record.failure ?? .protocolError
        let askedRun = asked ? context.run : nil
        if isPermanent {
            try ItemRows.markFailedPermanently(
                id, word, status: record.status, askedRun: askedRun, on: catalog, now: now)
        } else {
            try ItemRows.markFailed(id, word, askedRun: askedRun, on: catalog)
        }
    }

    /// Microseconds. A time further off was set by a clock that was wrong.
    static let longestPause: Int64 = 30 * 86_400_000_000

    static let cancelledByEnd = "the run ended before its turn"
    static let cancelledByRequest = TransferCoordinator.cancelledByRequest

    /// Ends items that never began.
    func cancel(
        _ ids: [Int64], _ detail: String = cancelledByEnd, on catalog: Connection, now: Int64
    ) throws -> [RunEvent] {
        var events: [RunEvent] = []
        let record = TransferRecord(outcome: .cancelled, failure: .cancelled, detail: detail)
        try transaction(on: catalog) {
            for id in ids {
                guard try cancel(id, record, on: catalog, now: now, &events) else { continue }
                for follower in sharedURLs.takeFollowers(of: id) {
                    _ = try cancel(follower.id, record, on: catalog, now: now, &events)
                }
            }
            try writeFigures(on: catalog)
        }
        if let progress = committed() { events.append(progress) }
        checkCompletion()
        return events
    }

    /// Ends an item that never began; false for one that has ended. Its end is an event, if anybody wants to know.
    private func cancel(
        _ id: Int64, _ record: TransferRecord, on catalog: Connection, now: Int64, _ events: inout [RunEvent]
    ) throws -> Bool {
        guard end(id) else { return false }
        try TransferRows.insertUnasked([(id, record)], run: context.run, on: catalog)
        try ItemRows.setUnsettled(id, on: catalog)
        traceRecorded(id, record)
        sums.count(record, of: id, collection: try ItemRows.collection(of: id, on: catalog) ?? 0)
        guard context.interest.includesItems else { return true }
        let finished = try TransferRows.finished(
            id, record, run: context.run, job: context.job.name, on: catalog, now: now)
        if let finished { events.append(.itemFinished(finished)) }
        return true
    }

    /// Writes the sums so far, so that they equal the rows at every commit.
    func writeFigures(on catalog: Connection) throws {
        try sums.write(on: catalog)
    }
}
