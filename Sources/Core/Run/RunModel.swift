import Core

/// A session as its display knows it: everything that the events so far have told. A value: no clock, no output.
struct RunModel: Sendable {
    struct Job: Sendable {
        var name: String
        var progress: RunProgress?
        var isPaused = false
        var isStopping = false
        /// When what is in flight is broken off, while it is stopping; by the display's clock.
        var graceEnd: Int64 = 0
        var isFinished = false
        var concurrency = 0
        var perHost: Int?
    }

    struct Hold: Equatable, Sendable {
        var host: String
        /// Microseconds of the display's clock.
        var until: Int64
        var reason: HostHeld.Reason
    }

    private(set) var jobs: [Job]
    private(set) var collections = CollectionList()
    private(set) var files = FileSlots()
    /// In the order in which they were first held back.
    private var holds: [Hold] = []
    /// Items whose pictures are being made, by their rows' ids.
    private var rendering: [Int64: (job: String, item: ItemActivity)] = [:]
    private(set) var retries = 0
    /// Items that wait to be tried again.
    private(set) var waiting = 0
    /// The next of these, and when it was told by the display's clock.
    private var nextRetries: (items: [ItemRetry], at: Int64) = ([], 0)
    private var receivedBytes: Int64 = 0

    init(jobs names: [String]) {
        jobs = names.map { Job(name: $0) }
    }

    /// - Parameter time: microseconds of the display's clock, never less than before.
    mutating func apply(_ event: RunEvent, at time: Int64) {
        switch event {
        case .runStarted(let run):
            guard let job = place(of: run.job) else { return }
            jobs[job].concurrency = run.concurrency
            jobs[job].perHost = run.perHost
        case .progress(let progress):
            apply(progress)
        case .activity(let activity):
            for item in activity.items { collections.begin(item.collection) }
            let transfers = activity.items.filter { rendering[$0.id] == nil }
            files.apply((transfers + rendering.values.map(\.item)).sorted { $0.id < $1.id }, at: time)
            retries = activity.retries
            waiting = activity.waiting
            nextRetries = (activity.nextRetries, time)
            receivedBytes = max(receivedBytes, activity.receivedBytes)
        case .hostHeld(let held):
            apply(Hold(host: held.host, until: time + held.until - held.at, reason: held.reason), at: time)
        case .control(let control):
            guard let job = place(of: control.job) else { return }
            jobs[job].isPaused = control.isPaused
            jobs[job].isStopping = control.isStopping
            jobs[job].graceEnd = time + control.grace
            jobs[job].concurrency = control.concurrency
        case .itemRendering(let item):
            rendering[item.item] = (item.job, ItemActivity(item))
        case .itemRendered(let item):
            rendering[item.item] = nil
        case .runFinished(let run):
            end(run.job)
        case .jobAbandoned(let job):
            end(job)
        case .collection, .itemStarted, .itemFinished, .itemEvicted, .warning:
            break
        }
    }
    private func place(of name: String) -> Int? {
        jobs.firstIndex { $0.name == name }
    }

    private mutating func end(_ name: String) {
        guard let job = place(of: name) else { return }
        jobs[job].isFinished = true
        rendering = rendering.filter { $0.value.job != name }
        collections.complete(job: job, isFinished: true)
    }

    private mutating func apply(_ progress: RunProgress) {
        guard let job = place(of: progress.job) else { return }
        let isNewlyComplete = progress.isListComplete && jobs[job].progress?.isListComplete != true
        for collection in progress.collections {
            collections.apply(collection, job: job, isListComplete: progress.isListComplete)
        }
        if isNewlyComplete { collections.complete(job: job, isFinished: false) }
        jobs[job].progress = progress
        jobs[job].progress?.collections = []
    }

    private mutating func apply(_ hold: Hold, at time: Int64) {
        holds.removeAll { $0.until <= time }
        if let known = holds.firstIndex(where: { $0.host == hold.host }) {
            if hold.until > holds[known].until { holds[known] = hold }
        } else {
            holds.append(hold)
        }
    }
}

/// What the jobs come to together.
extension RunModel {
    /// `1 job` goes by its name.
    var name: String { jobs.count == 1 ? jobs[0].name : "\(jobs.count) jobs" }

    /// Items listed and selected so far; all of them once the list is complete.
    var listed: Int { jobs.reduce(0) { $0 + max($1.progress?.listed ?? 0, $1.progress?.figures.items ?? 0) } }

    /// Items that have ended, but for those that were given up.
    var done: Int { ended - cancelled }
    private var ended: Int { jobs.reduce(0) { $0 + ($1.progress?.figures.items ?? 0) } }
    var cancelled: Int { jobs.reduce(0) { $0 + ($1.progress?.figures.cancelled ?? 0) } }
    var failed: Int { jobs.reduce(0) { $0 + ($1.progress?.figures.failed ?? 0) } }
    var left: Int { listed - ended }

    /// Bytes received, those of items in flight included.
    var bytes: Int64 { max(receivedBytes, jobs.reduce(0) { $0 + ($1.progress?.figures.wireBytes ?? 0) }) }

    /// Bytes of all that is fetched, and those of them that are there; nil unless all lengths are known.
    var knownBytes: (done: Int64, total: Int64)? {
        guard isListComplete, !isStopping else { return nil }
        let sums = jobs.compactMap(\.progress).filter { $0.wanted.items > 0 }
        let known = sums.compactMap(\.wanted.known)
        if !known.isEmpty, known.count == sums.count {
            let total = known.reduce(0, Self.sum)
            let ended = sums.map(\.ended.bytes).reduce(files.received, Self.sum)
            return (min(total, ended), total)
        }
        // Else those in flight may be all that is left, and their servers have told.
        guard left > 0, files.count >= left, let remaining = files.remaining else { return nil }
        return (bytes, Self.sum(bytes, remaining))
    }

    /// Lengths are what lists and servers say: a sum may be more than there is a number for.
    private static func sum(_ first: Int64, _ second: Int64) -> Int64 {
        let (sum, isTooLarge) = first.addingReportingOverflow(second)
        return isTooLarge ? .max : sum
    }

    /// Whether no job can list more.
    var isListComplete: Bool { jobs.allSatisfy { $0.progress?.isListComplete == true || $0.isFinished } }
    var isPaused: Bool { jobs.contains { $0.isPaused && !$0.isFinished } }
    var isStopping: Bool { jobs.contains { $0.isStopping && !$0.isFinished } }

    /// The concurrency of the jobs that are not over, the lowest and the highest; nil before any has begun.
    var concurrency: ClosedRange<Int>? {
        let numbers = jobs.filter { !$0.isFinished && $0.concurrency > 0 }.map(\.concurrency)
        guard let least = numbers.min(), let most = numbers.max() else { return nil }
        return least...most
    }

    /// Transfers to one host at most, where the concurrency of a job is beyond it.
    var perHost: Int? {
        jobs.filter { !$0.isFinished && $0.concurrency > $0.perHost ?? .max }.compactMap(\.perHost).min()
    }

    /// Microseconds that what is in flight has left while the session is stopping; nil while it is not.
    func grace(at time: Int64) -> Int64? {
        jobs.filter { $0.isStopping && !$0.isFinished }.map { max(0, $0.graceEnd - time) }.max()
    }

    /// Items that wait to be tried again, the next first, with what is left of their waits at this time.
    func retries(at time: Int64) -> [ItemRetry] {
        nextRetries.items.map { item in
            ItemRetry(title: item.title, wait: max(0, item.wait - (time - nextRetries.at)), reason: item.reason)
        }
    }

    /// Hosts that are held back at this time.
    func holds(at time: Int64) -> [Hold] { holds.filter { $0.until > time } }
}

extension ItemActivity {
    /// A stored item of which pictures are made: it has nothing more to bring.
    fileprivate init(_ item: ItemRendering) {
        let stage: Stage =
            switch item.activity {
            case .unzipping: .unzipping
            case .rendering: .rendering
            }
        self.init(id: item.item, collection: item.collectionID, title: item.title, host: "", stage: stage, total: 0)
    }
}
