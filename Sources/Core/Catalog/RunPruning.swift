import Files
import SQLite

/// Deletes old runs with their transfers. What they came to stays as sums by day, in the table `day`, and of each item the
/// time of its last download, in the table `download`.
package enum RunPruning {
    /// What was deleted.
    package struct Outcome: Sendable, Hashable {
        package var runs = 0
        package var transfers = 0
        /// Bytes of the catalog's file before and after.
        package var sizeBefore: Int64 = 0
        package var sizeAfter: Int64 = 0
    }

    /// Rows that go in one transaction, so that a run of another process never waits long for its turn.
    private static let batchSize = 10_000

    /// Deletes the runs that began earlier than `time`, microseconds since 1970 UTC, and are not running. Items keep their
    /// files and states.
    ///
    /// - Throws: ``CatalogError`` without a catalog; what the catalog has thrown: what was deleted by then is whole.
    package static func prune(startedBefore time: Int64, database: String) async throws -> Outcome {
        let store = CatalogStore(adopting: try CatalogLocation.openExisting(database))
        do {
            let outcome = try await store.perform { catalog in
                var outcome = Outcome()
                outcome.sizeBefore = try CatalogSpace.size(of: catalog)
                let runs = try catalog.rows("SELECT id FROM run WHERE started_at < ? ORDER BY id", time) {
                    try $0[0] as Int64
                }
                let running = try RunLiveness.running(on: catalog)
                for run in runs where !running.contains(run) { try delete(run, &outcome, on: catalog) }
                try CatalogSpace.reclaim(on: catalog)
                outcome.sizeAfter = try CatalogSpace.size(of: catalog)
                return outcome
            }
            await store.close()
            return outcome
        } catch {
            await store.close()
            throw error
        }
    }

    /// The last transfers go together with the run's row, which has the sums: killed before, the next time goes on.
    private static func delete(_ run: Int64, _ outcome: inout Outcome, on catalog: Connection) throws {
        while true {
            let isOver = try catalog.transaction {
                try catalog.run(keepDownloads, run)
                try catalog.run(
                    """
                    DELETE FROM transfer WHERE run_id = ?1 AND item_id IN (
                        SELECT item_id FROM transfer WHERE run_id = ?1 ORDER BY item_id LIMIT \(batchSize))
                    """, run)
                let deleted = catalog.changes
                outcome.transfers += deleted
                guard deleted < batchSize else { return false }
                try catalog.run(addToDay, run)
                try catalog.run("DELETE FROM run WHERE id = ?", run)
                outcome.runs += catalog.changes
                return true
            }
            if isOver { return }
        }
    }

    /// The same transfers as are deleted next; of an item's the latest run's stays.
    private static let keepDownloads = """
        INSERT INTO download (item_id, run_id, started_at, queue_us, dns_us, connect_us, tls_us, wait_us, receive_us,
            total_us, store_us, elapsed_us, wire_bytes, body_bytes)
        SELECT item_id, run_id, started_at, queue_us, dns_us, connect_us, tls_us, wait_us, receive_us, total_us,
            store_us, elapsed_us, wire_bytes, body_bytes
        FROM (SELECT * FROM transfer WHERE run_id = ? ORDER BY item_id LIMIT \(batchSize))
        WHERE outcome = 'downloaded'
        ON CONFLICT (item_id) DO UPDATE SET run_id = excluded.run_id, started_at = excluded.started_at,
            queue_us = excluded.queue_us, dns_us = excluded.dns_us, connect_us = excluded.connect_us,
            tls_us = excluded.tls_us, wait_us = excluded.wait_us, receive_us = excluded.receive_us,
            total_us = excluded.total_us, store_us = excluded.store_us, elapsed_us = excluded.elapsed_us,
            wire_bytes = excluded.wire_bytes, body_bytes = excluded.body_bytes
        WHERE excluded.run_id > run_id
        """

    /// A run that another process deletes at the same time is counted by that one.
    private static let addToDay = """
        INSERT INTO day (job, day, runs, complete_runs, elapsed_us, downloaded, unchanged, fresh, failed, cancelled,
            wire_bytes, body_bytes, list_requests, list_bytes, evicted)
        SELECT job, date(started_at / 1000000, 'unixepoch'), 1, outcome = 'complete',
            max(0, coalesce(finished_at - started_at, 0)), downloaded, unchanged, fresh, failed, cancelled, wire_bytes,
            body_bytes, list_requests, list_bytes, evicted
        FROM run WHERE id = ?
        ON CONFLICT (job, day) DO UPDATE SET runs = runs + 1, complete_runs = complete_runs + excluded.complete_runs,
            elapsed_us = elapsed_us + excluded.elapsed_us, downloaded = downloaded + excluded.downloaded,
            unchanged = unchanged + excluded.unchanged, fresh = fresh + excluded.fresh,
            failed = failed + excluded.failed, cancelled = cancelled + excluded.cancelled,
            wire_bytes = wire_bytes + excluded.wire_bytes, body_bytes = body_bytes + excluded.body_bytes,
            list_requests = list_requests + excluded.list_requests, list_bytes = list_bytes + excluded.list_bytes,
            evicted = evicted + excluded.evicted
        """
}
