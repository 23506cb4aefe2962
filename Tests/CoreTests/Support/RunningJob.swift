import TestSupport
import Testing

@testable import Jobs
@testable import Model
@testable import Run

/// A session with one job that is under way.
final class RunningJob: Sendable {
    let session: Session
    private let bench: Bench
    private let interest: EventInterest
    private let events: Monitor<[RunEvent]>
    private let results: Task<[JobResult], Never>

    init(_ job: Job, _ options: SessionOptions, bench: Bench) throws {
        let events = Monitor<[RunEvent]>([])
        let session = try Session(jobs: [job], options: options) { batch in events.withLock { $0 += batch } }
        self.session = session
        self.bench = bench
        interest = options.interest
        self.events = events
        results = Task { await session.run() }
    }

    /// Waits until an event comes for which the test returns a value.
    @discardableResult
    func wait<Result: Sendable>(for match: @escaping @Sendable (RunEvent) -> Result?) async throws -> Result {
        let events = events
        return try await blocking {
            guard let found = events.wait(until: { $0.lazy.compactMap(match).first }) else {
                throw TestSupportError("the event does not come")
            }
            return found
        }
    }

    /// Waits for an item's first attempt; its id.
    @discardableResult
    func waitForStart(_ key: String) async throws -> Int64 {
        try await wait { event in
            if case .itemStarted(let item) = event, item.key == key { item.item } else { nil }
        }
    }

    /// The end of the run, checked.
    func report(location: SourceLocation = #_sourceLocation) async throws -> RunReport {
        let results = await results.value
        let ending = try #require(results.first?.ending)
        let report = try RunReport(ending, events: events.withLock { $0 }, bench: bench)
        if report.finished != nil { try RunCheck(report, bench, location, interest).run() }
        return report
    }
}
