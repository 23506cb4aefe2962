import Catalog
import Model
import Reports
import Shards
import Unattended

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
    /// The one job of the files that runs, or that lists of items are narrowed to.
    var job: String?

    /// Where `web` listens; nil: on a free port of this machine.
    var listen: String?
    /// Further names of the page.
    var hosts: [String] = []
    var opensBrowser = false

    /// A file whose hosts `doctor` looks up.
    var hostList: String?

    var concurrency: Int?
    /// Microseconds.
    var deadline: Int64?
    /// How long a run waits for another one of its job to end, microseconds.
    var lockWait: Int64?
    /// The longest that a run waits before it begins, microseconds.
    var jitter: Int64?
    /// When `schedule` has jobs run; nil where no flag says.
    private(set) var cadence: Cadence?
    /// The flags that said it, each once.
    private(set) var cadenceFlags: [String] = []
    /// What `schedule` makes; nil: units of systemd.
    var scheduleFormat: ScheduleFormat?
    /// Whether it is for the user's own service manager or crontab.
    var isForUser = false
    /// Where `schedule` writes files; nil: on stdout.
    var installFolder: String?
    /// A file, or `journal`; nil: nothing is logged.
    var log: String?
    var logLevel = LogDetail.info
    var logFormat = LogFile.Format.text
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
    /// Whether `gc` removes files of items that are no longer listed.
    var isRemovingGone = false
    var showsItems = false
    var showsCollections = false
    var showsFailures = false
    var showsHosts = false
    var showsShards = false
    var showsNews = false
    var slowest: Int?
    var format = ReportFormat.text
    /// Whether `status` goes on until the runs have ended.
    var follows = false
    /// Whether `control JOB stop` gives what is in flight no time.
    var isNow = false
    /// Whether a report in HTML has thumbnails.
    var hasGallery = false
    /// Whether texts in CSV that begin like a formula get an apostrophe before them.
    var defusesFormulas = false
    /// What the runs of a report are compared with.
    var baseline: Baseline?
    /// What makes `report` end with exit code 1.
    var failConditions: [FailCondition] = []
    /// What `export` writes.
    var table = CatalogTable.item
    var output: String?
    /// How many shards, or how many microseconds each may take.
    var shardCount: Int?
    var shardTime: Int64?
    /// Where shards are carved.
    var shardFolder: String?
    /// What `submit` hands shards to, how many run at a time, and what it needs to know.
    var engine: ShardEngine?
    var mostAtOnce: Int?
    var image: String?
    var volume: String?
    /// Whether `submit` waits for the end of the run.
    var waits = false
    /// Whether `submit` shows what it would hand over, and begins nothing.
    var printsOnly = false
    /// Microseconds between two checkpoints of a shard.
    var checkpoint: Int64 = 60_000_000
    /// The file with the options of a script that is tested.
    var scriptOptions: String?
}

extension Options {
    /// Takes a flag that says when `schedule` has jobs run.
    mutating func addCadence(_ flag: String, _ cadence: Cadence) {
        self.cadence = cadence
        if !cadenceFlags.contains(flag) { cadenceFlags.append(flag) }
    }
}

/// The values of `--progress`.
enum ProgressStyle: String, CaseIterable, Sendable {
    /// A bar on a terminal, nothing elsewhere.
    case automatic = "auto"
    case bar, plain, json, none
}

/// The values of `schedule --format`.
enum ScheduleFormat: String, CaseIterable, Sendable {
    case systemd, crontab
}

/// The values of `--log-level`.
enum LogDetail: String, CaseIterable, Sendable {
    /// Runs, failures and warnings.
    case info
    /// Every step of every item as well.
    case debug
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
    case text, json, html, csv, jsonl, prometheus, har, trace
}

extension Command {
    /// The values of `--format` that it takes.
    var formats: [String] {
        switch self {
        case .status: [ReportFormat.text, .json].map(\.rawValue)
        case .schedule: ScheduleFormat.allCases.map(\.rawValue)
        default: ReportFormat.allCases.map(\.rawValue)
        }
    }
}
