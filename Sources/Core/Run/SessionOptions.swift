package import Catalog
package import Dispatch
package import Files
package import HTTP
package import Model
package import Schedule
package import Storage

/// What the command line adds to the job files of one `runner run`.
package struct SessionOptions: Sendable {
    /// The catalog's file.
    package var database: String
    package var selection = Selection()
    /// `KEY=VALUE` of each `--set`, as it was typed.
    package var overrides: [String] = []
    /// Overrides `transfer.concurrency` of every job.
    package var concurrency: Int?
    /// The run is cut after so many microseconds.
    package var deadline: Int64?
    /// How long a run waits for the job's lock, microseconds.
    package var lockWait: Int64 = 0
    /// The longest that a run waits before it begins, microseconds; see ``StableDelay``.
    package var jitter: Int64 = 0
    /// How long transfers in flight may go on after the first signal or the deadline, microseconds.
    package var gracePeriod: Int64 = 10_000_000
    /// The version in `run.runner_version` and the default user agent.
    package var runnerVersion: String
    /// The process environment: proxies and `${NAME}`.
    package var environment: [String: String]
    /// Where runs are watched and steered from outside; nil for nowhere.
    package var door: (any RunDoor)?
    /// Which events are made.
    package var interest = EventInterest()
    /// Takes every step of every item; nil where nobody reads them.
    package var itemLog: (any LogSink)?
    /// How long transient failures wait before they are tried again.
    package var backoff = Backoff()
    /// By which timetables go.
    package var dayClock = DayClock.system
    /// The shard that the catalog is; nil for a run of its own.
    package var shard: ShardPart?
    /// When a host that fails again and again is paused.
    package var breaker = CircuitBreaker.Settings()
    /// Where complete bodies are read again whose reading takes long, beside the loops.
    package var bodyChecks = DispatchQueue(label: "runner.checks", attributes: .concurrent)

    /// What the row of a run keeps of them.
    package var invocation: RunInvocation {
        RunInvocation(
            selection: selection, overrides: overrides, runnerVersion: runnerVersion, concurrency: concurrency)
    }

    package init(database: String, runnerVersion: String, environment: [String: String]) {
        self.database = database
        self.runnerVersion = runnerVersion
        self.environment = environment
    }
}

/// A part of a run that this machine takes: its items are those of the catalog that have no row in the run yet.
package struct ShardPart: Sendable {
    package let run: Int64
    /// Private to this attempt; see ``OutputDirectory/workspace``.
    package let workspace: RelativePath
    /// Hosts that other machines ask, too, and how many do in all.
    package let parts: [HTTPOrigin: Int]

    package init(run: Int64, workspace: RelativePath, parts: [HTTPOrigin: Int]) {
        self.run = run
        self.workspace = workspace
        self.parts = parts
    }
}

/// How one job of a session ended.
package struct JobResult: Sendable {
    package let job: String
    package let ending: JobEnding

    package init(job: String, ending: JobEnding) {
        self.job = job
        self.ending = ending
    }
}

package enum JobEnding: Sendable {
    /// The run is in the catalog.
    case ran(RunFinished)
    /// Another run holds the job's lock.
    case locked(pid: Int32, since: Int64)
    /// Nothing was begun: the job can't run as it is asked for.
    case refused(RefusedMove)
    /// Nothing could be begun: the output directory, the catalog or the list.
    case failed(String)
}
