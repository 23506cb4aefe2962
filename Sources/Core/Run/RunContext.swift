import Files
import HTTP

/// What stays the same through one run of one job.
final class RunContext: Sendable {
    let job: Job
    let run: Int64
    let selection: Selection
    let interest: CurrentInterest
    let output: OutputDirectory
    /// Where the source's downloads are kept: the output directory, unless nothing may be written there.
    let keeping: OutputDirectory
    /// The names of the downloads that this run's list was made of.
    let keptNames = Locked<Set<String>>([])
    let profile: HTTPProfile
    /// The job's headers, for hosts that the job file names; for others; and none.
    let headers: (authored: HTTPHeaderList?, others: HTTPHeaderList?)
    /// Parts that an earlier run left, by name.
    let leftParts: Set<String>
    /// The job's number in the scheduler.
    let index: Scheduler.JobIndex
    let startedAt: Int64
    /// Whether the run is broken off: nothing that takes long goes on.
    let isAborted = Locked(false)

    init(
        job: Job, run: Int64, selection: Selection, interest: CurrentInterest = CurrentInterest(),
        output: OutputDirectory, keeping: OutputDirectory? = nil, profile: HTTPProfile, index: Scheduler.JobIndex,
        startedAt: Int64
    ) {
        self.job = job
        self.run = run
        self.selection = selection
        self.interest = interest
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
