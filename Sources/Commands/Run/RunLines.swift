import Catalog
import Model
import Reports

/// The lines that a run leaves behind on stderr, from its events. A value: no clock, no output.
struct RunLines: Sendable {
    /// Failures of a job that are printed one by one; the report has the rest.
    static let failureLimit = 50

    let verbosity: Verbosity
    let hasColour: Bool
    /// What a command line must say to find the catalog of the run; empty where it finds it.
    let databaseClause: String
    private var failures: [String: Int] = [:]
    /// Of each job, what earlier runs met and this one did not ask again.
    private var known: [String: KnownFailures] = [:]
    private var hosts = HostFailures()
    private var selected: Set<String> = []

    init(verbosity: Verbosity, hasColour: Bool, databaseClause: String = "") {
        self.databaseClause = databaseClause
        self.verbosity = verbosity
        self.hasColour = hasColour
    }

    /// The lines for one event, safe for a terminal, each with its line feed; mostly none.
    mutating func lines(for event: RunEvent) -> String {
        switch event {
        case .runStarted(let run):
            if run.selection != nil, run.selection != Selection.textOfChangedSource { selected.insert(run.job) }
            return ""
        case .itemFinished(let item): return line(for: item)
        case .itemRendered(let item): return line(for: item)
        case .itemEvicted(let item):
            guard verbosity == .verbose else { return "" }
            return
                "evicted  \(item.job) \(displayable(item.title)) (\(byteText(item.size))) \(displayable(item.path))\n"
        case .warning(let warning):
            guard verbosity != .quiet else { return "" }
            return "\(marked("warning", .yellow))  \(warning.job): \(displayable(warning.message))\n"
        case .runFinished(let run): return summary(of: run)
        case .collection, .itemStarted, .itemRendering, .progress, .activity, .hostHeld, .control, .jobAbandoned:
            return ""
        }
    }

    private mutating func line(for item: ItemFinished) -> String {
        let transfer = item.transfer
        let name = "\(item.job) \(displayable(item.title))"
        if transfer.outcome == .failed {
            if let failure = transfer.known, verbosity != .verbose {
                known[item.job, default: KnownFailures()].add(failure)
                return ""
            }
            if verbosity != .verbose, !hosts.isFirst(item) { return "" }
            failures[item.job, default: 0] += 1
            guard verbosity == .verbose || failures[item.job, default: 0] <= Self.failureLimit else { return "" }
            let word = transfer.failure?.rawValue ?? "failed"
            let detail = transfer.detail ?? transfer.failure?.explanation ?? "no detail"
            // An entry of the list that has no URL has a key.
            let place = item.url.isEmpty ? item.key : item.url
            return "\(marked("failed", .red))  \(name): \(word): \(displayable(detail)) (\(displayable(place)))\n"
        }
        guard verbosity == .verbose else { return "" }
        var facts: [String] = []
        if let size = item.size { facts.append(byteText(size)) }
        if let timings = transfer.timings, transfer.attempts > 0 {
            facts.append(durationText(microseconds: timings.elapsed))
        }
        let note = facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
        let path = item.path.map { " \(displayable($0))" } ?? ""
        return "\(transfer.outcome.rawValue)  \(name)\(note)\(path)\n"
    }

    /// Of an item whose transfer had a line already, the failure of its pictures makes a second one.
    private mutating func line(for item: ItemRendered) -> String {
        let name = "\(item.job) \(displayable(item.title))"
        guard let failure = item.failure else {
            guard verbosity == .verbose, item.pictures > 0 else { return "" }
            return "rendered  \(name) (\(item.pictures) \(item.pictures == 1 ? "picture" : "pictures"))\n"
        }
        failures[item.job, default: 0] += 1
        guard verbosity == .verbose || failures[item.job, default: 0] <= Self.failureLimit else { return "" }
        let detail = item.detail ?? failure.explanation
        return "\(marked("failed", .red))  \(name): \(failure.rawValue): \(displayable(detail))\n"
    }

    private mutating func summary(of run: RunFinished) -> String {
        let figures = run.figures
        guard verbosity != .quiet || run.outcome != .complete || run.failuresToTell > 0 else { return "" }
        var text = ""
        let untold = failures[run.job, default: 0] - Self.failureLimit
        if untold > 0, verbosity != .verbose {
            text += "… and \(untold) more\n"
        }
        for line in hosts.rest(of: run.job) { text += "\(marked("failed", .red))  \(line)\n" }
        if let known = known[run.job], !run.ignoresKnownFailures {
            text += "\(marked("failed", .red))  \(run.job): \(known.text)\n"
        }
        text += "\(run.job): "
        if figures.items == 0, run.outcome == .complete {
            return text + (selected.contains(run.job) ? "nothing selected\n" : "nothing listed\n")
        }
        text += "\(figures.downloaded) downloaded, \(figures.unchanged) unchanged, \(figures.fresh) fresh, "
        if figures.evicted > 0 { text += "\(figures.evicted) evicted, " }
        text += "\(figures.failed) failed"
        if figures.knownFailures > 0 { text += " (\(figures.knownFailures) known)" }
        if figures.cancelled > 0 { text += ", \(figures.cancelled) cancelled" }
        text += ", \(byteText(figures.wireBytes)) in \(durationText(microseconds: max(0, run.at - run.startedAt)))"
        if figures.freedFiles > 0 {
            text += "; evicted \(counted(figures.freedFiles, "file")), which frees \(byteText(figures.freedBytes))"
        }
        if run.outcome != .complete, run.outcome != .partial || run.detail != nil {
            text += "; \(run.outcome.rawValue)" + (run.detail.map { ": " + displayable($0) } ?? "")
        }
        text += "\n"
        guard run.failuresToTell > 0 || run.outcome == .failed else { return text }
        let section = figures.failed > 0 ? " --failures" : ""
        return text + "more: runner report \(run.job)\(section)\(databaseClause)\n"
    }

    private enum Colour: String {
        case red = "31"
        case yellow = "33"
    }

    /// The first word of a line, which colour may underline but never carries alone.
    private func marked(_ word: String, _ colour: Colour) -> String {
        hasColour ? "\u{1B}[\(colour.rawValue)m\(word)\u{1B}[0m" : word
    }
}
