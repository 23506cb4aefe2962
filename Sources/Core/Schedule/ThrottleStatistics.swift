import Model

extension ThrottleStatistics {
    /// Takes over what the limit is after a cut.
    mutating func note(_ limit: AdaptiveLimit) {
        cuts += 1
        leastConcurrency = min(leastConcurrency ?? .max, limit.allowance)
        if let rate = limit.limitedRate { leastRate = min(leastRate ?? rate, rate) }
    }
}
