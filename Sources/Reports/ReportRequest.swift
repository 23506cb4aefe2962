/// Which runs a report is about, and which of its sections are wanted.
package struct ReportRequest: Sendable {
    /// The jobs by name; none means all.
    package var jobs: [String] = []
    package var run = RunSelector.last
    /// Only runs that started at or after this time: microseconds since 1970 UTC.
    package var since: Int64?
    /// A row for each item of a run.
    package var items = false
    /// A row for each collection that a run met.
    package var collections = false
    /// A row for each failed item of a run.
    package var failures = false
    /// A row for each host that a run asked.
    package var hosts = false
    /// A row for each shard and each node of a run that many machines shared.
    package var shards = false
    /// A row for each item and each failure that the runs before did not have.
    package var news = false
    /// So many of the longest transfers of a run.
    package var slowest: Int?

    /// A line for each run instead of a page: a text about several jobs or runs.
    package var isBrief = false
    /// Whether figures over the transfers of each run are wanted.
    package var hasStatistics = true

    package init() {}

    /// Whether a table was asked for. A report without one has an overview of what was slow and what failed instead.
    package var hasTables: Bool { items || collections || failures || hosts || shards || news || slowest != nil }
}

/// Which runs of a job.
package enum RunSelector: Hashable, Sendable {
    /// The last run of each job.
    case last
    case all
    /// The one run with this `run.id`.
    case id(Int64)
}

/// Why there is no report.
package enum ReportError: Error, Equatable, CustomStringConvertible {
    /// The catalog has no job of this name. `known` are the names it has, for a suggestion.
    case unknownJob(String, known: [String])
    case unknownRun(Int64)
    /// The run is there, but of a job that was not asked for.
    case runOfOtherJob(Int64, job: String)

    package var description: String {
        switch self {
        case .unknownJob(let name, _): "the catalog has no job '\(displayable(name))'"
        case .unknownRun(let id): "the catalog has no run \(id)"
        case .runOfOtherJob(let id, let job): "run \(id) is one of job '\(displayable(job))'"
        }
    }
}
