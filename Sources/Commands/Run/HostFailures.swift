import Model
import Reports

/// Failures that are a host's, not an item's: the first is reported, the others are counted.
struct HostFailures: Sendable {
    private struct Reason: Hashable, Sendable {
        let job: String
        let host: String
        let word: FailureWord
        let status: Int?
    }

    /// How many came after the first.
    private var more: [Reason: Int] = [:]

    /// Counts a failure.
    ///
    /// - Returns: whether it is to be reported by itself.
    mutating func isFirst(_ item: ItemFinished) -> Bool {
        let transfer = item.transfer
        guard let word = transfer.failure, isOfHost(word, transfer.status) else { return true }
        let reason = Reason(job: item.job, host: hostText(item.url), word: word, status: transfer.status)
        guard let count = more[reason] else {
            more[reason] = 0
            return true
        }
        more[reason] = count + 1
        return false
    }

    /// What of a job was only counted, a line for each host and reason.
    mutating func rest(of job: String) -> [String] {
        let counted = more.filter { $0.key.job == job && $0.value > 0 }
        more = more.filter { $0.key.job != job }
        return counted.map { reason, count in
            let why = reason.status.map { "status \($0)" } ?? reason.word.explanation
            return "\(job): \(count) more of \(displayable(reason.host)): \(reason.word.rawValue): \(why)"
        }.sorted()
    }

    private func isOfHost(_ word: FailureWord, _ status: Int?) -> Bool {
        switch word {
        case .dns, .connect, .tls, .timeout, .stalled, .reset, .proxy, .blockedAddress: true
        case .http: status.map { [401, 403, 407, 429].contains($0) || $0 >= 500 } ?? false
        default: false
        }
    }
}
