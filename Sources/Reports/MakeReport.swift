internal import Catalog
internal import Model
package import SQLite

/// Reads what a report says about the runs that `request` selects.
///
/// `connection` is open on a catalog of the present schema; each run is read in a transaction of its own.
/// - Throws: `ReportError` for a job or a run that the catalog does not have, else `SQLiteError`.
package func makeReport(_ request: ReportRequest, from connection: Connection) throws -> Report {
    let known = try jobNames(on: connection)
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
    if request.run == .last, !request.hasTables {
        report.kept = try StoredSum.all(of: runs.map(\.job), from: connection)
    }
    return report
}

private func selectedRuns(
    _ request: ReportRequest, of jobs: [String], from connection: Connection
) throws -> [(id: Int64, job: String)] {
    let since = request.since ?? .min
    switch request.run {
    case .id(let id):
        guard let run = try ReportedRun.job(ofRun: id, from: connection) else { throw ReportError.unknownRun(id) }
        guard jobs.contains(run.job) else { throw ReportError.runOfOtherJob(id, job: run.job) }
        return run.startedAt >= since ? [(id, run.job)] : []
    case .last, .all:
        let limit = request.run == .all ? -1 : 1
        return try jobs.flatMap { job in
            try ReportedRun.ids(ofJob: job, since: since, limit: limit, from: connection).map { (id: $0, job: job) }
        }.sorted { $0.id < $1.id }
    }
}

extension RunReport {
    /// Reads one run; `nil` if it was pruned since it was selected.
    init?(id: Int64, hasStatistics: Bool, from connection: Connection) throws {
        guard let run = try ReportedRun(id, from: connection) else { return nil }
        let news = try NewInRun.counts(ofRun: id, job: run.job, from: connection)
        self.init(
            id: id, job: run.job, startedAt: run.startedAt, finishedAt: run.finishedAt, outcome: run.outcome,
            selection: run.selection, selectionWords: run.selectionParts?.words, overrides: run.overrides,
            overrideList: run.overrideList, refresh: run.refresh, httpVersion: run.httpVersion,
            concurrency: run.concurrency, counts: OutcomeCounts(run.counts), knownFailures: run.knownFailures,
            news: news.map { RunNews(previous: $0.previous, items: $0.items, failures: $0.failures) },
            wireBytes: run.wireBytes, bodyBytes: run.bodyBytes, savedBytes: run.savedBytes, freedFiles: run.freedFiles,
            freedBytes: run.freedBytes, listRequests: run.listRequests, listBytes: run.listBytes, detail: run.detail,
            runnerVersion: run.runnerVersion, libcurlVersion: run.libcurlVersion, host: run.host,
            processID: run.processID,
            statistics: try hasStatistics ? TransferStatistics(run: id, from: connection) : TransferStatistics(),
            throttles: try HostThrottle.all(ofRun: id, from: connection))
    }
}

extension ReportedRun.SelectionParts {
    /// For people.
    fileprivate var words: String {
        var words = isFailedOnly ? "what had failed or was not tried" : ""
        if !only.isEmpty { words += (words.isEmpty ? "" : ", ") + "only " + only.joined(separator: ", ") }
        if let limit { words += (words.isEmpty ? "" : ", ") + "the first \(countText(limit))" }
        if isSourceChanged { words += (words.isEmpty ? "" : ", ") + "the list of a source that --set changed" }
        if words.isEmpty { words = "everything" }
        return isRefreshing ? words + ", in full" : words
    }
}

extension OutcomeCounts {
    /// By the names that the catalog has; one of a newer program counts as cancelled.
    fileprivate init(_ counts: [String: Int64]) {
        for (name, count) in counts { add(count, of: name) }
    }

    /// Counts `count` more of the outcome that the catalog calls `name`.
    private mutating func add(_ count: Int64, of name: String) {
        switch TransferOutcome(rawValue: name) {
        case .downloaded: downloaded += count
        case .unchanged: unchanged += count
        case .fresh: fresh += count
        case .evicted: evicted += count
        case .failed: failed += count
        case .cancelled, nil: cancelled += count
        }
    }
}
