import Jobs
package import Model

/// A session as its readers see it: everything that the events so far have reported. The terminal draws it, and the
/// control sockets serve it. A value: no clock, no output.
package struct RunModel: Sendable {
    package struct Job: Sendable {
        package let name: String
        package fileprivate(set) var progress: RunProgress?
        package fileprivate(set) var isPaused = false
        package fileprivate(set) var isStopping = false
        /// When what is in flight is broken off, while it is stopping; by the reader's clock.
        package fileprivate(set) var graceEnd: Int64 = 0
        package fileprivate(set) var isFinished = false
        package fileprivate(set) var outcome: RunOutcome?
        package fileprivate(set) var concurrency = 0
        package fileprivate(set) var perHost: Int?
        /// Bytes a second of the whole run; nil for no limit.
        package fileprivate(set) var bandwidth: Int64?
        /// Until when a timetable says so, a time of day such as `19:00`.
        package fileprivate(set) var bandwidthUntil: String?
        package fileprivate(set) var activity = JobActivity()
        /// Its items that have ended lately, the oldest first; see ``RunModel/changes(of:since:)``.
        fileprivate(set) var ended = EndedItems()
        /// The model's version when the state or the limits changed last, the counts, and the hosts.
        package fileprivate(set) var controlVersion = 0
        package fileprivate(set) var countsVersion = 0
        package fileprivate(set) var hostsVersion = 0
    }

    package struct Hold: Equatable, Sendable {
        package var host: String
        /// Microseconds of the reader's clock.
        package var until: Int64
        package var reason: HostPause.Reason
    }

    /// Counts the events: what changed since a version is what is marked with a later one.
    package private(set) var version = 0
    /// Whether what is in flight was reported once.
    private(set) var hasActivity = false
    package private(set) var jobs: [Job]
    package private(set) var collections = CollectionList()
    package private(set) var files = FileSlots()
    /// In the order in which they were first paused.
    private var holds: [Hold] = []
    /// Items whose pictures are being made, by their rows' ids.
    private var rendering: [Int64: (job: String, item: ItemActivity)] = [:]
    package private(set) var retries = 0
    /// Items that wait to be tried again.
    package private(set) var waiting = 0
    /// The next of these, and when it was reported by the display's clock.
    private var nextRetries: (items: [ItemRetry], at: Int64) = ([], 0)
    private var receivedBytes: Int64 = 0

    /// - Parameter version: what versions begin after; of what was before nothing is known.
    package init(jobs names: [String], version: Int = 0) {
        self.version = version
        jobs = names.map { Job(name: $0) }
        for job in jobs.indices { jobs[job].ended.lose(upTo: version) }
    }

    /// - Parameter time: microseconds of the reader's clock, never less than before.
    package mutating func apply(_ event: RunEvent, at time: Int64) {
        version += 1
        collections.version = version
        switch event {
        case .runStarted(let run):
            guard let job = place(of: run.job) else { return }
            jobs[job].concurrency = run.concurrency
            jobs[job].perHost = run.perHost
            jobs[job].controlVersion = version
        case .progress(let progress):
            apply(progress)
        case .activity(let activity):
            for item in activity.items { collections.begin(item.collection) }
            let transfers = activity.items.filter { rendering[$0.id] == nil }
            let items = (transfers + rendering.values.map(\.item)).sorted { $0.id < $1.id }
            for file in files.apply(items, at: time, version: version) {
                if let job = place(of: file.job) { jobs[job].ended.left(file.id, version) }
            }
            apply(activity.jobs)
            hasActivity = true
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
            jobs[job].perHost = control.perHost ?? jobs[job].perHost
            jobs[job].bandwidth = control.bandwidth
            jobs[job].bandwidthUntil = control.bandwidthUntil
            jobs[job].controlVersion = version
            collections.setPaused(control.pausedCollections, job: job)
        case .itemRendering(let item):
            rendering[item.item] = (item.job, ItemActivity(item))
        case .itemRendered(let item):
            rendering[item.item] = nil
        case .runFinished(let run):
            end(run.job, run.outcome)
        case .jobAbandoned(let job):
            end(job, nil)
        case .collection, .itemStarted, .itemFinished, .itemEvicted, .warning:
            break
        }
    }

    func place(of name: String) -> Int? {
        jobs.firstIndex { $0.name == name }
    }

    private mutating func apply(_ activities: [JobActivity]) {
        for activity in activities {
            guard let job = place(of: activity.job), jobs[job].activity != activity else { continue }
            if jobs[job].activity.hosts != activity.hosts { jobs[job].hostsVersion = version }
            jobs[job].activity = activity
            jobs[job].countsVersion = version
        }
    }

    private mutating func end(_ name: String, _ outcome: RunOutcome?) {
        guard let job = place(of: name) else { return }
        jobs[job].isFinished = true
        jobs[job].outcome = outcome
        jobs[job].activity = JobActivity()
        jobs[job].controlVersion = version
        jobs[job].countsVersion = version
        jobs[job].hostsVersion = version
        rendering = rendering.filter { $0.value.job != name }
        collections.complete(job: job, isFinished: true)
    }

    private mutating func apply(_ progress: RunProgress) {
        guard let job = place(of: progress.job) else { return }
        let isNewlyComplete = progress.isListComplete && jobs[job].progress?.isListComplete != true
        for collection in progress.collections {
            collections.apply(collection, job: job, isListComplete: progress.isListComplete)
        }
        if isNewlyComplete {
            collections.complete(job: job, isFinished: false)
            jobs[job].controlVersion = version
        }
        jobs[job].countsVersion = version
        for item in progress.items { jobs[job].ended.add(item, version) }
        jobs[job].progress = progress
        jobs[job].progress?.collections = []
        jobs[job].progress?.items = []
    }

    /// Some of the items that ended were not reported.
    mutating func forgetEnded() {
        version += 1
        for job in jobs.indices { jobs[job].ended.lose(upTo: version) }
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
    package var name: String { jobs.count == 1 ? jobs[0].name : "\(jobs.count) jobs" }

    /// Items listed and selected so far; all of them once the list is complete.
    package var listed: Int { jobs.reduce(0) { $0 + max($1.progress?.listed ?? 0, $1.progress?.figures.items ?? 0) } }

    /// Items that have ended, except those that were skipped.
    package var done: Int { ended - cancelled }
    private var ended: Int { jobs.reduce(0) { $0 + ($1.progress?.figures.items ?? 0) } }
    package var cancelled: Int { jobs.reduce(0) { $0 + ($1.progress?.figures.cancelled ?? 0) } }
    package var failed: Int { jobs.reduce(0) { $0 + ($1.progress?.figures.failed ?? 0) } }
    package var left: Int { listed - ended }

    /// Bytes received, those of items in flight included.
    package var bytes: Int64 { max(receivedBytes, jobs.reduce(0) { $0 + ($1.progress?.figures.wireBytes ?? 0) }) }

    /// Bytes of all that is fetched, and those of them that are there; nil unless all lengths are known.
    package var knownBytes: (done: Int64, total: Int64)? {
        guard isListComplete, !isStopping else { return nil }
        let sums = jobs.compactMap(\.progress).filter { $0.wanted.items > 0 }
        let known = sums.compactMap(\.wanted.known)
        if !known.isEmpty, known.count == sums.count {
            let total = known.reduce(0, Self.sum)
            let ended = sums.map(\.ended.bytes).reduce(files.received, Self.sum)
            return (min(total, ended), total)
        }
        // Else those in flight may be all that is left, and their servers have announced it.
        guard left > 0, files.count >= left, let remaining = files.remaining else { return nil }
        return (bytes, Self.sum(bytes, remaining))
    }

    /// Lengths are what lists and servers say: a sum may be more than there is a number for.
    static func sum(_ first: Int64, _ second: Int64) -> Int64 {
        let (sum, isTooLarge) = first.addingReportingOverflow(second)
        return isTooLarge ? .max : sum
    }

    /// Whether no job can list more.
    package var isListComplete: Bool { jobs.allSatisfy { $0.progress?.isListComplete == true || $0.isFinished } }
    package var isPaused: Bool { jobs.contains { $0.isPaused && !$0.isFinished } }
    package var isStopping: Bool { jobs.contains { $0.isStopping && !$0.isFinished } }

    /// The concurrency of the jobs that are not over, the lowest and the highest; nil before any has begun.
    package var concurrency: ClosedRange<Int>? {
        let numbers = jobs.filter { !$0.isFinished && $0.concurrency > 0 }.map(\.concurrency)
        guard let least = numbers.min(), let most = numbers.max() else { return nil }
        return least...most
    }

    /// Transfers to one host at most, where the concurrency of a job is beyond it.
    package var perHost: Int? {
        jobs.filter { !$0.isFinished && $0.concurrency > $0.perHost ?? .max }.compactMap(\.perHost).min()
    }

    /// Microseconds that what is in flight has left while the session is stopping; nil while it is not.
    package func grace(at time: Int64) -> Int64? {
        jobs.filter { $0.isStopping && !$0.isFinished }.map { max(0, $0.graceEnd - time) }.max()
    }

    /// Items that wait to be tried again, the next first, with what is left of their waits at this time.
    package func retries(at time: Int64) -> [ItemRetry] {
        nextRetries.items.map { item in
            ItemRetry(title: item.title, wait: max(0, item.wait - (time - nextRetries.at)), reason: item.reason)
        }
    }

    /// Hosts that are paused at this time.
    package func holds(at time: Int64) -> [Hold] { holds.filter { $0.until > time } }
}

extension ItemActivity {
    /// A stored item of which pictures are made: it has nothing more to bring.
    fileprivate init(_ item: ItemRendering) {
        let stage: Stage =
            switch item.activity {
            case .unzipping: .unzipping
            case .rendering: .rendering
            }
        self.init(
            id: item.item, run: item.run, job: item.job, key: item.key, collection: item.collectionID,
            title: item.title, host: "",
            stage: stage, total: 0)
    }
}
