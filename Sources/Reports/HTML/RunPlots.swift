internal import Catalog
internal import Glibc

/// What a run's plots are drawn of, all but the single transfers: counted over every transfer, however many are shown.
struct RunPlots {
    /// How often transfers took so long: `counts[i]` between `edges[i]` and `edges[i + 1]` microseconds.
    struct Times {
        let edges: [Double]
        let counts: [Int]
        let p50: Int64
        let p90: Int64
        let p99: Int64
    }

    /// Bytes received a second, in steps of so many microseconds from the run's start.
    struct Throughput {
        let step: Int64
        let values: [Int64]
    }

    let times: Times?
    let throughput: Throughput?
    /// How many transfers were in flight at most.
    let slots: Int
    /// Microseconds from the run's start to the end of its last transfer.
    let length: Int64

    private static let binsPerDecade = 8.0
    private static let throughputSteps: Int64 = 120

    init(_ spans: [TransferSpan], lanes: [Int], start: Int64) {
        slots = (lanes.max() ?? -1) + 1
        length = max(0, (spans.map(\.end).max() ?? start) - start)
        times = Self.times(spans.map(\.total).filter { $0 > 0 }.sorted())
        throughput = Self.throughput(spans, start: start, length: length)
    }

    private static func times(_ sorted: [Int64]) -> Times? {
        guard let least = sorted.first, let most = sorted.last else { return nil }
        let first = (log10(Double(least)) * binsPerDecade).rounded(.down)
        let last = max((log10(Double(most) + 1) * binsPerDecade).rounded(.up), first + 1)
        let edges = stride(from: first, through: last, by: 1).map { pow(10, $0 / binsPerDecade) }
        var counts = [Int](repeating: 0, count: edges.count - 1)
        var bin = 0
        for time in sorted {
            while bin + 1 < counts.count, Double(time) >= edges[bin + 1] { bin += 1 }
            counts[bin] += 1
        }
        return Times(
            edges: edges, counts: counts, p50: percentile(50, of: sorted), p90: percentile(90, of: sorted),
            p99: percentile(99, of: sorted))
    }

    /// The bytes of each transfer are spread evenly over the time in which it received them.
    private static func throughput(_ spans: [TransferSpan], start: Int64, length: Int64) -> Throughput? {
        guard length > 0, spans.contains(where: { $0.wireBytes > 0 }) else { return nil }
        let step = max(1, (length + throughputSteps - 1) / throughputSteps)
        var sums = [Double](repeating: 0, count: Int((length + step - 1) / step))
        for span in spans where span.wireBytes > 0 {
            let end = min(max(span.end - start, 1), length)
            let begin = min(max(end - max(span.receive, 1), 0), end - 1)
            let rate = Double(span.wireBytes) / Double(end - begin)
            for index in Int(begin / step)...Int((end - 1) / step) {
                let overlap = min(end, Int64(index + 1) * step) - max(begin, Int64(index) * step)
                sums[index] += rate * Double(overlap)
            }
        }
        let perSecond = sums.map { Int64(min($0 * 1_000_000 / Double(step), 9e15)) }
        return Throughput(step: step, values: perSecond)
    }
}

/// Which transfers of a run are in its report: all, or of too many those that failed, the slowest and a sample.
struct ShownTransfers {
    /// In the order in which they began, and their lanes.
    let spans: [TransferSpan]
    let lanes: [Int]
    /// For which nothing was asked.
    let quiet: [Int64]
    /// Of how many.
    let total: Int

    var count: Int { spans.count + quiet.count }
    var isSample: Bool { count < total }

    static let most = 100_000
    private static let slowest = 1_000
    private static let sample = 20_000

    init(_ all: [TransferSpan], lanes: [Int], quiet: [QuietTransfer]) {
        total = all.count + quiet.count
        guard total > Self.most else {
            spans = all
            self.lanes = lanes
            self.quiet = quiet.map(\.item)
            return
        }
        var isShown = [Bool](repeating: false, count: all.count)
        for index in all.indices.sorted(by: { all[$0].total > all[$1].total }).prefix(Self.slowest) {
            isShown[index] = true
        }
        let every = max(1, total / Self.sample)
        var failures = 0
        for index in all.indices {
            if all[index].isFailed, failures < Self.most {
                failures += 1
                isShown[index] = true
            }
            if index % every == 0 { isShown[index] = true }
        }
        let chosen = all.indices.filter { isShown[$0] }
        spans = chosen.map { all[$0] }
        self.lanes = chosen.map { lanes[$0] }
        self.quiet = quiet.enumerated().filter { index, transfer in
            if transfer.isFailed, failures < Self.most {
                failures += 1
                return true
            }
            return index % every == 0
        }.map(\.element.item)
    }
}
