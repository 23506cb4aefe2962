/// How a job throttled a host: a row of the `throttle` table.
package struct ThrottleStatistics: Sendable, Equatable {
    /// Replies 429 and 503.
    package var refusals = 0
    /// How often the share of the host was cut.
    package var cuts = 0
    /// The fewest requests at a time; nil where they were never limited.
    package var leastConcurrency: Int?
    /// The fewest requests a second; nil where they were never limited.
    package var leastRate: Double?
    /// Microseconds for which the host was paused, because it asked for it or failed again and again.
    package var held: Int64 = 0
    /// How often it was paused because it failed again and again.
    package var pauses = 0
    /// Items that were skipped meanwhile.
    package var givenUp = 0

    package init() {}
}
