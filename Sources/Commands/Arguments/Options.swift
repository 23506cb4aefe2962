import Model

/// What was typed, in types: the flags and operands of one invocation.
struct Options: Equatable, Sendable {
    /// Job files, folders or names; the type of `sources`; the command of `help`.
    var operands: [String] = []

    /// Raw `KEY=VALUE` of each `--set`, in order.
    var overrides: [String] = []
    var database: String?

    /// Whether the jobs that are sound run although others are not.
    var keepsGoing = false
    var isFailedOnly = false
    /// Of those that failed; empty: for any reason.
    var failureReasons: [FailureWord] = []
    /// Whether items take files that are there, and nothing is fetched: `adopt`.
    var isAdopting = false
    var isRefreshing = false
    var only: [String] = []
    var limit: Int?

    var concurrency: Int?
    /// Microseconds.
    var deadline: Int64?
    var progress = ProgressStyle.automatic
    var verbosity = Verbosity.normal

    /// nil: the last, or with `since` all.
    var run: RunChoice?
    /// Microseconds before now.
    var since: Int64?
    /// Microseconds before now.
    var pruneAge: Int64?
    var isRepairing = false
    var isConfirmed = false
    /// What `gc` leaves of each job; nil: what its job file says.
    var maximumBytes: Int64?
    var isDryRun = false
    var showsItems = false
    var showsCollections = false
    var showsFailures = false
    var slowest: Int?
    var format = ReportFormat.text
    var output: String?
    /// The file with the options of a script that is tested.
    var scriptOptions: String?
}

/// The values of `--progress`.
enum ProgressStyle: String, CaseIterable, Sendable {
    /// A bar on a terminal, nothing elsewhere.
    case automatic = "auto"
    case bar, plain, json, none
}

/// How much `run` says on stderr.
enum Verbosity: Sendable {
    /// Only when something failed.
    case quiet
    case normal
    /// A line for each item as well.
    case verbose
}

/// The values of `--run`.
enum RunChoice: Equatable, Sendable {
    case last, all
    case id(Int64)
}

/// The values of `report --format`.
enum ReportFormat: String, CaseIterable, Sendable {
    case text, json
}
