import System

/// A permanent failure that an earlier run met, and that is not asked again yet: 404, 410, a placeholder, an entry of the
/// list that can't be fetched.
///
/// Its row is `failed` with attempts 0, and `detail` tells of it: `not asked again before 2026-11-23 06:47:19 UTC; 404 since
/// 2026-11-22`.
package struct KnownFailure: Sendable, Hashable {
    /// The status, or the failure's word: `404`.
    package let reason: String?
    /// The day in UTC on which it was met first; nil where the catalog does not know.
    package let since: String?
    /// The time in UTC before which nothing is asked.
    package let next: String

    private static let prefix = "not asked again before "

    /// - Parameters:
    ///   - status: the status that it was, of `http`.
    ///   - since: microseconds since 1970 UTC, as `next`.
    package init(_ word: FailureWord, status: Int?, since: Int64?, next: Int64) {
        reason = status.map { "\($0)" } ?? word.rawValue
        self.since = since.map { String(utcText($0).prefix { $0 != " " }) }
        self.next = utcText(next)
    }

    /// Reads `transfer.detail`; nil for one that tells of something else.
    package init?(detail: String?) {
        guard let detail, detail.hasPrefix(Self.prefix) else { return nil }
        let parts = detail.dropFirst(Self.prefix.count).split(separator: "; ", maxSplits: 1)
        guard let next = parts.first else { return nil }
        self.next = String(next)
        // Further details follow a colon.
        let rest = parts.dropFirst().first.map { $0.prefix { $0 != ":" } }
        let words = rest?.split(separator: " ").map(String.init) ?? []
        if words.count == 3, words[1] == "since" {
            (reason, since) = (words[0], words[2])
        } else {
            (reason, since) = (nil, nil)
        }
    }

    /// `transfer.detail`.
    package func detail(_ more: String?) -> String {
        var text = Self.prefix + next
        if let reason, let since { text += "; \(reason) since \(since)" }
        if let more { text += ": \(more)" }
        return text
    }
}
