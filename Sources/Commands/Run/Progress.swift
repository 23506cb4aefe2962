import Core

/// How far the jobs of a session are, by the events so far. A value: no clock, no output.
struct Progress: Equatable, Sendable {
    /// One job's part.
    struct JobProgress: Equatable, Sendable {
        var name: String
        /// Items listed and selected so far; all of them once the list is complete.
        var listed = 0
        var isListComplete = false
        var done = 0
        var failed = 0
        /// Bytes received for items that have ended.
        var bytes: Int64 = 0
        var isFinished = false
    }

    private(set) var jobs: [JobProgress]

    init(jobs names: [String]) {
        jobs = names.map { JobProgress(name: $0) }
    }

    mutating func apply(_ event: RunEvent) {
        switch event {
        case .listing(let listing):
            update(listing.job) { job in
                job.listed = listing.items
                job.isListComplete = listing.isComplete
            }
        case .itemFinished(let item):
            update(item.job) { job in
                job.done += 1
                job.failed += item.transfer.outcome == .failed ? 1 : 0
                job.bytes += item.transfer.wireBytes ?? 0
            }
        case .runFinished(let run):
            update(run.job) { $0.isFinished = true }
        case .runStarted, .collection, .itemStarted, .warning:
            break
        }
    }

    private mutating func update(_ name: String, _ change: (inout JobProgress) -> Void) {
        guard let index = jobs.firstIndex(where: { $0.name == name }) else { return }
        change(&jobs[index])
    }

    var listed: Int { jobs.reduce(0) { $0 + max($1.listed, $1.done) } }
    var done: Int { jobs.reduce(0) { $0 + $1.done } }
    var failed: Int { jobs.reduce(0) { $0 + $1.failed } }
    var bytes: Int64 { jobs.reduce(0) { $0 + $1.bytes } }
    /// Whether no job can list more.
    var isListComplete: Bool { jobs.allSatisfy { $0.isListComplete || $0.isFinished } }
}
