import Catalog
import SQLite
import TestSupport
import Testing

@testable import Reports

@Suite("Comparing runs", .timeLimit(.minutes(2)))
struct ComparisonTests {
    /// Values around a level with the noise of a network: mostly a few per cent, sometimes far above.
    private static func noise(_ level: Double, _ random: inout SplitMix) -> Double {
        let spread = (0..<6).reduce(0.0) { sum, _ in sum + Double.random(in: -1...1, using: &random) } / 6
        let outlier = Double.random(in: 0...1, using: &random) < 0.04 ? Double.random(in: 1...3, using: &random) : 1
        return level * (1 + 0.2 * spread) * outlier
    }

    private func measures(_ run: Int64, wait: Double, version: String = "2") -> RunMeasures {
        let samples = (0..<20).map { _ in
            TransferSample(url: "https://a/", wait: Int64(wait), total: Int64(wait) + 1_000, httpVersion: version)
        }
        return RunMeasures(RunTimes(run: run, duration: 1_000_000, items: 20, samples: samples), hosts: ["a"])
    }

    @Test("a step at run 40 of fifty is found there, whatever the noise", arguments: 0..<50)
    func step(seed: UInt64) throws {
        var random = SplitMix(seed)
        let values = (1...50).map { Self.noise($0 < 40 ? 200_000 : 420_000, &random) }
        let step = try #require(Step.find(in: values, leastDifference: 50_000))
        #expect((38...42).contains(step.index + 1))
        #expect(step.before < step.after)
    }

    @Test("two hundred quiet series raise at most two alarms, and no steps")
    func quiet() {
        var random = SplitMix(7)
        var (alarms, steps) = (0, 0)
        for _ in 0..<200 {
            let values = (0..<50).map { _ in Self.noise(200_000, &random) }
            if Step.find(in: values, leastDifference: 50_000) != nil { steps += 1 }
            let typical = (0..<11).map { _ in 200_000 * (1 + Double.random(in: -0.2...0.2, using: &random)) }
            let before = RobustStatistics(Array(typical.dropLast()))
            if before?.isExceeded(by: typical[10], leastDifference: 50_000) == true { alarms += 1 }
        }
        #expect(alarms <= 2 && steps == 0, "\(alarms) alarms, \(steps) steps")
    }

    @Test("a slow trend is no step, however steep", arguments: [0.5, 1, 4, 20])
    func trend(growth: Double) {
        var random = SplitMix(3)
        let values = (0..<50).map {
            200_000 * (1 + growth * Double($0) / 50) + Double.random(in: 0...5_000, using: &random)
        }
        #expect(Step.find(in: values, leastDifference: 50_000) == nil)
    }

    @Test("a value must be far in deviations, in share and in time to be a regression")
    func rule() throws {
        let quiet = try #require(RobustStatistics([100_000, 100_000, 100_000, 100_000, 100_000]))
        #expect(quiet.deviation == 2_000)
        #expect(!quiet.isExceeded(by: 149_000, leastDifference: 50_000))
        #expect(quiet.isExceeded(by: 151_000, leastDifference: 50_000))
        let wide = try #require(RobustStatistics([400_000, 600_000, 1_000_000, 1_400_000, 1_600_000]))
        #expect(!wide.isExceeded(by: 3_000_000, leastDifference: 50_000))
        #expect(RobustStatistics([]) == nil)
    }

    @Test("fewer than five like runs are not enough, five are")
    func fewRuns() {
        for count in 0...6 {
            let comparison = Comparison(
                measures(50, wait: 900_000), withLast: 10, of: (0..<count).map { measures(Int64($0), wait: 100_000) })
            #expect(comparison.isEnough == (count >= 5) && comparison.isRegressed == (count >= 5))
            #expect(comparison.headline.hasPrefix(count >= 5 ? "regressed: " : "not enough runs: \(count) "))
        }
    }

    @Test("runs over another version of HTTP are not like it, and the worst names its host")
    func versions() throws {
        let history = (0..<6).map { measures(Int64($0), wait: 100_000, version: "1.1") }
        #expect(!Comparison(measures(9, wait: 900_000), withLast: 10, of: history).isEnough)
        let comparison = Comparison(measures(9, wait: 900_000, version: "1.1"), withLast: 10, of: history)
        let worst = try #require(comparison.worst)
        #expect(worst.difference.metric.name.contains("wait") && comparison.headline.contains("9.0 times"))
    }

    @Test("beside one run nothing is called a regression")
    func one() {
        let comparison = Comparison(measures(2, wait: 900_000), with: measures(1, wait: 1), as: .previous)
        #expect(!comparison.isRegressed && comparison.headline == "beside run 1")
        let first = Comparison(measures(2, wait: 900_000), with: nil, as: .previous)
        #expect(first.headline == "there is no run before it")
    }

    @Test("a percentile is of one outcome only, and not of too few transfers")
    func percentiles() {
        let samples =
            (0..<50).map { _ in TransferSample(outcome: "downloaded", wait: 1_000) }
            + (0..<200).map { _ in TransferSample(outcome: "unchanged", wait: 9) }
            + (0..<200).map { _ in TransferSample(outcome: "failed", wait: 9) }
        let times = RunTimes(run: 1, duration: 1, items: 450, samples: samples)
        #expect(
            times.value(of: .percentile(50, .wait, outcome: "downloaded")) == MeasuredValue(value: 1_000, count: 50))
        #expect(times.value(of: .percentile(99, .wait, outcome: "downloaded")) == nil)
        #expect(times.value(of: .percentile(99, .wait, outcome: "unchanged")) == MeasuredValue(value: 9, count: 200))
    }

    @Test(
        "conditions are read with their units",
        arguments: [
            ("failed > 3", .metric(.failed, .above, 3)), ("failed%>=2.5%", .metric(.failedShare, .atLeast, 2.5)),
            (" p90   wait <= 500ms ", .metric(.percentile(90, .wait, outcome: "downloaded"), .atMost, 500_000)),
            ("p7 tls < 1s", .metric(.percentile(7, .tls, outcome: "downloaded"), .below, 1_000_000)),
            ("throughput < 1MB/s", .metric(.throughput, .below, 1_000_000)), ("regression", .regression),
            ("bytes != 10kB", .metric(.bytes, .unequal, 10_000)), ("items == 0", .metric(.items, .equal, 0)),
            ("duration > 5m", .metric(.duration, .above, 300_000_000)),
        ] as [(String, FailCondition)])
    func conditions(_ text: String, _ condition: FailCondition) throws {
        #expect(try FailCondition(text) == condition)
    }

    @Test(
        "what is no condition is refused",
        arguments: [
            "", " ", "failed", "failed >", "failed > x", "failed > -1", "failed > 1e3", "failed => 1", "p0 wait > 1s",
            "p100 wait > 1s", "p90 wait > 5", "p90 nap > 1s", "> 3", "faild > 1", "throughput < 5", "regression > 1",
            "failed% > 1%%", "failed > 99999999999999999999", "p90 wait > 1s > 2s",
        ])
    func faults(_ text: String) {
        #expect(throws: FailCondition.Fault.self) { try FailCondition(text) }
    }

    // MARK: From a catalog

    /// Runs of a job, each of twelve downloads that waited so long.
    private func catalog(_ waits: [Int64]) throws -> Catalog {
        let catalog = try Catalog()
        try catalog.addJob("flags")
        try catalog.addCollection(of: "flags", "Flags")
        for position in 1...12 { try catalog.addItem(of: "flags", in: 1, "t\(position)", position: position, size: 1) }
        for (index, wait) in waits.enumerated() {
            try catalog.addRun(of: "flags", at: Int64(index) * 3_600)
            for item in 1...12 {
                try catalog.addTransfer(
                    Int64(index + 1), Int64(item), times: [0, 0, 0, wait + Int64(item), 100], bytes: 9)
            }
            try catalog.finish(Int64(index + 1), "complete", after: wait * 12)
        }
        return catalog
    }

    private func judged(
        _ catalog: Catalog, _ baseline: Baseline?, _ conditions: [FailCondition] = []
    ) throws -> (Report, [Judgement]) {
        var report = try makeReport(ReportRequest(), from: catalog.connection)
        let judgements = try judge(
            &report, comparedWith: baseline, by: conditions, now: Catalog.start, from: catalog.connection)
        return (report, judgements)
    }

    @Test("a run that is slower than ten like it is a regression, one among them is not")
    func regression() throws {
        let slow = try catalog(Array(repeating: 100_000, count: 12) + [400_000])
        let (report, judgements) = try judged(slow, .median(10), [.regression])
        let comparison = try #require(report.comparisons[13])
        #expect(comparison.isRegressed && comparison.runs == Array(3...12))
        guard case .holds(let reason) = try #require(judgements.first).verdict else {
            Issue.record("\(judgements)")
            return
        }
        #expect(reason.hasPrefix("regression: "))
        var bytes: [UInt8] = []
        try ReportText(width: 80, now: 0).write(report, from: slow.connection) { bytes += $0 }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("  compared   regressed: ") && text.contains("p50 wait  regressed"))

        let (_, calm) = try judged(try catalog(Array(repeating: 100_000, count: 12)), nil, [.regression])
        #expect(calm.map(\.verdict) == [.doesNotHold])
        let (_, few) = try judged(try catalog([100_000, 100_000, 900_000]), .previous, [.regression])
        guard case .unknown(let why) = try #require(few.first).verdict else {
            Issue.record("\(few)")
            return
        }
        #expect(why == "not enough runs: 2 like this one, 5 are needed")
    }

    @Test("runs with another selection, refresh mode, concurrency or number of items are not like it")
    func alike() throws {
        for change in [
            "selection = '{\"limit\":3}'", "overrides = '[\"a=b\"]'", "outcome = 'partial'", "downloaded = 20",
        ] {
            let catalog = try catalog(Array(repeating: 100_000, count: 13))
            try catalog.connection.execute("UPDATE run SET \(change) WHERE id < 13")
            #expect(try judged(catalog, .median(10)).0.comparisons[13]?.runs == [], "\(change)")
        }
        let catalog = try catalog(Array(repeating: 100_000, count: 13))
        try catalog.connection.execute(
            "UPDATE run SET refresh = CASE id WHEN 12 THEN 'always' ELSE 'changed' END, concurrency = id / 12")
        #expect(try judged(catalog, .median(10)).0.comparisons[13]?.runs == [])
        try catalog.connection.execute("UPDATE run SET concurrency = NULL WHERE id < 13")
        #expect(try judged(catalog, .median(10)).0.comparisons[13]?.runs == Array(2...11))
    }

    @Test("the run where a lasting change began is named")
    func lasting() throws {
        let catalog = try catalog(Array(repeating: 100_000, count: 20) + Array(repeating: 300_000, count: 12))
        let comparison = try #require(try judged(catalog, .median(10)).0.comparisons[32])
        #expect(!comparison.isRegressed)
        #expect(comparison.steps.contains { $0.metric.name == "p50 wait" && $0.run == 21 })
    }

    @Test("a run can be compared with the one before and with any of its job, and with no other")
    func chosen() throws {
        let catalog = try catalog([100_000, 200_000, 300_000])
        #expect(try judged(catalog, .previous).0.comparisons[3]?.runs == [2])
        #expect(try judged(catalog, .run(1)).0.comparisons[3]?.runs == [1])
        #expect(throws: ReportError.unknownRun(9)) { try judged(catalog, .run(9)) }
        try catalog.addJob("other")
        try catalog.addRun(of: "other")
        #expect(throws: ReportError.self) { try judged(catalog, .run(1)) }
        let json = try catalog.json(ReportRequest())
        #expect(!json.contains("comparison"))
    }

    @Test("limits hold for the run at hand, or say why they can't be judged")
    func limits() throws {
        let catalog = try catalog([100_000])
        let (_, judgements) = try judged(
            catalog, nil,
            [
                try FailCondition("p50 wait > 50ms"), try FailCondition("p50 wait > 5s"),
                try FailCondition("p99 wait > 1s"),
                try FailCondition("items < 20"),
            ])
        #expect(
            judgements.map(\.verdict) == [
                .holds("p50 wait is 100 ms, over 50 ms"), .doesNotHold, .unknown("12 downloads, 100 are needed"),
                .holds("items is 12, under 20"),
            ])
    }
}
