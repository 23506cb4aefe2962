/// Tells a stall: fewer than 1,000 bytes in the time allowed.
///
/// It runs in time during which the transfer could have received, so a bandwidth limit is no stall.
struct StallClock {
    /// The progress that starts the clock anew.
    static let leastBytes = 1_000

    private var since: Int64?
    private var bytes = 0

    /// The request is about to be sent; `time` in microseconds of open time.
    mutating func start(at time: Int64, bytes: Int) {
        since = time
        self.bytes = bytes
    }

    /// Whether the transfer has stalled at `time`, having received `bytes` since its start.
    mutating func hasStalled(at time: Int64, bytes: Int, limit: Int64) -> Bool {
        guard let since, limit > 0 else { return false }
        if bytes - self.bytes >= Self.leastBytes {
            start(at: time, bytes: bytes)
            return false
        }
        return time - since >= limit
    }
}
