package import SQLite

/// A run as the catalog has it, with what was counted over its transfers.
package struct ReportedRun: Sendable {
    package let id: Int64
    package let job: String
    /// Microseconds since 1970 UTC.
    package let startedAt: Int64
    package let finishedAt: Int64?
    /// `interrupted` for a row that says `running` while no process works on it.
    package let outcome: String
    /// `run.selection`, and its parts; nil where it is not what this program writes.
    package let selection: String?
    package let selectionParts: SelectionParts?
    /// `run.overrides`, and each `KEY=VALUE` in it.
    package let overrides: String?
    package let overrideList: [String]
    package let refresh: String?
    package let httpVersion: String?
    package let concurrency: Int64?
    /// By the names of outcomes.
    package let counts: [String: Int64]
    package let knownFailures: Int64
    package let wireBytes: Int64
    package let bodyBytes: Int64
    package let savedBytes: Int64
    package let freedFiles: Int64
    package let freedBytes: Int64
    package let listRequests: Int64
    package let listBytes: Int64
    package let detail: String?
    package let runnerVersion: String
    package let libcurlVersion: String
    package let host: String
    package let processID: Int64

    /// What `run.selection` asks for.
    package struct SelectionParts: Sendable {
        package let isFailedOnly: Bool
        package let isRefreshing: Bool
        package let limit: Int64?
        package let isSourceChanged: Bool
        package let only: [String]
    }

    /// Those of a job that began at or after `since`, the latest first, at most `limit`; all for -1.
    package static func ids(
        ofJob job: String, since: Int64, limit: Int, from connection: Connection
    ) throws -> [Int64] {
        try connection.rows(
            "SELECT id FROM run WHERE job = ? AND started_at >= ? ORDER BY id DESC LIMIT ?", job, since, limit
        ) { row in try row[0] as Int64 }
    }

    /// The job of a run, and when it began; nil for a run that the catalog does not have.
    package static func job(
        ofRun id: Int64, from connection: Connection
    ) throws -> (job: String, startedAt: Int64)? {
        try connection.first("SELECT job, started_at FROM run WHERE id = ?", id) { row in
            (job: try row[0] as String, startedAt: try row[1] as Int64)
        }
    }

    /// Reads one run; nil if it was pruned.
    package init?(_ id: Int64, from connection: Connection) throws {
        let counted = try Sums(countedOver: id, from: connection)
        let parts = try SelectionParts(ofRun: id, from: connection)
        let list = try connection.rows(
            "SELECT value FROM run, json_each(overrides) WHERE run.id = ? AND json_valid(overrides)", id
        ) { row in try row[0] as String }
        let run = try connection.first(
            """
            SELECT job, started_at, finished_at, outcome, selection, list_requests, list_bytes, detail,
                runner_version, libcurl_version, host, pid,
                downloaded, unchanged, fresh, failed, cancelled, wire_bytes, body_bytes, evicted, saved_bytes,
                freed_files, freed_bytes, overrides, known_failed, refresh, http_version, concurrency
            FROM run WHERE id = ?
            """, id
        ) { row in
            try ReportedRun(id, row, counted, parts, list, catalog: connection.path)
        }
        guard let run else { return nil }
        self = run
    }

    private init(
        _ id: Int64, _ row: borrowing Row, _ counted: Sums, _ parts: SelectionParts?, _ list: [String], catalog: String
    ) throws {
        self.id = id
        job = try row[0]
        (startedAt, finishedAt) = (try row[1], try row[2])
        (host, processID) = (try row[10], try row[11])
        outcome = RunLiveness.outcome(try row[3], job: job, processID: processID, host: host, catalog: catalog)
        // The row of a run that is running, or was killed, may be behind its transfers. That of a finished run is what it
        // was, also when items were deleted since.
        let isFinished = outcome != "running" && outcome != "interrupted"
        let sums = isFinished ? try Sums(row) : counted
        (counts, wireBytes, bodyBytes) = (sums.counts, sums.wireBytes, sums.bodyBytes)
        (selection, selectionParts) = (try row[4], parts)
        (overrides, overrideList) = (try row[23], list)
        (listRequests, listBytes, detail) = (try row[5], try row[6], try row[7])
        (runnerVersion, libcurlVersion) = (try row[8], try row[9])
        (savedBytes, freedFiles, freedBytes) = (try row[20], try row[21], try row[22])
        knownFailures = try row[24]
        (refresh, httpVersion, concurrency) = (try row[25], try row[26], try row[27])
    }

    /// The figures of a run that are sums over its transfers.
    private struct Sums {
        var counts: [String: Int64] = [:]
        var wireBytes: Int64 = 0
        var bodyBytes: Int64 = 0

        init(countedOver run: Int64, from connection: Connection) throws {
            try connection.forEach(
                "SELECT outcome, count(*) FROM transfer WHERE run_id = ? GROUP BY outcome", run
            ) { row in counts[try row[0], default: 0] += try row[1] }
            (wireBytes, bodyBytes) =
                try connection.first(
                    // Unlike sum(), total() does not fail where the sum is too great.
                    """
                    SELECT CAST(total(wire_bytes) AS INTEGER), CAST(total(body_bytes) AS INTEGER)
                    FROM transfer WHERE run_id = ?
                    """, run
                ) { row in (try row[0], try row[1]) } ?? (0, 0)
        }

        /// Of the run's row.
        init(_ row: borrowing Row) throws {
            counts["downloaded"] = try row[12]
            counts["unchanged"] = try row[13]
            counts["fresh"] = try row[14]
            counts["failed"] = try row[15]
            counts["cancelled"] = try row[16]
            counts["evicted"] = try row[19]
            (wireBytes, bodyBytes) = (try row[17], try row[18])
        }
    }
}

extension ReportedRun.SelectionParts {
    fileprivate init?(ofRun id: Int64, from connection: Connection) throws {
        let patterns = try connection.rows(
            "SELECT value FROM run, json_each(selection, '$.only') WHERE run.id = ? AND json_valid(selection)", id
        ) { row in try row[0] as String }
        let parts = try connection.first(
            """
            SELECT selection ->> '$.failed', selection ->> '$.refresh', selection ->> '$.limit', selection ->> '$.source'
            FROM run WHERE id = ? AND json_valid(selection)
            """, id
        ) { row in
            let (failed, refresh, source): (Int64?, Int64?, Int64?) = (try row[0], try row[1], try row[3])
            return ReportedRun.SelectionParts(
                isFailedOnly: failed == 1, isRefreshing: refresh == 1, limit: try row[2], isSourceChanged: source == 1,
                only: patterns)
        }
        guard let parts else { return nil }
        self = parts
    }
}
