import HTTP
import System

/// How much one host is asked for: less at once when it asks for less or slows down, more again slowly.
///
/// Additive increase, multiplicative decrease, as in the congestion control of TCP (RFC 5681): it holds both the number of
/// requests in flight and their rate. Until the host gives a first sign there is no limit, and the cost is a count.
struct AdaptiveLimit: Sendable {
    /// Requests that may be in flight; `Int.max` for no limit.
    private(set) var allowance = Int.max
    /// Microseconds between requests; 0 for no limit.
    private(set) var interval: Int64 = 0

    /// The allowance with its fraction, and requests a second; 0 while there is no limit.
    private var window = 0.0
    private var rate = 0.0
    /// The rate before the first cut, at which the limit is lifted.
    private var fullRate = 0.0
    /// Requests begun earlier tell of the time before the last cut.
    private var cutAt = Monotonic(microseconds: .min)
    private var raisedAt = Monotonic(microseconds: .min)

    /// Requests since `countedFrom`, and the rate of the second before.
    private var count: Int32 = 0
    private var countedFrom = Monotonic(microseconds: 0)
    private var lastRate = 0.0

    /// Moving averages of the time to the first byte, microseconds: of some 8 and some 64 replies.
    private var recentWait: Int64 = 0
    private var usualWait: Int64 = 0
    private var samples: Int32 = 0

    /// What is left of both after a refusal, and after a slowdown.
    static let refusalFactor = 0.5
    static let slowdownFactor = 0.7
    /// A host that is asked less often is not asked more politely, only longer.
    static let leastRate = 0.5
    /// Fewer requests tell no rate.
    private static let leastCount: Int32 = 10
    /// The rate rises by this part of the full one each second.
    private static let raise = 0.05
    /// A slowdown: the recent replies take this many times as long as usual, and at least so much longer.
    private static let slowdownRatio: Int64 = 3
    private static let leastSlowdown: Int64 = 500_000
    private static let leastSamples: Int32 = 16

    /// Requests a second; nil for no limit.
    var limitedRate: Double? { interval > 0 ? rate : nil }

    /// A request begins.
    mutating func began(at now: Monotonic) {
        if count == 0 { countedFrom = now }
        count += 1
        let elapsed = now - countedFrom
        guard elapsed >= 1_000_000 else { return }
        lastRate = count >= Self.leastCount ? Double(count) * 1_000_000 / Double(elapsed) : 0
        count = 0
    }

    /// The host answered a request.
    ///
    /// - Parameters:
    ///   - inFlight: how many were, this one included.
    ///   - ceiling: how many may be without this limit.
    /// - Returns: whether it has slowed down so much that the limit was cut.
    mutating func answered(
        wait: Int64, begun: Monotonic, at now: Monotonic, inFlight: Int, ceiling: Int
    ) -> Bool {
        if samples == 0 {
            recentWait = wait
            usualWait = wait
        } else {
            recentWait += (wait - recentWait) / 8
            usualWait += (wait - usualWait) / 64
        }
        if samples < Self.leastSamples { samples += 1 }
        if samples == Self.leastSamples, begun >= cutAt, recentWait > usualWait * Self.slowdownRatio,
            recentWait - usualWait > Self.leastSlowdown
        {
            // The next cut wants another slowdown, beyond this one.
            usualWait = recentWait
            cut(to: Self.slowdownFactor, at: now, inFlight: inFlight)
            return true
        }
        if allowance != .max || interval > 0, begun >= cutAt { rise(at: now, ceiling: ceiling) }
        return false
    }

    /// The host refused a request, or failed as an overloaded one does.
    ///
    /// - Returns: whether the limit was cut: once for all requests that were in flight together.
    mutating func refused(begun: Monotonic, at now: Monotonic, inFlight: Int) -> Bool {
        guard begun >= cutAt else { return false }
        // Of a host that is asked once there is nothing to cut.
        guard inFlight > 1 || allowance != .max || measuredRate(at: now) > 0 else { return false }
        cut(to: Self.refusalFactor, at: now, inFlight: inFlight)
        return true
    }

    private mutating func cut(to factor: Double, at now: Monotonic, inFlight: Int) {
        let current = allowance == .max ? Double(inFlight) : min(window, Double(inFlight))
        window = max(1, current * factor)
        allowance = Int(window)
        let measured = measuredRate(at: now)
        if measured > 0 || rate > 0 {
            fullRate = max(fullRate, measured)
            rate = max(Self.leastRate, (rate > 0 ? min(rate, max(measured, Self.leastRate)) : measured) * factor)
            interval = Int64(1_000_000 / rate)
        }
        cutAt = now
        raisedAt = now
    }

    private mutating func rise(at now: Monotonic, ceiling: Int) {
        if allowance != .max {
            // One more for each round of replies.
            window += 1 / window
            allowance = window >= Double(ceiling) ? .max : Int(window)
        }
        if interval > 0 {
            // Counted from the last reply: silence is no reason for more.
            rate += fullRate * Self.raise * Double(min(now - raisedAt, 1_000_000)) / 1_000_000
            if rate >= fullRate {
                rate = 0
                interval = 0
            } else {
                interval = Int64(1_000_000 / rate)
            }
        }
        raisedAt = now
    }

    /// Requests a second of late; 0 where too few were made to tell.
    private func measuredRate(at now: Monotonic) -> Double {
        guard count >= Self.leastCount else { return lastRate }
        // A burst within less time says nothing of a rate that could go on.
        return Double(count) * 1_000_000 / Double(max(now - countedFrom, 10_000))
    }
}
