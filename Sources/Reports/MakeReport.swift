internal import Core
package import SQLite

/// Reads what a report says about the runs that `request` selects.
///
/// `connection` is open on a catalog of the present schema; each run is read in a transaction of its own.
/// - Throws: `ReportError` for a job or a run that the catalog does not have, else `SQLiteError`.
package func makeReport(_ request: ReportRequest, from connection: Connection) throws -> Report {
    let known = try connection.rows("SELECT name FROM job ORDER BY name") { row in try row[0] as String }
    for job in request.jobs where !known.contains(job) {
        throw ReportError.unknownJob(job, known: known)
    }
    let jobs = request.jobs.isEmpty ? known : known.filter(request.jobs.contains)
    let selected = try selectedRuns(request, of: jobs, from: connection)
    let runs = try selected.compactMap { run in
        try connection.transaction(.deferred) { try RunReport(id: run.id, from: connection) }
    }
    let found = Set(selected.map(\.job))
    return Report(request: request, runs: runs, jobsWithoutRuns: jobs.filter { !found.contains($0) })
}

private func selectedRuns(
    _ request: ReportRequest, of jobs: [String], from connection: Connection
) throws -> [(id: Int64, job: String)] {
    let since = request.since ?? .min
    switch request.run {
    case .id(let id):
        let run = try connection.first("SELECT job, started_at FROM run WHERE id = ?", id) { row in
            (job: try row[0] as String, startedAt: try row[1] as Int64)
        }
        guard let run else { throw ReportError.unknownRun(id) }
        guard jobs.contains(run.job) else { throw ReportError.runOfOtherJob(id, job: run.job) }
        return run.startedAt >= since ? [(id, run.job)] : []
    case .last, .all:
        let limit = request.run == .all ? -1 : 1
        var runs: [(id: Int64, job: String)] = []
        for job in jobs {
            runs += try connection.rows(
                "SELECT id FROM run WHERE job = ? AND started_at >= ? ORDER BY id DESC LIMIT ?", job, since, limit
            ) { row in (id: try row[0], job: job) }
        }
        return runs.sorted { $0.id < $1.id }
    }
}

extension RunReport {
    /// Reads one run; `nil` if it was pruned since it was selected.
    init?(id: Int64, from connection: Connection) throws {
        let statistics = try TransferStatistics(run: id, from: connection)
        let throttles = try HostThrottle.all(ofRun: id, from: connection)
        let counted = try RunSums(countedOver: id, from: connection)
        let run = try connection.first(
            """
            SELECT job, started_at, finished_at, outcome, selection, list_requests, list_bytes, detail,
                runner_version, libcurl_version, host, pid,
                downloaded, unchanged, fresh, failed, cancelled, wire_bytes, body_bytes, evicted, saved_bytes,
                freed_files, freed_bytes
            FROM run WHERE id = ?
            """, id
        ) { row in
            let job: String = try row[0]
            let (host, processID): (String, Int64) = (try row[10], try row[11])
            let outcome = RunLiveness.outcome(
                try row[3], job: job, processID: processID, host: host, catalog: connection.path)
            // The row of a run that is running, or was killed, may be behind its transfers. That of a finished run is
            // what it was, also when items were deleted since.
            let isFinished = outcome != "running" && outcome != "interrupted"
            let sums = isFinished ? try RunSums(row, from: 12) : counted
            return RunReport(
                id: id, job: job, startedAt: try row[1], finishedAt: try row[2], outcome: outcome,
                selection: try row[4], counts: sums.counts, wireBytes: sums.wireBytes, bodyBytes: sums.bodyBytes,
                savedBytes: try row[20], freedFiles: try row[21],
                freedBytes: try row[22], listRequests: try row[5], listBytes: try row[6], detail: try row[7],
                runnerVersion: try row[8], libcurlVersion: try row[9], host: host, processID: processID,
                statistics: statistics, throttles: throttles)
        }
        guard let run else { return nil }
        self = run
    }
}

/// The figures of a run that are sums over its transfers.
private struct RunSums {
    var counts = OutcomeCounts()
    var wireBytes: Int64 = 0
    var bodyBytes: Int64 = 0

    init(countedOver run: Int64, from connection: Connection) throws {
        try connection.forEach(
            """
            SELECT outcome, count(*) FROM transfer WHERE run_id = ? GROUP BY outcome
            """, run
        ) { row in counts.add(try row[1], of: try row[0]) }
        (wireBytes, bodyBytes) =
            try connection.first(
                // Unlike sum(), total() does not fail where the sum is too great.
                """
                SELECT CAST(total(wire_bytes) AS INTEGER), CAST(total(body_bytes) AS INTEGER)
                FROM transfer WHERE run_id = ?
                """, run
            ) { row in (try row[0], try row[1]) } ?? (0, 0)
    }

    /// Reads the eight columns of the run's row that start at `column`.
    init(_ row: borrowing Row, from column: Int) throws {
        counts.downloaded = try row[column]
        counts.unchanged = try row[column + 1]
        counts.fresh = try row[column + 2]
        counts.failed = try row[column + 3]
        counts.cancelled = try row[column + 4]
        wireBytes = try row[column + 5]
        bodyBytes = try row[column + 6]
        counts.evicted = try row[column + 7]
    }
}

extension OutcomeCounts {
    /// Counts `count` more of the outcome that the catalog calls `name`.
    mutating func add(_ count: Int64, of name: String) {
        switch name {
        case "downloaded": downloaded += count
        case "unchanged": unchanged += count
        case "fresh": fresh += count
        case "evicted": evicted += count
        case "failed": failed += count
        default: cancelled += count
        }
    }
}
