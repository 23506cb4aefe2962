/// What a report says above its tables. The rows of the tables are read while they are written.
package struct Report: Sendable {
    package let request: ReportRequest
    /// In the order in which they started.
    package let runs: [RunReport]
    /// The jobs asked for of which no run was found, by name.
    package let jobsWithoutRuns: [String]
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
    package let counts: OutcomeCounts
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
    package func duration(now: Int64) -> Int64? {
        let end = outcome == "running" ? now : finishedAt
        guard let end, end >= startedAt else { return nil }
        let (duration, overflows) = end.subtractingReportingOverflow(startedAt)
        return overflows ? nil : duration
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
    package var named: [(name: String, count: Int64)] {
        [
            ("downloaded", downloaded), ("unchanged", unchanged), ("fresh", fresh), ("evicted", evicted),
            ("failed", failed), ("cancelled", cancelled),
        ]
    }
}

/// Where a report goes, in pieces. The array is the writer's and is reused after the call.
package typealias ReportOutput = ([UInt8]) throws -> Void
