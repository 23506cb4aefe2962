/// How many durations fall into which range, the ranges being 1, 2 and 5 times the powers of ten.
package struct Histogram: Equatable, Sendable {
    /// Durations from `start` microseconds up to the next bucket's.
    package struct Bucket: Equatable, Sendable {
        package let start: Int64
        package let count: Int
    }

    /// One after the other without gaps; the first and the last one are not empty.
    package let buckets: [Bucket]

    /// More rows are no small histogram: whole decades are taken then.
    private static let mostBuckets = 12

    /// Of microseconds in ascending order; nil where there are fewer than two.
    package init?(sorted: [Int64]) {
        guard sorted.count > 1, let least = sorted.first, let most = sorted.last else { return nil }
        let fine = Self.starts(from: least, to: most, steps: [1, 2, 5])
        let starts = fine.count <= Self.mostBuckets ? fine : Self.starts(from: least, to: most, steps: [1])
        var buckets: [Bucket] = []
        var index = 0
        for (number, start) in starts.enumerated() {
            let end = number + 1 < starts.count ? starts[number + 1] : Int64.max
            let first = index
            while index < sorted.count, sorted[index] < end || end == .max { index += 1 }
            buckets.append(Bucket(start: start, count: index - first))
        }
        self.buckets = buckets
    }

    /// Where buckets begin, from the one that holds `least` to the one that holds `most`. Below 1 µs there is one.
    private static func starts(from least: Int64, to most: Int64, steps: [Int64]) -> [Int64] {
        var starts: [Int64] = [0]
        var decade: Int64 = 1
        // 10^18 is the largest power of ten that fits.
        for _ in 0...18 {
            for step in steps {
                let (start, overflows) = decade.multipliedReportingOverflow(by: step)
                guard !overflows, start <= most else { break }
                if start <= least { starts = [start] } else { starts.append(start) }
            }
            guard decade <= most / 10 else { break }
            decade *= 10
        }
        return starts
    }
}

/// A bar of block characters, to eighths of a column; a share above none is always seen.
func bar(_ count: Int, of most: Int, columns: Int) -> String {
    guard count > 0, most > 0 else { return "" }
    let eighths = max(1, (count * columns * 8 + most / 2) / most)
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
}
