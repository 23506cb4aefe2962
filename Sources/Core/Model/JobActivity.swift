/// What one job has under way at one moment, as the scheduler has it.
package struct JobActivity: Sendable, Hashable {
    package var job = ""
    /// Items in flight.
    package var inFlight = 0
    /// Items that wait to be tried again.
    package var retrying = 0
    /// Hosts that are asked, or wait, or are asked for less; by their origins.
    package var hosts: [HostActivity] = []

    package init() {}
}

/// One host, as one job has to do with it.
package struct HostActivity: Sendable, Hashable {
    package var origin: String
    package var inFlight: Int
    /// Requests that may be in flight now.
    package var allowance: Int
    /// When it is asked again, microseconds since 1970 UTC; nil for a host that is not paused.
    package var pausedUntil: Int64?
    package var reason: HostPause.Reason?

    package init(
        origin: String, inFlight: Int, allowance: Int, pausedUntil: Int64? = nil, reason: HostPause.Reason? = nil
    ) {
        self.origin = origin
        self.inFlight = inFlight
        self.allowance = allowance
        self.pausedUntil = pausedUntil
        self.reason = reason
    }
}

/// An item whose row is in the catalog.
package struct EndedItem: Sendable, Hashable {
    package var id: Int64
    package var outcome: TransferOutcome

    package init(
        id: Int64, outcome: TransferOutcome
    ) {
        self.id = id
        self.outcome = outcome
    }
}
