/// How a job had to go easy on a host: a row of the `throttle` table.
struct HostStrain: Sendable, Equatable {
    /// Replies 429 and 503.
    var refusals = 0
    /// How often the share of the host was cut.
    var cuts = 0
    /// The fewest requests at a time; nil where they were never limited.
    var leastConcurrency: Int?
    /// The fewest requests a second; nil where they were never limited.
    var leastRate: Double?
    /// Microseconds for which the host was left alone, because it asked for it or failed again and again.
    var held: Int64 = 0
    /// How often it was left alone because it failed again and again.
    var pauses = 0
    /// Items that were given up meanwhile.
    var givenUp = 0

    /// Takes over what the limit is after a cut.
    mutating func note(_ limit: AdaptiveLimit) {
        cuts += 1
        leastConcurrency = min(leastConcurrency ?? .max, limit.allowance)
        if let rate = limit.limitedRate { leastRate = min(leastRate ?? rate, rate) }
    }
}
