import HTTP
import System

/// A Content-Range field of one range of bytes (RFC 9110 section 14.4).
struct ContentRange: Equatable {
    /// nil for the unsatisfied form, `bytes */N`.
    var bytes: Range<Int64>?
    /// nil when the server does not tell, `*`.
    var total: Int64?

    init?(_ field: String) {
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] != "*" {
            guard let number = wholeNumber(parts[1]) else { return nil }
            total = number
        }
        guard parts[0] != "*" else { return }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = wholeNumber(ends[0]), let last = wholeNumber(ends[1]), start <= last,
            last < total ?? .max
        else { return nil }
        bytes = start..<last + 1
    }
}
