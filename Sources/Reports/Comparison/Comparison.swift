/// What a run is compared with.
package enum Baseline: Hashable, Sendable {
    /// The run of the job before it.
    case previous
    /// One run of the job.
    case run(Int64)
    /// The last so many runs that are like it.
    case median(Int)

    /// The last ten like runs.
    package static let standard = Baseline.median(10)

    /// As `--compare` takes it.
    var name: String {
        switch self {
        case .previous: "previous"
        case .run(let id): "\(id)"
        case .median(let count): "median:\(count)"
        }
    }
}

/// A run beside others: what is different, what is a regression, and since when.
package struct Comparison: Sendable {
    /// A metric now and before.
    package struct Difference: Sendable {
        package let metric: Metric
        /// nil where it is not known, or its transfers are too few.
        let now: MeasuredValue?
        /// The median of the runs before, or the one run's value.
        let before: Double?
        /// How far the runs before are spread; nil where they are too few to say.
        let deviation: Double?
        package let isRegressed: Bool
    }

    /// A metric that changed with one run, and stayed so.
    package struct LastingStep: Sendable {
        package let metric: Metric
        /// The first run after it.
        package let run: Int64
        let before: Double
        let after: Double
    }

    package let baseline: Baseline
    /// The runs that it is compared with, the earliest first.
    package let runs: [Int64]
    /// Whether the runs are enough to call something a regression.
    package let isEnough: Bool
    package let differences: [Difference]
    /// The hosts with the most transfers, by name.
    package let hosts: [(host: String, differences: [Difference])]
    package let steps: [LastingStep]

    /// Fewer like runs do not say what is ordinary.
    static let leastRuns = 5
    /// Microseconds under which no difference of times is worth a word.
    static let leastDifference = 50_000.0

    /// The worst of what regressed: the metric that is the largest multiple of what it was; of a host where there is one.
    var worst: (host: String?, difference: Difference)? {
        let all =
            differences.map { (host: String?.none, difference: $0) }
            + hosts.flatMap { host in host.differences.map { (host: String?.some(host.host), difference: $0) } }
        return all.filter(\.difference.isRegressed).max { $0.difference.factor < $1.difference.factor }
    }

    var isRegressed: Bool { worst != nil }
}

extension Comparison.Difference {
    /// How many times what it was the value is now; 1 where that is not known.
    var factor: Double {
        guard let now, let before, before > 0 else { return 1 }
        return now.value / before
    }
}

extension Comparison {
    /// Compares a run with one other: nothing is called a regression, since one run does not say what is ordinary.
    init(_ run: RunMeasures, with other: RunMeasures?, as baseline: Baseline) {
        self.init(run, with: other.map { [$0] } ?? [], history: [], as: baseline)
    }

    /// Compares a run with the last of those that are like it.
    ///
    /// - Parameters:
    ///   - history: runs before it that are like it, the earliest first.
    ///   - count: how many of them are the measure; steps are looked for in all.
    init(_ run: RunMeasures, withLast count: Int, of history: [RunMeasures]) {
        // Another version of HTTP is another way of fetching.
        let history = history.filter {
            $0.httpVersion == nil || run.httpVersion == nil || $0.httpVersion == run.httpVersion
        }
        self.init(run, with: Array(history.suffix(count)), history: history, as: .median(count))
    }

    private init(_ run: RunMeasures, with others: [RunMeasures], history: [RunMeasures], as baseline: Baseline) {
        self.baseline = baseline
        runs = others.map(\.run)
        let isJudging = if case .median = baseline { true } else { false }
        isEnough = isJudging && others.count >= Self.leastRuns
        let reasons = Set(([run] + others).flatMap(\.values.keys)).filter {
            if case .failure = $0 { true } else { false }
        }
        differences = (Metric.compared + reasons.sorted { $0.name < $1.name }).compactMap { metric in
            let peers = metric.dependsOnTransfers && isJudging ? others.filter { Self.asksAlike($0, run) } : others
            return Self.difference(
                metric, run.values[metric], peers.map { $0.values[metric] }, isJudged: isJudging)
        }
        hosts = run.hosts.keys.sorted().map { host in
            let differences = Metric.comparedByHost.compactMap { metric in
                Self.difference(
                    metric, run.hosts[host]?[metric], others.map { $0.hosts[host]?[metric] }, isJudged: isJudging)
            }
            return (host, differences)
        }
        steps = Self.steps(in: history + [run])
    }

    /// Whether two runs asked for about as many items, so that the time of all of them may be compared.
    private static func asksAlike(_ one: RunMeasures, _ other: RunMeasures) -> Bool {
        let (low, high) = (Double(min(one.transfers, other.transfers)), Double(max(one.transfers, other.transfers)))
        return high <= 1.2 * low
    }

    /// nil where neither the run nor those before it have a value.
    private static func difference(
        _ metric: Metric, _ now: MeasuredValue?, _ before: [MeasuredValue?], isJudged: Bool
    ) -> Difference? {
        let values = before.compactMap { $0?.value }
        let statistics = RobustStatistics(values)
        guard now != nil || statistics != nil else { return nil }
        let isEnough = isJudged && values.count >= leastRuns
        let isRegressed =
            isEnough && metric.isJudged
            && now.map { statistics?.isExceeded(by: $0.value, leastDifference: leastDifference) == true } == true
        return Difference(
            metric: metric, now: now, before: statistics?.median, deviation: isEnough ? statistics?.deviation : nil,
            isRegressed: isRegressed)
    }

    private static func steps(in runs: [RunMeasures]) -> [LastingStep] {
        guard let last = runs.last else { return [] }
        return Metric.steady.compactMap { metric in
            let peers = metric.dependsOnTransfers ? runs.filter { asksAlike($0, last) } : runs
            let series = peers.compactMap { run in run.values[metric].map { (run: run.run, value: $0.value) } }
            guard let step = Step.find(in: series.map(\.value), leastDifference: leastDifference) else { return nil }
            return LastingStep(metric: metric, run: series[step.index].run, before: step.before, after: step.after)
        }
    }
}
