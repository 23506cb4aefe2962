internal import Catalog
package import SQLite

/// What a condition of `--fail-if` says of a run.
package struct Judgement: Sendable {
    package let run: Int64
    package let job: String
    package let verdict: FailCondition.Verdict
    /// What was judged: a metric's name, or `regression`.
    package let subject: String
}

/// Compares the runs of a report with `baseline`, and judges each by the conditions. Regressions are judged beside like runs:
/// those of the baseline where it is a median, else the last ten.
///
/// - Throws: `ReportError` where the baseline is a run that the catalog does not have, or one of another job.
package func judge(
    _ report: inout Report, comparedWith baseline: Baseline?, by conditions: [FailCondition], now: Int64,
    from connection: Connection
) throws -> [Judgement] {
    var judgements: [Judgement] = []
    for run in report.runs {
        // One that was pruned meanwhile is passed over.
        guard let judge = try RunJudge(run, now: now, from: connection) else { continue }
        report.comparisons[run.id] = try baseline.map(judge.comparison)
        var likeRuns: Comparison?
        if conditions.contains(.regression) {
            likeRuns =
                if case .median = baseline { report.comparisons[run.id] } else {
                    try judge.comparison(with: .standard)
                }
        }
        for condition in conditions {
            judgements.append(
                Judgement(
                    run: run.id, job: run.job, verdict: judge.judge(condition, likeRuns), subject: condition.subject))
        }
    }
    return judgements
}

/// So many like runs are looked through for steps.
private let historyLength = 50
private let historyTransfers: Int64 = 2_000_000
/// So many hosts of a run are compared, those with the most transfers.
private let comparedHosts = 50

/// Compares a run with `baseline`, and judges it by conditions. Reads each run once.
struct RunJudge {
    private let connection: Connection
    private let run: ComparableRun
    private let times: RunTimes
    private let now: Int64

    /// nil where the run was pruned meanwhile.
    init?(_ run: RunReport, now: Int64, from connection: Connection) throws {
        guard let row = try ComparableRun.run(run.id, from: connection) else { return nil }
        self.connection = connection
        self.run = row
        self.now = now
        times = try RunTimes(row, now: now, from: connection)
    }

    /// - Throws: `ReportError` where the baseline is a run that the catalog does not have, or one of another job.
    func comparison(with baseline: Baseline) throws -> Comparison {
        let hosts = times.hosts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(comparedHosts).map(\.key)
        let measures = RunMeasures(times, hosts: hosts)
        func measured(_ other: ComparableRun) throws -> RunMeasures {
            RunMeasures(try RunTimes(other, now: now, from: connection), hosts: hosts)
        }
        switch baseline {
        case .previous:
            return Comparison(measures, with: try run.previous(from: connection).map(measured), as: baseline)
        case .run(let id):
            guard let other = try ComparableRun.run(id, from: connection) else { throw ReportError.unknownRun(id) }
            guard other.job == run.job else { throw ReportError.runOfOtherJob(id, job: other.job) }
            return Comparison(measures, with: try measured(other), as: baseline)
        case .median(let count):
            // Steps are not looked for in so many transfers that reading them would take longer than the report is worth.
            let readable = Int(historyTransfers / max(1, run.items))
            let history = try run.likeRuns(
                atMost: max(count, min(historyLength, readable)), from: connection
            ).map(measured)
            return Comparison(measures, withLast: count, of: history)
        }
    }

    /// What a condition says of the run.
    func judge(_ condition: FailCondition, _ comparison: Comparison?) -> FailCondition.Verdict {
        switch condition {
        case .regression:
            guard let comparison else { return .unknown("nothing to compare with") }
            return condition.verdict(comparison)
        case .metric(let metric, let relation, let limit):
            guard let value = times.value(of: metric) else {
                guard case .percentile(let percent, _, _) = metric else { return .unknown("not known of this run") }
                let needed = leastCount(forPercentile: percent)
                return .unknown("\(countText(Int64(times.count(of: metric)))) downloads, \(needed) are needed")
            }
            return relation.holds(value.value, limit)
                ? .holds("\(metric.name) is \(metric.text(value.value)), \(relation.words) \(metric.text(limit))")
                : .doesNotHold
        }
    }
}
