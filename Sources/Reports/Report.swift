package import Catalog

/// What a report says above its tables. The rows of the tables are read while they are written.
package struct Report: Sendable {
    package let request: ReportRequest
    /// In the order in which they started.
    package let runs: [RunReport]
    /// The jobs asked for of which no run was found, by name.
    let jobsWithoutRuns: [String]
    /// What each job keeps now, by its name; empty unless lines or an overview of last runs were asked for.
    package var kept: [String: StoredSum] = [:]
    /// How each run compares with others, by its id; empty unless that was asked for.
    package var comparisons: [Int64: Comparison] = [:]
}

/// What a run met that the runs of its job before it had not.
package struct RunNews: Hashable, Sendable {
    /// The run before it.
    package let previous: Int64
    /// Items listed for the first time.
    package let items: Int64
    /// Items that failed now, and had not failed when they were last tried.
    package let failures: Int64
}

/// One run, with figures over its transfers.
package struct RunReport: Sendable {
    package let id: Int64
    package let job: String
    /// Microseconds since 1970 UTC, as are all names that end in `At`.
    package let startedAt: Int64
    /// `nil` while the run is running, and for an interrupted one whose end nobody saw.
    package let finishedAt: Int64?
    /// `running`, `complete`, `partial`, `failed` or `interrupted`.
    package let outcome: String
    /// The items asked for, as JSON; `nil` for the whole list.
    package let selection: String?
    /// The same in words.
    let selectionWords: String?
    /// `KEY=VALUE` of each `--set` that the run was given, as JSON and one by one.
    package let overrides: String?
    package let overrideList: [String]
    /// `refresh`, `transfer.http_version` and the concurrency that the run began with; nil in rows of earlier versions.
    package let refresh: String?
    package let httpVersion: String?
    package let concurrency: Int64?
    package let counts: OutcomeCounts
    /// Those of the failures that were known before and not asked again.
    package let knownFailures: Int64
    /// `nil` for the first run of a job that the catalog has.
    package let news: RunNews?
    package let wireBytes: Int64
    package let bodyBytes: Int64
    /// Bytes of files that share the room of equal ones.
    package let savedBytes: Int64
    /// Files that the run removed to keep within `output.max_bytes`, and the bytes that this freed.
    package let freedFiles: Int64
    package let freedBytes: Int64
    package let listRequests: Int64
    package let listBytes: Int64
    /// Why the run failed, for people.
    package let detail: String?
    package let runnerVersion: String
    package let libcurlVersion: String
    package let host: String
    package let processID: Int64
    package let statistics: TransferStatistics
    package let throttles: [HostThrottle]

    /// How long the run took, in microseconds; up to `now` while it is running; `nil` where the end is not known, or a
    /// clock was set back meanwhile.
    func duration(now: Int64) -> Int64? {
        let end = outcome == "running" ? now : finishedAt
        guard let end, end >= startedAt else { return nil }
        let (duration, overflows) = end.subtractingReportingOverflow(startedAt)
        return overflows ? nil : duration
    }

    /// Bytes received a second; `nil` where nothing was, or where the time is not known.
    func throughput(now: Int64) -> Int64? {
        guard wireBytes > 0, let duration = duration(now: now), duration > 0 else { return nil }
        return Int64(Double(wireBytes) * 1_000_000 / Double(duration))
    }
}

/// How many items ended in which way.
package struct OutcomeCounts: Hashable, Sendable {
    package var downloaded: Int64 = 0
    package var unchanged: Int64 = 0
    package var fresh: Int64 = 0
    package var evicted: Int64 = 0
    package var failed: Int64 = 0
    package var cancelled: Int64 = 0

    /// At most what a number holds: a catalog may have been written by anybody.
    package var total: Int64 {
        [downloaded, unchanged, fresh, evicted, failed, cancelled].reduce(0) { sum, count in
            let (next, overflows) = sum.addingReportingOverflow(count)
            return overflows ? .max : next
        }
    }

    /// With their names in the catalog, in the order in which they are shown.
    var named: [(name: String, count: Int64)] {
        [
            ("downloaded", downloaded), ("unchanged", unchanged), ("fresh", fresh), ("evicted", evicted),
            ("failed", failed), ("cancelled", cancelled),
        ]
    }
}

/// Where a report goes, in pieces. The array is the writer's and is reused after the call.
package typealias ReportOutput = ([UInt8]) throws -> Void
