import HTTP
import Model
import Schedule
import System

extension TransferCoordinator {
    /// What is behind the coordinator's lock. Nothing that waits for the network or the disk is done while it is held.
    struct State {
        var scheduler: Scheduler
        /// What is needed to begin the scheduler's ready items.
        var ready: [Int64: ItemWork] = [:]
        /// Items that were begun and are not over.
        var transfers: [Int64: ItemDownload] = [:]
        /// Requests of sources that are not over.
        var requests: [Int64: ListRequest] = [:]
        var lastRequest: Int64 = 0
        /// Large bodies that have been checked.
        var checked: [(ItemDownload, AttemptResult)] = []
        /// Transfers that are over, whose files are still to be seen to: not under the lock.
        var over: [Over] = []
        var started: [StartedItem] = []
        /// Transfers to be broken off.
        var cancelled: Set<Int64> = []
        /// Transfers to be broken off that go on later.
        var suspending: Set<Int64> = []
        var http2 = HTTP2Failures()
        var spread: LoopSpread<Begun>
        var activity: ActivityWatch
        /// Names by the scheduler's numbers.
        var jobs: [String] = []
        /// Why hosts are paused, and what of that is to be reported.
        var outages: [HTTPOrigin: TransferFailure] = [:]
        var troubles: [HostOutage] = []

        /// Takes those of some new items that a person asked to have first.
        ///
        /// - Returns: the others.
        mutating func takeFirst(_ work: [ItemWork], job: Scheduler.JobIndex) -> [ItemWork] {
            guard scheduler.awaitsPrioritised(job: job) else { return work }
            let first = work.filter { scheduler.isPrioritised($0.id, job: job) }
            guard !first.isEmpty else { return work }
            // The last that comes is taken first, so that the list's order holds among them.
            for item in first.reversed() {
                scheduler.addFirst(
                    item.id, job: job, origin: item.url.origin, collection: item.collectionID,
                    precedence: item.precedence)
                ready[item.id] = item
            }
            let ids = Set(first.map(\.id))
            return work.filter { !ids.contains($0.id) }
        }
    }

    /// A request that is to begin, and who asks.
    struct Begun {
        let exchange: any PlacedExchange
        let attempt: Int
        let version: HTTPVersion

        /// Makes the request, which may look at a part that an earlier run left, and begins it.
        func begin(on loop: HTTPLoop, now: Monotonic, wall: Int64) {
            let request = exchange.request(attempt: attempt, version: version, now: now, wall: wall)
            exchange.ticket = loop.begin(request, exchange)
        }
    }
}
