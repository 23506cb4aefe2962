internal import Model
internal import System

/// When `report` ends with exit code 1: `failed% > 1`, `p90 wait >= 500ms`, `regression`.
package enum FailCondition: Hashable, Sendable {
    case regression
    /// The limit is in the metric's unit.
    case metric(Metric, Relation, Double)

    package enum Relation: String, CaseIterable, Sendable {
        // The longer ones first, so that none is taken for the beginning of another.
        case atLeast = ">="
        case atMost = "<="
        case equal = "=="
        case unequal = "!="
        case above = ">"
        case below = "<"

        func holds(_ value: Double, _ limit: Double) -> Bool {
            switch self {
            case .atLeast: value >= limit
            case .atMost: value <= limit
            case .equal: value == limit
            case .unequal: value != limit
            case .above: value > limit
            case .below: value < limit
            }
        }

        var words: String {
            switch self {
            case .atLeast: "at least"
            case .atMost: "at most"
            case .equal: "which is"
            case .unequal: "which is not"
            case .above: "over"
            case .below: "under"
            }
        }
    }

    /// What a condition says of a run.
    package enum Verdict: Hashable, Sendable {
        /// With the reason, for people.
        case holds(String)
        case doesNotHold
        /// It cannot be said, and why.
        case unknown(String)
    }

    /// Why a text is no condition.
    package enum Fault: Error, Hashable {
        /// `known` are the names that there are, for a suggestion.
        case unknownMetric(String, known: [String])
        /// What is wanted in its place.
        case wrongForm(wanted: String)
    }

    /// The names of metrics, with the percentiles that people ask for most.
    static let metricNames: [String] =
        [Metric.failed, .failedShare, .items, .bytes, .duration, .throughput, .reusedShare].map(\.name)
        + TimedPhase.allCases.flatMap { phase in [50, 90, 99].map { "p\($0) \(phase.rawValue)" } } + ["regression"]

    /// Reads `METRIC OP VALUE`, or `regression`.
    package init(_ text: String) throws(Fault) {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if words == "regression" {
            self = .regression
            return
        }
        guard let sign = words.firstIndex(where: { "<>=!".contains($0) }) else {
            throw words.contains(" ") || words.isEmpty || Self.metric(named: words) != nil
                ? .wrongForm(wanted: "METRIC OP VALUE, as in 'failed% > 1', or regression")
                : .unknownMetric(words, known: Self.metricNames)
        }
        let name = Self.trimmed(words[..<sign])
        guard let metric = Self.metric(named: name) else { throw .unknownMetric(name, known: Self.metricNames) }
        let rest = words[sign...]
        guard let relation = Relation.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw .wrongForm(wanted: "METRIC OP VALUE with one of >, >=, <, <=, == and !=")
        }
        let value = Self.trimmed(rest.dropFirst(relation.rawValue.count))
        guard let limit = Self.limit(value, of: metric) else {
            throw .wrongForm(wanted: "METRIC OP VALUE where VALUE is \(Self.wanted(metric))")
        }
        self = .metric(metric, relation, limit)
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private static func metric(named name: String) -> Metric? {
        let plain: [Metric] = [.failed, .failedShare, .items, .bytes, .duration, .throughput, .reusedShare]
        if let metric = plain.first(where: { $0.name == name }) { return metric }
        let parts = name.split(separator: " ")
        guard parts.count == 2, parts[0].hasPrefix("p"), let phase = TimedPhase(rawValue: String(parts[1])) else {
            return nil
        }
        let digits = parts[0].dropFirst()
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let percent = Int(digits), (1...99).contains(percent)
        else { return nil }
        return .percentile(percent, phase, outcome: "downloaded")
    }

    private static func limit(_ text: String, of metric: Metric) -> Double? {
        switch metric.unit {
        case .count: wholeNumber(text).map(Double.init)
        case .share: number(text.hasSuffix("%") ? trimmed(text.dropLast()) : text)
        case .bytes: ByteCount(text).map { Double($0.bytes) }
        case .bytesPerSecond: ByteRate(text).map { Double($0.bytesPerSecond) }
        case .microseconds: TimeSpan(text).map { Double($0.microseconds) }
        }
    }

    private static func wholeNumber(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }

    private static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(text)
    }

    private static func wanted(_ metric: Metric) -> String {
        switch metric.unit {
        case .count: "a whole number"
        case .share: "a percentage such as 2.5%"
        case .bytes: "a size such as 10MB"
        case .bytesPerSecond: "a bandwidth such as 1MB/s"
        case .microseconds: "a duration such as 500ms"
        }
    }

    var subject: String {
        switch self {
        case .regression: "regression"
        case .metric(let metric, _, _): metric.name
        }
    }

    func verdict(_ comparison: Comparison) -> Verdict {
        guard let worst = comparison.worst else {
            return comparison.isEnough ? .doesNotHold : .unknown(comparison.tooFewWords)
        }
        return .holds("regression: " + comparison.words(worst.difference, host: worst.host))
    }
}

extension FailCondition.Fault {
    /// What is wanted instead.
    package var wanted: String {
        switch self {
        case .unknownMetric(_, let known):
            "a condition on \(known.filter { !$0.contains(" ") && $0 != "regression" }.joined(separator: ", ")), "
                + "a percentile such as 'p90 wait', or regression"
        case .wrongForm(let wanted): wanted
        }
    }
}
