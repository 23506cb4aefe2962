import HTTP

/// What is left of the total timeout for one attempt: it is for all hops together, with the waits between them that
/// redirects ask for.
struct AttemptTime {
    /// Microseconds; 0 for no limit.
    private let limit: Int64
    private var spent: Int64 = 0

    init(_ profile: HTTPProfile) {
        limit = profile.configuration.totalTimeout
    }

    /// Microseconds for the next hop, at least 1: it ends at once where the time is over. 0 for no limit.
    var left: Int64 { limit == 0 ? 0 : max(1, limit - spent) }

    /// Counts so many microseconds, as far as they are left, and returns how many those are.
    @discardableResult
    mutating func spend(_ microseconds: Int64) -> Int64 {
        let time = limit == 0 ? microseconds : min(microseconds, limit - spent)
        spent += time
        return time
    }
}
