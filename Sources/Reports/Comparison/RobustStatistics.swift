/// The middle and the spread of a few values, of which some may be far off.
struct RobustStatistics: Hashable, Sendable {
    let median: Double
    /// 1.4826 times the median absolute deviation, which is the standard deviation of values without outliers, and at least
    /// two per cent of the median: a machine is never quieter than that.
    let deviation: Double

    /// nil for no values.
    init?(_ values: [Double]) {
        guard let median = Self.median(values) else { return nil }
        self.median = median
        let spread = Self.median(values.map { abs($0 - median) }) ?? 0
        deviation = max(1.4826 * spread, 0.02 * abs(median))
    }

    /// The mean of the two middle ones where their number is even; nil for none.
    static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Whether a value is above what these values make likely, by a share and an amount that matter.
    ///
    /// - Parameter leastDifference: what a difference must be above, in the unit of the values.
    func isExceeded(by value: Double, leastDifference: Double) -> Bool {
        value > median + 4 * deviation && value > 1.25 * median && value - median > leastDifference
    }
}

/// A lasting change in a series of values.
struct Step: Hashable, Sendable {
    /// Where in the series the values after it begin.
    let index: Int
    let before: Double
    let after: Double
}

extension Step {
    /// Values that a side of a step needs.
    static let leastCount = 5

    /// The split of the series with which its values lie closest to the medians of the two sides, where these differ as much
    /// as a value must to be out of the ordinary; nil where they do not. A slow trend has sides whose own spread is larger
    /// than the difference of their medians, and is none.
    ///
    /// - Parameter leastDifference: what the medians must differ by, in the unit of the values.
    static func find(in values: [Double], leastDifference: Double) -> Step? {
        guard values.count >= 2 * leastCount else { return nil }
        var best: (index: Int, cost: Double)?
        for index in leastCount...(values.count - leastCount) {
            let cost = cost(values[..<index]) + cost(values[index...])
            if cost < best?.cost ?? .infinity { best = (index, cost) }
        }
        guard let best,
            let before = RobustStatistics(Array(values[..<best.index])),
            let after = RobustStatistics(Array(values[best.index...]))
        else { return nil }
        // Both sides must be apart by the rule, so that one wild side does not make a step of noise.
        let (low, high) = before.median < after.median ? (before, after) : (after, before)
        let widest = max(before.deviation, after.deviation)
        guard low.isExceeded(by: high.median, leastDifference: leastDifference),
            high.median - low.median > 4 * widest
        else { return nil }
        return Step(index: best.index, before: before.median, after: after.median)
    }

    /// How far values are from their median, all together.
    private static func cost(_ values: ArraySlice<Double>) -> Double {
        let values = Array(values)
        let median = RobustStatistics.median(values) ?? 0
        return values.reduce(0) { $0 + abs($1 - median) }
    }
}
