/// Rates over the last seconds, from samples of running totals.
package struct RateMeter: Sendable {
    private struct Sample {
        var time: Int64
        var items: Int
        var bytes: Int64
    }

    /// Microseconds that a rate looks back.
    static let window: Int64 = 5_000_000
    /// Samples closer together than this replace one another, so that the window holds few.
    private static let spacing: Int64 = 100_000

    private var samples: [Sample]

    /// - Parameter start: now, in microseconds of a monotonic clock.
    package init(start: Int64) {
        samples = [Sample(time: start, items: 0, bytes: 0)]
    }

    /// Takes the totals at a time that is not before that of the last call.
    package mutating func record(items: Int, bytes: Int64, at time: Int64) {
        let sample = Sample(time: time, items: items, bytes: bytes)
        if samples.count > 1, time - samples[samples.count - 2].time < Self.spacing {
            samples[samples.count - 1] = sample
        } else {
            samples.append(sample)
        }
        // The last sample outside the window stays: rates are measured from it.
        while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// Items a second; nil before there is anything to measure.
    package var items: Double? { rate { Double($0.items) } }

    /// Bytes a second; nil before there is anything to measure.
    package var bytes: Double? { rate { Double($0.bytes) } }

    private func rate(_ total: (Sample) -> Double) -> Double? {
        guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.spacing else {
            return nil
        }
        return (total(last) - total(first)) * 1e6 / Double(last.time - first.time)
    }
}
