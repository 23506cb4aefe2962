package import Files
package import HTTP
package import Jobs
package import Model
package import Schedule
package import System

/// What stays the same through one run of one job.
package final class RunContext: Sendable {
    package let job: Job
    package let run: Int64
    package let selection: Selection
    package let interest: CurrentInterest
    /// Takes the steps of items; nil where nobody reads them.
    let log: (any LogSink)?
    package let output: OutputDirectory
    /// Where the source's downloads are kept: the output directory, unless nothing may be written there.
    package let keeping: OutputDirectory
    /// The names of the downloads that this run's list was made of.
    package let keptNames = Locked<Set<String>>([])
    let profile: HTTPProfile
    /// The job's headers, for hosts that the job file names; for others; and none.
    let headers: (authored: HTTPHeaderList?, others: HTTPHeaderList?)
    /// Parts that an earlier run left, by name.
    let leftParts: Set<String>
    /// The job's number in the scheduler.
    package let index: Scheduler.JobIndex
    package let startedAt: Int64
    /// Whether the run is broken off: nothing that takes long goes on.
    package let isAborted = Locked(false)

    package init(
        job: Job, run: Int64, selection: Selection, interest: CurrentInterest = CurrentInterest(),
        log: (any LogSink)? = nil, output: OutputDirectory, keeping: OutputDirectory? = nil, profile: HTTPProfile,
        index: Scheduler.JobIndex,
        startedAt: Int64
    ) {
        self.job = job
        self.run = run
        self.selection = selection
        self.interest = interest
        self.log = log
        self.output = output
        self.keeping = keeping ?? output
        self.profile = profile
        self.index = index
        self.startedAt = startedAt
        leftParts = Set(((try? output.parts()) ?? []).map(\.name))
        let all = job.transfer.headers
        headers = (Self.list(all), Self.list(all.filter { !$0.isPrivate }))
    }

    /// The time that a host took for its first byte; nil when there was no reply. Under a bandwidth limit the time is this
    /// program's own, and tells nothing of the host.
    func wait(of result: HTTPResult) -> Int64? {
        guard result.status != 0 else { return nil }
        return profile.configuration.bandwidth?.bytesPerSecond == nil ? result.phases.wait : 0
    }

    private static func list(_ headers: [RequestHeader]) -> HTTPHeaderList? {
        headers.isEmpty ? nil : HTTPHeaderList(headers.map { HTTPHeader($0.name, $0.value) })
    }
}
