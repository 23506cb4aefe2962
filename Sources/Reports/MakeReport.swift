internal import Catalog
internal import Model
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
        try connection.transaction(.deferred) {
            try RunReport(id: run.id, hasStatistics: request.hasStatistics, from: connection)
        }
    }
    let found = Set(selected.map(\.job))
    var report = Report(request: request, runs: runs, jobsWithoutRuns: jobs.filter { !found.contains($0) })
    if request.run == .last, !request.hasTables { report.kept = try keptSums(of: runs.map(\.job), from: connection) }
    return report
}

/// What jobs keep now. One pass over the items as they lie: in the order of an index each row would be looked up.
private func keptSums(of jobs: [String], from connection: Connection) throws -> [String: KeptSum] {
    guard !jobs.isEmpty else { return [:] }
    let only = jobs.count == 1 ? jobs.first : nil
    var sums: [String: KeptSum] = [:]
    try connection.forEach(
        """
        SELECT job, count(*), CAST(total(size) AS INTEGER) FROM item
        WHERE size IS NOT NULL AND state IN ('stored', 'gone') AND (?1 IS NULL OR +job = ?1) GROUP BY +job
        """, only
    ) { row in sums[try row[0]] = KeptSum(files: try row[1], bytes: try row[2]) }
    return sums
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
    init?(id: Int64, hasStatistics: Bool, from connection: Connection) throws {
        let statistics = try hasStatistics ? TransferStatistics(run: id, from: connection) : TransferStatistics()
        let throttles = try HostThrottle.all(ofRun: id, from: connection)
        let counted = try RunSums(countedOver: id, from: connection)
        let words = try wordsOfSelection(ofRun: id, from: connection)
        let overrides = try connection.rows(
            "SELECT value FROM run, json_each(overrides) WHERE run.id = ? AND json_valid(overrides)", id
        ) { try $0[0] as String }
        let job: String? = try connection.value("SELECT job FROM run WHERE id = ?", id)
        let news = try job.flatMap { try RunNews(ofRun: id, job: $0, from: connection) }
        let run = try connection.first(
            """
            SELECT job, started_at, finished_at, outcome, selection, list_requests, list_bytes, detail,
                runner_version, libcurl_version, host, pid,
                downloaded, unchanged, fresh, failed, cancelled, wire_bytes, body_bytes, evicted, saved_bytes,
                freed_files, freed_bytes, overrides, known_failed, refresh, http_version, concurrency
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
                selection: try row[4], selectionWords: words, overrides: try row[23], overrideList: overrides,
                refresh: try row[25], httpVersion: try row[26], concurrency: try row[27], counts: sums.counts,
                knownFailures: try row[24], news: news,
                wireBytes: sums.wireBytes, bodyBytes: sums.bodyBytes,
                savedBytes: try row[20], freedFiles: try row[21],
                freedBytes: try row[22], listRequests: try row[5], listBytes: try row[6], detail: try row[7],
                runnerVersion: try row[8], libcurlVersion: try row[9], host: host, processID: processID,
                statistics: statistics, throttles: throttles)
        }
        guard let run else { return nil }
        self = run
    }
}

/// `run.selection` in words; nil for the whole list, and where it is not what this program writes.
private func wordsOfSelection(ofRun id: Int64, from connection: Connection) throws -> String? {
    let parts = try connection.first(
        """
        SELECT selection ->> '$.failed', selection ->> '$.refresh', selection ->> '$.limit', selection ->> '$.source'
        FROM run WHERE id = ? AND json_valid(selection)
        """, id
    ) { row in
        (
            failed: (try row[0] as Int64?) == 1, refresh: (try row[1] as Int64?) == 1, limit: try row[2] as Int64?,
            source: (try row[3] as Int64?) == 1
        )
    }
    guard let parts else { return nil }
    let patterns = try connection.rows(
        "SELECT value FROM run, json_each(selection, '$.only') WHERE run.id = ? AND json_valid(selection)", id
    ) { try $0[0] as String }
    var words = parts.failed ? "what had failed or was not tried" : ""
    if !patterns.isEmpty { words += (words.isEmpty ? "" : ", ") + "only " + patterns.joined(separator: ", ") }
    if let limit = parts.limit { words += (words.isEmpty ? "" : ", ") + "the first \(countText(limit))" }
    if parts.source { words += (words.isEmpty ? "" : ", ") + "the list of a source that --set changed" }
    if words.isEmpty { words = "everything" }
    return parts.refresh ? words + ", in full" : words
}

extension RunNews {
    /// Compares a run with those of its job before it; `nil` where there is none.
    fileprivate init?(ofRun run: Int64, job: String, from connection: Connection) throws {
        guard let counts = try NewInRun.counts(ofRun: run, job: job, from: connection) else { return nil }
        (previous, items, failures) = (counts.previous, counts.items, counts.failures)
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
