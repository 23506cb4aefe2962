package import SQLite

/// When the last runs of jobs ended: microseconds since 1970 UTC, by the names of the jobs.
package struct LastRuns: Sendable {
    /// Of the last run that was complete.
    package private(set) var complete: [String: Int64] = [:]
    /// Of the last run that ended.
    package private(set) var ended: [String: Int64] = [:]

    package init(of jobs: [String], from connection: Connection) throws {
        for job in jobs {
            complete[job] = try connection.value(
                """
                SELECT finished_at FROM run WHERE job = ? AND outcome = 'complete' AND finished_at IS NOT NULL
                ORDER BY id DESC LIMIT 1
                """, job)
            ended[job] = try connection.value(
                "SELECT finished_at FROM run WHERE job = ? AND finished_at IS NOT NULL ORDER BY id DESC LIMIT 1", job)
        }
    }
}

/// How many items of a run failed for one reason.
package struct FailureCount: Sendable, Hashable {
    /// `transfer.failure`.
    package let word: String
    package let count: Int64

    /// By their words.
    package static func all(ofRun run: Int64, from connection: Connection) throws -> [FailureCount] {
        try connection.rows(
            """
            SELECT coalesce(failure, 'unknown'), count(*) FROM transfer
            WHERE run_id = ? AND outcome = 'failed' GROUP BY 1 ORDER BY 1
            """, run
        ) { row in FailureCount(word: try row[0], count: try row[1]) }
    }
}
