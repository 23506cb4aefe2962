package import Model
package import Schedule

/// Takes what becomes of items from the engine. Called on the loops' threads: nothing in it may wait.
package protocol TransferSink: AnyObject, Sendable {
    /// Which events are wanted.
    var interest: CurrentInterest { get }
    /// Whether so much waits to be recorded that nothing more should begin.
    var isFull: Bool { get }

    /// Calls back after each time that less waits to be recorded.
    func whenDrained(_ body: @escaping @Sendable () -> Void)
    /// Takes finished items; `isLast` when nothing more is to come for now.
    func add(_ items: [FinishedItem], isLast: Bool)
    /// Takes events that are soon out of date.
    func offer(_ activity: [RunEvent])
    func started(_ items: [StartedItem], at wall: Int64)
    /// A host is paused, and its items may be skipped because of that.
    func tell(_ trouble: HostOutage)
    /// Reads the details of parked items, and gives them to ``TransferCoordinator/loaded(_:_:)``.
    func load(_ load: Scheduler.Load, for engine: TransferCoordinator)
    func countListRequest(_ context: RunContext)
    func countListBytes(_ bytes: Int64, _ context: RunContext)
}
