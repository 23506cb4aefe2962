import Files
import Glibc
import HTTP
package import Jobs
package import Model
package import SQLite

/// How a run was started.
package struct RunInvocation: Sendable {
    var selection: Selection
    /// `KEY=VALUE` of each `--set`, as it was typed.
    var overrides: [String]
    /// The version in `run.runner_version`.
    var runnerVersion: String
    /// In place of the job's `transfer.concurrency`.
    var concurrency: Int?

    package init(selection: Selection, overrides: [String], runnerVersion: String, concurrency: Int? = nil) {
        self.concurrency = concurrency
        self.selection = selection
        self.overrides = overrides
        self.runnerVersion = runnerVersion
    }
}

/// The rows of the `job` and `run` tables.
package enum RunRows {
    /// Enters a job, takes up what unfinished runs left, and begins a run.
    ///
    /// - Parameter change: what else is to be changed in the same transaction.
    /// - Returns: the run.
    package static func begin(
        _ job: Job, _ invocation: RunInvocation, on catalog: Connection, now: Int64,
        applying change: (Connection) throws -> Void
    ) throws -> Int64 {
        let directory = job.output.directory
        return try catalog.transaction {
            try catalog.run(
                """
                INSERT INTO job (name, file, directory, created_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET file = excluded.file, directory = excluded.directory
                """, job.name, job.file, directory, now)
            try change(catalog)
            try forgetTimes(of: job.name, ifClockWasSetBackTo: now, on: catalog)
            return try insert(job, invocation, on: catalog, now: now)
        }
    }

    /// Where the last run is in the future, the clock has been set back, and until when something is fresh or is not asked
    /// again was counted from a wrong time.
    private static func forgetTimes(
        of job: String, ifClockWasSetBackTo now: Int64, on catalog: Connection
    ) throws {
        let last: Int64? = try catalog.value(
            "SELECT max(started_at, coalesce(finished_at, 0)) FROM run WHERE job = ? ORDER BY id DESC LIMIT 1", job)
        guard let last, last > now else { return }
        try catalog.run(
            """
            UPDATE item SET expires_at = NULL, asked_again_at = NULL
            WHERE job = ? AND (expires_at IS NOT NULL OR asked_again_at IS NOT NULL)
            """, job)
    }

    /// Enters a run that was stopped before it could begin; the job stays as it is.
    package static func enterStopped(
        _ job: Job, _ outcome: RunOutcome, detail: String, _ invocation: RunInvocation, startedAt: Int64,
        on catalog: Connection, now: Int64
    ) throws -> Int64 {
        try catalog.transaction {
            let run = try insert(job, invocation, on: catalog, now: startedAt)
            try finish(run, outcome, detail: detail, on: catalog, now: now)
            return run
        }
    }

    private static func insert(
        _ job: Job, _ invocation: RunInvocation, on catalog: Connection, now: Int64
    ) throws -> Int64 {
        // Whoever held the job's lock before is gone.
        try catalog.run("UPDATE run SET outcome = 'interrupted' WHERE job = ? AND outcome = 'running'", job.name)
        try catalog.run(
            """
            INSERT INTO run (job, started_at, selection, overrides, refresh, http_version, concurrency,
                runner_version, libcurl_version, host, pid)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, job.name, now, invocation.selection.text(hiding: job.trust.secrets.hide),
            overridesText(invocation.overrides, of: job), job.refresh.rawValue, job.transfer.httpVersion.rawValue,
            invocation.concurrency ?? job.transfer.concurrency, invocation.runnerVersion, curlVersionText, hostName(),
            Int64(getpid()))
        return catalog.lastInsertedRowID
    }

    /// `run.overrides`: a JSON array of the `--set` that the run was given; nil without any. A secret that was typed as it
    /// is becomes `${NAME}`; what was typed as `${NAME}` is that already.
    private static func overridesText(_ overrides: [String], of job: Job) -> String? {
        guard !overrides.isEmpty else { return nil }
        return "[\(overrides.map { jsonText(job.trust.secrets.hide($0)) }.joined(separator: ","))]"
    }

    /// How many runs the catalog has, of all jobs.
    package static func count(on catalog: Connection) throws -> Int {
        try catalog.value("SELECT count(*) FROM run") ?? 0
    }

    package static func finish(
        _ run: Int64, _ outcome: RunOutcome, detail: String?, on catalog: Connection, now: Int64
    ) throws {
        try catalog.run(
            "UPDATE run SET outcome = ?, detail = ?, finished_at = ? WHERE id = ?", outcome.rawValue, detail, now, run)
    }

    /// Whether the last run of a job before this one was cut short.
    package static func wasCut(before run: Int64, job: String, on catalog: Connection) throws -> Bool {
        try catalog.value(
            """
            SELECT outcome = 'interrupted' OR cancelled > 0 FROM run WHERE job = ? AND id < ? ORDER BY id DESC LIMIT 1
            """, job, run) ?? false
    }

    package static func setFigures(_ figures: RunFigures, of run: Int64, on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE run SET downloaded = ?, unchanged = ?, fresh = ?, failed = ?, cancelled = ?, wire_bytes = ?,
                body_bytes = ?, saved_bytes = ?, list_requests = ?, list_bytes = ?, evicted = ?, freed_files = ?,
                freed_bytes = ?, known_failed = ? WHERE id = ?
            """, figures.downloaded, figures.unchanged, figures.fresh, figures.failed, figures.cancelled,
            figures.wireBytes, figures.bodyBytes, figures.savedBytes, figures.listRequests, figures.listBytes,
            figures.evicted, figures.freedFiles, figures.freedBytes, figures.knownFailures, run)
    }

    /// Writes how a run was throttled by a host.
    package static func insert(
        _ throttle: ThrottleStatistics, of host: String, run: Int64, on catalog: Connection
    ) throws {
        try catalog.run(
            """
            INSERT OR REPLACE INTO throttle (run_id, host, refusals, cuts, least_concurrency, least_rate, held_us, pauses,
                given_up) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, run, host, throttle.refusals, throttle.cuts, throttle.leastConcurrency, throttle.leastRate,
            throttle.held, throttle.pauses, throttle.givenUp)
    }
}

extension Selection {
    /// `run.selection` of a run that took all of a list that `--set` changed.
    package static let textOfChangedSource = "{\"source\":true}"

    /// `run.selection`: a JSON object of what was asked for; nil for the whole list without more ado.
    ///
    /// - Parameter hide: takes secrets from what was typed.
    package func text(hiding hide: (String) -> String = { $0 }) -> String? {
        var members: [String] = []
        if isFailedOnly { members.append("\"failed\":true") }
        if !reasons.isEmpty {
            members.append("\"reasons\":[\(reasons.map { jsonText($0.rawValue) }.joined(separator: ","))]")
        }
        if isAdopting { members.append("\"adopt\":true") }
        if isRefreshing { members.append("\"refresh\":true") }
        if !only.isEmpty { members.append("\"only\":[\(only.map { jsonText(hide($0)) }.joined(separator: ","))]") }
        if let limit { members.append("\"limit\":\(limit)") }
        if isSourceChanged { members.append("\"source\":true") }
        return members.isEmpty ? nil : "{\(members.joined(separator: ","))}"
    }
}
