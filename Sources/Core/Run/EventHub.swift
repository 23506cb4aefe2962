import HTTP
import Synchronization

/// Where the events of a session go: to its one reader in order, who may slow the session, and to any number who only
/// watch, for whom nobody waits.
///
/// While nobody watches, events that only a watcher wants are not made; see ``CurrentInterest``.
final class EventHub: Sendable {
    let interest: CurrentInterest
    /// What those who watch see.
    let live: LiveModel
    private let stream: EventStream
    /// When the reader gets the next ``RunActivity``; watchers may want them more often.
    private let activityDue = Locked(Monotonic(microseconds: .min))

    /// - Parameters:
    ///   - interest: what the reader wants.
    ///   - jobs: the names of the session's jobs, in order.
    ///   - handler: the reader; see ``EventStream``.
    init(
        interest: EventInterest = EventInterest(), jobs: [String] = [],
        _ handler: @escaping @Sendable ([RunEvent]) -> Void
    ) {
        self.interest = CurrentInterest(interest)
        live = LiveModel(jobs: jobs, self.interest)
        stream = EventStream(handler)
    }

    /// - Parameter mayWait: whether the caller's thread may be held until the reader has caught up.
    func publish(_ events: [RunEvent], mayWait: Bool) {
        stream.publish(split(events), mayWait: mayWait)
    }

    /// Publishes, and suspends the task while the reader is far behind; no thread is held.
    func send(_ events: [RunEvent]) async {
        await stream.send(split(events))
    }

    /// Publishes events that soon are out of date: the reader does not get them while it is far behind.
    func offer(_ events: [RunEvent]) {
        guard !events.isEmpty else { return }
        stream.offer(split(events))
    }

    /// Returns when all that was published before has been read.
    func drain() async {
        await stream.drain()
    }

    /// Shows those who watch what happened.
    ///
    /// - Returns: what of it the reader wants.
    private func split(_ events: [RunEvent]) -> [RunEvent] {
        guard interest.isWatched, !events.isEmpty else { return events }
        live.take(events)
        return events.filter(isForReader)
    }

    private func isForReader(_ event: RunEvent) -> Bool {
        switch event {
        case .progress, .hostHeld, .control, .jobAbandoned: return interest.reader.includesProgress
        case .activity:
            guard let interval = interest.reader.activityInterval else { return false }
            return activityDue.withLock { due in
                let now = Monotonic.now()
                guard now >= due else { return false }
                due = now.advanced(byMicroseconds: interval * 9 / 10)
                return true
            }
        case .itemRendering, .itemRendered: return interest.reader.includes(rendering: event)
        case .runStarted, .collection, .itemStarted, .itemFinished, .itemEvicted, .warning, .runFinished: return true
        }
    }
}

/// Which events are wanted at this moment. From any thread; asking costs a load.
final class CurrentInterest: Sendable {
    /// Of the reader that gets them in order.
    let reader: EventInterest
    private let watchers = Atomic(false)

    /// Microseconds between two ``RunActivity`` for those who watch.
    static let watchInterval: Int64 = 200_000

    init(_ reader: EventInterest = EventInterest()) {
        self.reader = reader
    }

    /// Whether anybody watches.
    var isWatched: Bool { watchers.load(ordering: .relaxed) }

    func setWatched(_ isWatched: Bool) {
        watchers.store(isWatched, ordering: .relaxed)
    }

    var includesItems: Bool { reader.includesItems }
    var includesProgress: Bool { reader.includesProgress || isWatched }

    /// Microseconds between two ``RunActivity``; nil for none.
    var activityInterval: Int64? {
        guard isWatched else { return reader.activityInterval }
        return min(Self.watchInterval, reader.activityInterval ?? .max)
    }

    func includes(rendering event: RunEvent) -> Bool {
        isWatched || reader.includes(rendering: event)
    }
}
