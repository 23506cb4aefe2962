import Synchronization

/// Which events a session's reader wants beside beginnings, ends, warnings and failures. What nobody wants is not made.
package struct EventInterest: Sendable, Hashable {
    /// Collections, attempts, and items that ended well, one by one.
    package var includesItems: Bool
    /// Microseconds between two ``RunActivity``; nil for neither these nor ``RunProgress``.
    package var activityInterval: Int64?

    package init(includesItems: Bool = true, activityInterval: Int64? = nil) {
        self.includesItems = includesItems
        self.activityInterval = activityInterval
    }

    package var includesProgress: Bool { activityInterval != nil }

    /// The same with the sums of runs at least every so many microseconds.
    package func withProgress(every interval: Int64) -> EventInterest {
        EventInterest(includesItems: includesItems, activityInterval: min(interval, activityInterval ?? .max))
    }

    /// Whether one of the events of rendering is wanted: the live display shows what is being made, too.
    package func includes(rendering event: RunEvent) -> Bool {
        if includesItems || includesProgress { return true }
        return switch event {
        case .itemRendered(let item): item.failure != nil
        case .warning: true
        default: false
        }
    }
}

/// Which events are wanted at this moment. From any thread; asking costs a load.
package final class CurrentInterest: Sendable {
    /// Of the reader that gets them in order.
    package let reader: EventInterest
    private let watchers = Atomic(false)

    /// Microseconds between two ``RunActivity`` for those who watch.
    static let watchInterval: Int64 = 200_000

    package init(_ reader: EventInterest = EventInterest()) {
        self.reader = reader
    }

    /// Whether anybody watches.
    package var isWatched: Bool { watchers.load(ordering: .relaxed) }

    package func setWatched(_ isWatched: Bool) {
        watchers.store(isWatched, ordering: .relaxed)
    }

    package var includesItems: Bool { reader.includesItems }
    package var includesProgress: Bool { reader.includesProgress || isWatched }

    /// Microseconds between two ``RunActivity``; nil for none.
    package var activityInterval: Int64? {
        guard isWatched else { return reader.activityInterval }
        return min(Self.watchInterval, reader.activityInterval ?? .max)
    }

    package func includes(rendering event: RunEvent) -> Bool {
        isWatched || reader.includes(rendering: event)
    }
}
