package import SQLite

/// A run that shards carry, as its row has it.
package struct CarriedRun: Sendable, Hashable {
    package let job: String
    package let outcome: String
    package let finishedAt: Int64?
    package let failed: Int
    package let knownFailures: Int
    package let cancelled: Int
    package let items: Int
    /// What is wrong with a disk, where items failed of that.
    package let diskFault: String?

    /// nil where the catalog does not have the run.
    package static func find(_ run: Int64, on catalog: Connection) throws -> CarriedRun? {
        try catalog.first(
            """
            SELECT job, outcome, finished_at, failed, known_failed, cancelled,
                downloaded + unchanged + fresh + evicted + failed + cancelled,
                (SELECT detail FROM transfer WHERE run_id = run.id AND failure = 'disk' LIMIT 1)
            FROM run WHERE id = ?
            """, run
        ) { row in
            CarriedRun(
                job: try row[0], outcome: try row[1], finishedAt: try row[2], failed: try row[3],
                knownFailures: try row[4], cancelled: try row[5], items: try row[6], diskFault: try row[7])
        }
    }

    /// Microseconds that items took in the last run of a job before this one that asked for some, by their URLs.
    package static func forEachTime(
        beforeRun run: Int64, ofJob job: String, on catalog: Connection, _ body: (_ url: String, Int64) -> Void
    ) throws {
        let last: Int64? = try catalog.value(
            """
            SELECT id FROM run WHERE job = ? AND id < ?
            AND EXISTS (SELECT 1 FROM transfer WHERE run_id = run.id AND attempts > 0) ORDER BY id DESC LIMIT 1
            """, job, run)
        guard let last else { return }
        try catalog.forEach(
            """
            SELECT item.url, total_us FROM transfer JOIN item ON item.id = item_id
            WHERE run_id = ? AND attempts > 0 AND total_us > 0
            """, last
        ) { row in body(try row[0], try row[1]) }
    }
}
