/// A figure of a run that is compared with others, or with a limit.
package enum Metric: Hashable, Sendable {
    case failed, failedShare, items, bytes, duration, throughput, reusedShare
    /// Failures of one reason, `transfer.failure`.
    case failure(String)
    /// Of the transfers with this outcome: those that were downloaded, or those that were unchanged, never of both.
    case percentile(Int, TimedPhase, outcome: String)

    /// As `--fail-if` and reports name it: `failed%`, `p90 wait`.
    var name: String {
        switch self {
        case .failed: "failed"
        case .failedShare: "failed%"
        case .items: "items"
        case .bytes: "bytes"
        case .duration: "duration"
        case .throughput: "throughput"
        case .reusedShare: "reused%"
        case .failure(let word): "failed \(word)"
        case .percentile(let percent, let phase, "downloaded"): "p\(percent) \(phase.rawValue)"
        case .percentile(let percent, let phase, let outcome): "p\(percent) \(phase.rawValue) of \(outcome)"
        }
    }

    enum Unit: String, Sendable {
        case count
        /// Per cent.
        case share = "%"
        case bytes
        case bytesPerSecond = "bytes/s"
        case microseconds = "us"
    }

    var unit: Unit {
        switch self {
        case .failed, .items, .failure: .count
        case .failedShare, .reusedShare: .share
        case .bytes: .bytes
        case .throughput: .bytesPerSecond
        case .duration, .percentile: .microseconds
        }
    }

    /// Whether more of it than in other runs is a regression: it is a time.
    var isJudged: Bool { unit == .microseconds }

    /// Whether it is comparable only among runs that asked for as many items.
    var dependsOnTransfers: Bool {
        switch self {
        case .duration, .throughput, .bytes: true
        default: false
        }
    }

    /// A value for people.
    func text(_ value: Double) -> String {
        let whole = Int64(exactly: value.rounded()) ?? .max
        switch unit {
        case .count: return countText(whole)
        case .share: return "\(Self.tenths(value)) %"
        case .bytes: return byteText(whole)
        case .bytesPerSecond: return "\(byteText(whole))/s"
        case .microseconds: return durationText(microseconds: whole)
        }
    }

    /// `12.5`, `3`.
    private static func tenths(_ value: Double) -> String {
        let tenths = Int64(exactly: (value * 10).rounded()) ?? .max
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }
}

/// A phase of transfers whose percentiles are figures of a run.
package enum TimedPhase: String, CaseIterable, Sendable {
    case dns, connect, tls, wait, receive, total

    /// Those that are compared without being asked for.
    static let compared = [TimedPhase.wait, .receive, .total]
}

extension Metric {
    /// Those that are compared in every report, in order.
    static let compared: [Metric] =
        [.duration, .throughput, .items, .bytes, .failed, .reusedShare]
        + ["downloaded", "unchanged"].flatMap { outcome in
            TimedPhase.compared.flatMap { phase in
                [50, 90, 99].map { Metric.percentile($0, phase, outcome: outcome) }
            }
        }

    /// Those that are compared for each host.
    static let comparedByHost: [Metric] = [TimedPhase.wait, .total].flatMap { phase in
        [50, 90, 99].map { Metric.percentile($0, phase, outcome: "downloaded") }
    }

    /// Those in which steps are looked for.
    static let steady: [Metric] =
        [.duration]
        + [TimedPhase.wait, .receive, .total].flatMap { phase in
            [50, 90].map { Metric.percentile($0, phase, outcome: "downloaded") }
        }
}
