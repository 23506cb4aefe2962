/// How long to wait before a transient failure is tried again: exponential, with full jitter.
///
/// The n-th retry waits between nothing and `base * 2^(n-1)`, at most `limit`: 0.5 s, 1 s, 2 s, 4 s … 30 s. Full jitter
/// keeps clients that failed together from coming back together.
package struct Backoff: Sendable {
    package var base: Int64 = 500_000
    package var limit: Int64 = 30_000_000

    package init() {}

    /// Microseconds to wait.
    ///
    /// - Parameter retry: 1 for the first.
    func delay(retry: Int, using generator: inout some RandomNumberGenerator) -> Int64 {
        let ceiling = retry >= 32 ? limit : min(limit, base << Int64(max(retry - 1, 0)))
        return Int64.random(in: 0...ceiling, using: &generator)
    }
}
