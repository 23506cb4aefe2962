/// How one item ended in one run: a row of the `transfer` table.
package struct TransferRecord: Sendable, Hashable {
    package var outcome: TransferOutcome
    /// Requests begun for the item, redirects not counted; 0 when nothing was asked.
    package var attempts = 0
    /// The last reply's status code.
    package var status: Int?
    package var failure: FailureWord?
    /// For people: what failed and how.
    package var detail: String?
    /// First attempt, microseconds since 1970 UTC.
    package var startedAt: Int64?
    /// For a permanent failure that was not asked again.
    package var known: KnownFailure?
    package var timings: TransferTimings?
    package var wireBytes: Int64?
    package var bodyBytes: Int64?
    package var httpVersion: String?
    package var isConnectionReused: Bool?
    package var address: String?

    package init(outcome: TransferOutcome, failure: FailureWord? = nil, detail: String? = nil) {
        self.outcome = outcome
        self.failure = failure
        self.detail = detail
    }
}

/// Microseconds of monotonic time. The phases are the last attempt's, summed over its hops.
package struct TransferTimings: Sendable, Hashable {
    /// From listed to the first attempt.
    package var queue: Int64 = 0
    package var dns: Int64 = 0
    package var connect: Int64 = 0
    package var tls: Int64 = 0
    /// From the request sent to the first byte.
    package var wait: Int64 = 0
    package var receive: Int64 = 0
    /// From the last byte to the published file; nil when none was published.
    package var store: Int64?
    /// From the first attempt to the final outcome, back-off included.
    package var elapsed: Int64 = 0

    /// Exactly the sum of the phases.
    package var total: Int64 { dns + connect + tls + wait + receive }

    package init() {}
}

/// `transfer.outcome`.
package enum TransferOutcome: String, Sendable, CaseIterable {
    /// New bytes were published.
    case downloaded
    /// The server was asked: 304, or the same SHA-256.
    case unchanged
    /// Nothing was asked.
    case fresh
    /// Nothing was asked: the file has gone to keep within `output.max_bytes`, and nobody wants it back.
    case evicted
    case failed
    case cancelled

    /// Whether the item has its file now.
    package var hasFile: Bool { self == .downloaded || self == .unchanged || self == .fresh }
}
