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
