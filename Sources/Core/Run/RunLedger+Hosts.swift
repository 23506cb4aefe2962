import Catalog
import HTTP
import Jobs
import Model
import SQLite
import Schedule
import System
import Transfer

/// What hosts did to a run.
extension RunLedger {
    /// Ends items that never began, because their host is paused.
    func fail(_ ids: [Int64], _ failure: TransferFailure, on catalog: Connection, now: Int64) throws -> [RunEvent] {
        var events: [RunEvent] = []
        let detail = context.job.trust.secrets.hide(failure.detail)
        let record = TransferRecord(outcome: .failed, failure: failure.word, detail: detail)
        // A portion at a time: a list may be long.
        for start in stride(from: 0, to: ids.count, by: 256) {
            let (work, settled) = try load(Array(ids[start..<min(start + 256, ids.count)]), on: catalog, now: now)
            events += settled
            let items = work.map { FinishedItem(work: $0, record: record, endedAt: Monotonic.now()) }
            events += try self.record(items, on: catalog, now: now)
        }
        return events
    }

    /// Writes how the run throttled hosts.
    func write(_ strains: [(HTTPOrigin, ThrottleStatistics)], on catalog: Connection) throws {
        for (origin, strain) in strains {
            try RunRows.insert(strain, of: origin.description, run: context.run, on: catalog)
        }
    }
}
