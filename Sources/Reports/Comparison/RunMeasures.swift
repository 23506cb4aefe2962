internal import Catalog
internal import SQLite

/// A value of a metric, and of how many transfers it tells; nil where it does not tell of transfers.
struct MeasuredValue: Hashable, Sendable {
    let value: Double
    var count: Int?
}

/// The times of a run's transfers and what its row says: what metrics are made of.
struct RunTimes: Sendable {
    let run: Int64
    /// Microseconds; nil while a run goes on, or where its end is not known.
    let duration: Int64?
    let items: Int64
    let wireBytes: Int64
    let failed: Int64
    /// By `transfer.failure`.
    let failures: [String: Int64]
    /// Transfers for which a server was asked, and those of them on a connection that was open.
    private(set) var transfers: Int64 = 0
    private(set) var reused: Int64 = 0
    /// The version of HTTP that most transfers used.
    private(set) var httpVersion: String?
    /// Of transfers with one outcome, in ascending order: a download takes another time than an answer without a body.
    private var times: [Key: [Int64]] = [:]
    private var hostTimes: [String: [Key: [Int64]]] = [:]
    /// How many transfers each host had.
    private(set) var hosts: [String: Int] = [:]

    private struct Key: Hashable {
        let outcome: String
        let phase: TimedPhase
    }

    init(
        run: Int64, duration: Int64?, items: Int64, wireBytes: Int64 = 0, failed: Int64 = 0,
        failures: [String: Int64] = [:], samples: [TransferSample]
    ) {
        self.init(run, duration, items: items, wireBytes: wireBytes, failed: failed, failures: failures)
        var versions: [String: Int64] = [:]
        for sample in samples { add(sample, &versions) }
        finish(versions)
    }

    private init(
        _ run: Int64, _ duration: Int64?, items: Int64, wireBytes: Int64, failed: Int64, failures: [String: Int64]
    ) {
        self.run = run
        self.duration = duration
        self.items = items
        self.wireBytes = wireBytes
        self.failed = failed
        self.failures = failures
    }

    /// Reads the times of a run, a few numbers a transfer.
    init(_ run: ComparableRun, now: Int64, from connection: Connection) throws {
        let failures = try FailureCount.all(ofRun: run.id, from: connection).map { ($0.word, $0.count) }
        var result = RunTimes(
            run.id, run.duration(now: now), items: run.items, wireBytes: run.wireBytes, failed: run.failed,
            failures: Dictionary(failures, uniquingKeysWith: { first, _ in first }))
        var versions: [String: Int64] = [:]
        try TransferSample.forEach(ofRun: run.id, withURLs: true, from: connection) { result.add($0, &versions) }
        result.finish(versions)
        self = result
    }

    private mutating func add(_ sample: TransferSample, _ versions: inout [String: Int64]) {
        transfers += 1
        if sample.isReused { reused += 1 }
        if let version = sample.httpVersion { versions[version, default: 0] += 1 }
        let host = hostText(sample.url).lowercased()
        if !host.isEmpty { hosts[host, default: 0] += 1 }
        for (phase, time) in [
            (TimedPhase.dns, sample.dns), (.connect, sample.connect), (.tls, sample.tls), (.wait, sample.wait),
            (.receive, sample.receive), (.total, sample.total),
        ] {
            guard let time else { continue }
            let key = Key(outcome: sample.outcome, phase: phase)
            times[key, default: []].append(time)
            guard sample.outcome == "downloaded", phase == .wait || phase == .total, !host.isEmpty else { continue }
            hostTimes[host, default: [:]][key, default: []].append(time)
        }
    }

    private mutating func finish(_ versions: [String: Int64]) {
        httpVersion = versions.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        for key in Array(times.keys) { times[key]?.sort() }
        for (host, keys) in hostTimes { for key in keys.keys { hostTimes[host]?[key]?.sort() } }
    }

    /// The value of a metric; nil where it is not known, or its transfers are too few to say it.
    func value(of metric: Metric) -> MeasuredValue? {
        switch metric {
        case .failed: MeasuredValue(value: Double(failed))
        case .failedShare: MeasuredValue(value: items > 0 ? Double(failed) * 100 / Double(items) : 0)
        case .items: MeasuredValue(value: Double(items))
        case .bytes: MeasuredValue(value: Double(wireBytes))
        case .duration: duration.map { MeasuredValue(value: Double($0)) }
        case .throughput:
            duration.flatMap { duration in
                guard duration > 0, wireBytes > 0 else { return nil }
                return MeasuredValue(value: Double(wireBytes) * 1_000_000 / Double(duration))
            }
        case .reusedShare:
            transfers > 0
                ? MeasuredValue(value: Double(reused) * 100 / Double(transfers), count: Int(transfers)) : nil
        case .failure(let word): MeasuredValue(value: Double(failures[word] ?? 0))
        case .percentile(let percent, let phase, let outcome):
            Self.value(percent, of: times[Key(outcome: outcome, phase: phase)])
        }
    }

    /// How many transfers a percentile is made of.
    func count(of metric: Metric) -> Int {
        guard case .percentile(_, let phase, let outcome) = metric else { return 0 }
        return times[Key(outcome: outcome, phase: phase)]?.count ?? 0
    }

    /// The value of a percentile of one host's downloads.
    func value(of metric: Metric, host: String) -> MeasuredValue? {
        guard case .percentile(let percent, let phase, let outcome) = metric else { return nil }
        return Self.value(percent, of: hostTimes[host]?[Key(outcome: outcome, phase: phase)])
    }

    private static func value(_ percent: Int, of sorted: [Int64]?) -> MeasuredValue? {
        guard let sorted, let value = shownPercentile(percent, of: sorted) else { return nil }
        return MeasuredValue(value: Double(value), count: sorted.count)
    }
}

/// The figures of a run that are left of its times.
struct RunMeasures: Sendable {
    let run: Int64
    let transfers: Int64
    let httpVersion: String?
    let values: [Metric: MeasuredValue]
    let hosts: [String: [Metric: MeasuredValue]]

    /// - Parameter hosts: those whose figures are wanted.
    init(_ times: RunTimes, hosts: some Sequence<String>) {
        run = times.run
        transfers = times.transfers
        httpVersion = times.httpVersion
        let metrics = Metric.compared + times.failures.keys.map(Metric.failure)
        values = Dictionary(
            metrics.compactMap { metric in times.value(of: metric).map { (metric, $0) } },
            uniquingKeysWith: { first, _ in first })
        self.hosts = Dictionary(
            hosts.map { host in
                let values = Metric.comparedByHost.compactMap { metric in
                    times.value(of: metric, host: host).map { (metric, $0) }
                }
                return (host, Dictionary(values, uniquingKeysWith: { first, _ in first }))
            }, uniquingKeysWith: { first, _ in first })
    }
}
