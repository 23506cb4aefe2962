import Model

/// The collections of a session in list order, and which of them a small screen should show. A value.
package struct CollectionList: Sendable {
    /// What a collection is doing.
    package enum State: Int, CaseIterable, Sendable {
        case downloading, queued, finished
        /// It ended before its items did.
        case stopped
    }

    package struct Entry: Sendable {
        /// Its row's id.
        package let id: Int64
        /// The place of its job.
        package let job: Int
        package let key: String
        package let title: String
        package let subtitle: String?
        package let section: String?
        package fileprivate(set) var expected: Int?
        package fileprivate(set) var listed = 0
        package fileprivate(set) var done = 0
        package fileprivate(set) var failed = 0
        package fileprivate(set) var cancelled = 0
        package fileprivate(set) var state = State.queued
        /// Whether a person has paused it.
        package fileprivate(set) var isPaused = false
        /// Whether no more items are to come.
        package fileprivate(set) var isListed = false
        /// The list's when it changed last.
        package fileprivate(set) var version = 0

        /// Items in all, as far as they are known.
        package var total: Int { isListed ? max(listed, ended) : max(listed, ended, expected ?? 0) }

        /// Items that have ended in any way.
        package var ended: Int { done + cancelled }
    }

    package private(set) var entries: [Entry] = []
    /// How many are in each state.
    package private(set) var counts: [State: Int] = [:]
    /// The most items of a collection, and the most failures of one that is over: columns that grow and never shrink keep
    /// the rows still.
    package private(set) var largestTotal = 0
    package private(set) var mostFailed = 0
    /// What entries that change from now on are marked with.
    var version = 0
    private var places: [Int64: Int] = [:]
    /// In the order in which they began; some may have ended since.
    private var begun: [Int] = []
    private var begunCount = 0
    /// In the order in which they ended.
    private var ended: [Int] = []
    /// No collection before this place is queued.
    private var firstQueued = 0

    mutating func apply(_ progress: CollectionProgress, job: Int, isListComplete: Bool) {
        let place = place(of: progress, job: job)
        var entry = entries[place]
        entry.expected = progress.expected
        entry.listed = progress.listed
        // Given up is not done.
        entry.done = progress.done - progress.cancelled
        entry.failed = progress.failed
        entry.cancelled = progress.cancelled
        // More may be listed until the source says that it is done, or has given all that it announced.
        entry.isListed = isListComplete || progress.expected.map { progress.listed >= $0 } ?? false
        entry.version = version
        entries[place] = entry
        largestTotal = max(largestTotal, entry.total)
        settle(place)
    }

    private mutating func place(of progress: CollectionProgress, job: Int) -> Int {
        if let known = places[progress.id] { return known }
        entries.append(
            Entry(
                id: progress.id, job: job, key: progress.key, title: progress.title, subtitle: progress.subtitle,
                section: progress.section, expected: progress.expected))
        places[progress.id] = entries.count - 1
        counts[.queued, default: 0] += 1
        return entries.count - 1
    }

    /// The key of a collection, by its row's id.
    func key(of id: Int64) -> String? { places[id].map { entries[$0].key } }

    /// An item of the collection is in flight.
    mutating func begin(_ id: Int64) {
        if let place = places[id], entries[place].state == .queued { move(place, to: .downloading) }
    }

    /// All collections of a job are listed; all are over when the job is.
    mutating func complete(job: Int, isFinished: Bool) {
        for place in entries.indices where entries[place].job == job {
            if !entries[place].isListed { entries[place].version = version }
            entries[place].isListed = true
            if isFinished, entries[place].state == .queued || entries[place].state == .downloading {
                let entry = entries[place]
                move(place, to: entry.ended < entry.total || entry.cancelled > 0 ? .stopped : .finished)
            } else {
                settle(place)
            }
        }
    }

    /// Exactly these are paused of a job's collections, by their rows' ids.
    mutating func setPaused(_ ids: Set<Int64>, job: Int) {
        for place in entries.indices where entries[place].job == job {
            let isPaused = ids.contains(entries[place].id)
            guard isPaused != entries[place].isPaused else { continue }
            entries[place].isPaused = isPaused
            entries[place].version = version
        }
    }

    private mutating func settle(_ place: Int) {
        let entry = entries[place]
        if entry.isListed, entry.ended >= entry.total {
            move(place, to: entry.cancelled > 0 ? .stopped : .finished)
        } else if entry.done > 0 || entry.state == .finished || entry.state == .stopped {
            // Of one that was over, items are tried again.
            move(place, to: .downloading)
        }
    }

    private mutating func move(_ place: Int, to state: State) {
        let old = entries[place].state
        guard old != state else { return }
        entries[place].state = state
        entries[place].version = version
        counts[old, default: 0] -= 1
        counts[state, default: 0] += 1
        if old == .downloading { begunCount -= 1 }
        switch state {
        case .downloading:
            begun.append(place)
            begunCount += 1
        case .finished, .stopped:
            ended.append(place)
            mostFailed = max(mostFailed, entries[place].failed)
        case .queued: break
        }
        while firstQueued < entries.count, entries[firstQueued].state != .queued { firstQueued += 1 }
        // Dropping the ended when they are the most costs constant time a collection.
        if begun.count > 64, begun.count > 2 * begunCount {
            begun.removeAll { entries[$0].state != .downloading }
        }
    }

    /// At most so many collections in list order: those at work, else those that come next, else those that ended last.
    package func chosen(_ count: Int) -> [Int] {
        guard entries.count > count else { return Array(entries.indices) }
        var chosen: [Int] = []
        for place in begun where chosen.count < count && entries[place].state == .downloading { chosen.append(place) }
        var next = firstQueued
        while chosen.count < count, next < entries.count {
            if entries[next].state == .queued { chosen.append(next) }
            next += 1
        }
        for place in ended.reversed() {
            guard chosen.count < count else { break }
            chosen.append(place)
        }
        return chosen.sorted()
    }
}
