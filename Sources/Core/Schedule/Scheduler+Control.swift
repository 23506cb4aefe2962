import HTTP
package import System

/// What a person, a signal or a deadline asks for while the run goes on.
extension Scheduler {
    /// While a job is paused no item of it begins and no request of its source; what is in flight goes on, redirects
    /// included.
    package mutating func setPaused(_ isPaused: Bool, job: JobIndex) {
        jobs[job].isPaused = isPaused
        guard !isPaused else { return }
        for host in jobs[job].queues.keys where jobs[job].queues[host]?.urgent.isEmpty == false {
            jobs[job].urgentRing.append(host)
        }
    }

    /// Begins nothing that has a file before that time, or before it is released: what has none may still be listed.
    package mutating func holdStored(until time: Monotonic, job: JobIndex) {
        jobs[job].storedOpens = time
        timers.insert(.job, due: time)
    }

    /// The list is complete.
    package mutating func releaseStored(job: JobIndex) {
        jobs[job].storedOpens = Monotonic(microseconds: .min)
    }

    /// More begins at once; fewer only as what is in flight ends.
    package mutating func setConcurrency(_ concurrency: Int, job: JobIndex) {
        jobs[job].limits.concurrency = concurrency
    }

    /// More begins at once to each host; fewer only as what is in flight ends.
    package mutating func setPerHost(_ perHost: Int, job: JobIndex) {
        jobs[job].limits.perHost = perHost
    }

    /// Of exactly these collections nothing begins; what is in flight goes on.
    package mutating func setPausedCollections(_ collections: Set<Int64>, job: JobIndex) {
        jobs[job].pausedCollections = collections
        for host in jobs[job].queues.keys {
            jobs[job].queues[host]?.setPaused(collections)
            enqueue(host, job)
        }
    }

    /// What is in flight of a job, or of some of its collections, for the caller to break off.
    package func suspendable(job: JobIndex, collections: Set<Int64>?) -> Set<TransferID> {
        Set(
            flights.filter { id, flight in
                id >= 0 && flight.job == job && flight.isInFlight && collections?.contains(flight.collection) != false
            }.keys)
    }

    /// An item that was broken off for a pause: it is the first of its host to go on.
    mutating func putBack(_ id: TransferID, _ flight: Flight) {
        let emptyQueue = emptyQueue(flight.job)
        jobs[flight.job].queues[flight.host, default: emptyQueue].putBack(
            id, collection: flight.collection, flight.rankAgain)
        enqueue(flight.host, flight.job)
    }

    /// Puts items before all others of their host, in place of those of the last call: those that wait now, the others when
    /// they come.
    package mutating func prioritise(_ ids: Set<TransferID>, job: JobIndex) {
        var rest = ids.filter { flights[$0] == nil }
        defer { jobs[job].prioritised = rest }
        for host in jobs[job].queues.keys {
            jobs[job].queues[host]?.prioritise(ids, &rest)
            noteLow(host, job)
            enqueue(host, job)
        }
    }

    /// Gives up items.
    ///
    /// - Returns: those that are in flight, for the caller to stop; the others never begin.
    package mutating func cancel(_ ids: Set<TransferID>, job: JobIndex) -> Set<TransferID> {
        var inFlight: Set<TransferID> = []
        let timed = Set(timers.removeAll { if case .retry(let id) = $0 { ids.contains(id) } else { false } }.map(id))
        for id in ids {
            if flights[id]?.isInFlight == true {
                inFlight.insert(id)
                continue
            }
            // A redirected item still holds its job's slot; its place among the urgent ones is passed over.
            let isHop = flights.removeValue(forKey: id).map { $0.isHop && !$0.isDelayed } == true
            if isHop { jobs[job].inFlight -= 1 }
            if !isHop, !timed.contains(id) { dropped.insert(id) }
        }
        return inFlight
    }

    private func id(_ timer: Timer) -> TransferID {
        if case .retry(let id) = timer { id } else { 0 }
    }

    /// Stops a job: nothing of it begins any more, no failure is tried again.
    ///
    /// - Returns: the items that wait, whose outcome is therefore `cancelled`, and requests that wait.
    package mutating func stop(job: JobIndex) -> [TransferID] {
        jobs[job].isStopped = true
        var waiting: [TransferID] = []
        for host in jobs[job].queues.keys { waiting += removeQueued(host, job: job) }
        waiting += timers.removeAll { timer in
            if case .retry(let id) = timer { flights[id]?.job == job } else { false }
        }.map(id)
        for id in waiting { flights[id] = nil }
        defer { dropped.subtract(waiting) }
        return waiting.filter { !dropped.contains($0) }
    }

    /// Takes out what waits for a host: redirected items, requests, and items that wait for their turn.
    mutating func removeQueued(_ host: Int, job: JobIndex) -> [TransferID] {
        guard var queue = jobs[job].queues[host] else { return [] }
        var waiting: [TransferID] = []
        // A redirected item still holds its job's slot.
        for id in queue.urgent.removeAll() where flights[id] != nil {
            if id >= 0, flights[id]?.isHop == true { jobs[job].inFlight -= 1 }
            waiting.append(id)
        }
        readyCount -= queue.readyCount
        waiting += queue.removeAll()
        jobs[job].queues[host] = queue
        return waiting
    }

    package func isStopped(job: JobIndex) -> Bool { jobs[job].isStopped }

    /// Whether nothing is in flight, waits or is being loaded.
    package var isIdle: Bool { flights.isEmpty && readyCount == 0 && loadingCount == 0 && lowQueues.isEmpty }

    /// Items of a job in flight.
    package func inFlight(job: JobIndex) -> Int {
        jobs[job].inFlight
    }
}
