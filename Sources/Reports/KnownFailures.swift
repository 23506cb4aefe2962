package import Model

/// Permanent failures of one run that earlier runs met, reported together.
package struct KnownFailures: Sendable {
    package private(set) var count = 0
    private var reasons: [String: Int] = [:]
    /// The first day on which one of them was met.
    private var since: String?
    /// When the first of them is asked again.
    private var next: String?

    package init() {}

    package mutating func add(_ failure: KnownFailure) {
        count += 1
        reasons[failure.reason ?? "failed", default: 0] += 1
        since = [since, failure.since].compactMap { $0 }.min()
        next = [next, failure.next].compactMap { $0 }.min()
    }

    /// `12 known failures, not asked: 404 (10), unavailable (2), since 2026-10-01, next attempt 2026-11-23 06:47:19 UTC`.
    package var text: String {
        "\(countText(Int64(count))) known \(count == 1 ? "failure" : "failures"), not asked: "
            + reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { reasons.count == 1 ? $0.key : "\($0.key) (\(countText(Int64($0.value))))" }.joined(separator: ", ")
            + (reasons.count == 1 ? "" : ",") + attempts
    }

    /// ` since 2026-10-01, next attempt 2026-11-23 06:47:19 UTC`.
    var attempts: String {
        (since.map { " since \(displayable($0))" } ?? "") + (next.map { ", next attempt \(displayable($0))" } ?? "")
    }
}
