import JSON

extension Comparison {
    /// `not enough runs: 3 like this one, 5 are needed`.
    var tooFewWords: String {
        "not enough runs: \(runs.count) like this one, \(Self.leastRuns) are needed"
    }

    /// `p90 wait 812 ms, 2.1 times the 390 ms of the runs before`.
    func words(_ difference: Difference, host: String?) -> String {
        let place = host.map { " of \(displayable($0))" } ?? ""
        guard let now = difference.now, let before = difference.before else { return difference.metric.name + place }
        let tenths = Int64(exactly: (difference.factor * 10).rounded()) ?? 0
        return
            "\(difference.metric.name)\(place) is \(difference.metric.text(now.value)), \(tenths / 10).\(tenths % 10) "
            + "times the \(difference.metric.text(before)) of \(runsWords)"
    }

    /// `run 41`, `the median of 10 like runs`.
    var runsWords: String {
        if case .median = baseline { return "the median of \(runs.count) like runs" }
        return runs.first.map { "run \($0)" } ?? "no run"
    }

    /// The first line: what it comes to.
    var headline: String {
        switch baseline {
        case .median where !isEnough: return tooFewWords
        case .median:
            guard let worst else { return "no slower than \(runsWords)" }
            return "regressed: " + words(worst.difference, host: worst.host)
        default:
            return runs.isEmpty ? "there is no run before it" : "beside \(runsWords)"
        }
    }
}

extension Comparison.LastingStep {
    /// `p90 wait went from 80 ms to 210 ms with run 40, and stayed`.
    var text: String {
        "\(metric.name) went from \(metric.text(before)) to \(metric.text(after)) with run \(run), and stayed"
    }
}

extension Comparison.Difference {
    /// `+48 %`; empty where it is not known or as it was.
    var changeText: String {
        guard let now, let before else { return "" }
        guard before > 0 else { return now.value > 0 ? "new" : "" }
        let percent = Int64(exactly: ((now.value / before - 1) * 100).rounded()) ?? .max
        return percent == 0 ? "" : "\(percent > 0 ? "+" : "−")\(countText(abs(percent))) %"
    }

    /// Whether there is something to show: a figure that is nothing now as before is not.
    var isWorthShowing: Bool { (now?.value ?? 0) > 0 || (before ?? 0) > 0 }
}

extension ReportText {
    /// The part of a page that compares its run.
    func comparison(_ comparison: Comparison, on page: inout TextPage) {
        page.paragraph()
        let headline = comparison.isRegressed ? page.coloured(comparison.headline, .red) : comparison.headline
        page.prose(headline, label: "  compared   ")
        for step in comparison.steps { page.prose(step.text, label: "  since      ") }
        guard !comparison.runs.isEmpty else { return }
        page.paragraph()
        let showsCount = page.width ?? .max >= 64
        func line(_ count: String, _ now: String, _ before: String, _ change: String) -> String {
            "  " + (showsCount ? count.rightAligned(9) : "") + now.rightAligned(11) + before.rightAligned(11)
                + change.rightAligned(10) + "  "
        }
        page.line(line("n", "now", "before", "change"), title: "")
        func rows(_ differences: [Comparison.Difference], host: String?) {
            for difference in differences where difference.isWorthShowing {
                let cells = line(
                    difference.now?.count.map { countText(Int64($0)) } ?? "",
                    difference.now.map { difference.metric.text($0.value) } ?? "–",
                    difference.before.map(difference.metric.text) ?? "–", difference.changeText)
                let title = difference.metric.name + (host.map { ", " + displayable($0) } ?? "")
                page.line(cells, title: title + (difference.isRegressed ? "  regressed" : ""))
            }
        }
        rows(comparison.differences, host: nil)
        for host in comparison.hosts { rows(host.differences.filter(\.isRegressed), host: host.host) }
    }
}

extension JSONWriter {
    mutating func comparison(_ comparison: Comparison) {
        key("comparison")
        beginObject()
        member("with", comparison.baseline.name)
        key("runs")
        beginArray()
        for run in comparison.runs { value(run) }
        endArray()
        key("enough")
        value(comparison.isEnough)
        key("regressed")
        value(comparison.isRegressed)
        member("headline", comparison.headline)
        differences(comparison.differences)
        key("hosts")
        beginArray()
        for host in comparison.hosts {
            nextLine()
            beginObject()
            member("host", host.host)
            differences(host.differences)
            endObject()
        }
        endArray()
        key("steps")
        beginArray()
        for step in comparison.steps {
            beginObject()
            member("metric", step.metric.name)
            member("run", step.run)
            number("before", step.before)
            number("after", step.after)
            endObject()
        }
        endArray()
        endObject()
    }

    private mutating func differences(_ differences: [Comparison.Difference]) {
        key("metrics")
        beginArray()
        for difference in differences {
            nextLine()
            beginObject()
            member("metric", difference.metric.name)
            member("unit", difference.metric.unit.rawValue)
            member("n", difference.now?.count.map(Int64.init))
            number("now", difference.now?.value)
            number("before", difference.before)
            number("deviation", difference.deviation)
            key("regressed")
            value(difference.isRegressed)
            endObject()
        }
        endArray()
    }

    private mutating func number(_ name: String, _ number: Double?) {
        key(name)
        guard let number else { return null() }
        if let whole = Int64(exactly: number) { value(whole) } else { value(number) }
    }
}
