import HTTP
import Model
package import System

/// Which transfer begins next.
extension Scheduler {
    /// The place of a host's queue among its job's.
    private typealias QueueIndex = Dictionary<Int, HostQueue>.Index

    /// What may begin at this time, with its slots taken.
    package mutating func admit(_ now: Monotonic) -> [Admission] {
        while let due = timers.popDue(now) { wake(due) }
        var admissions: [Admission] = []
        var idle = 0
        while idle < jobs.count {
            let job = nextJob % jobs.count
            nextJob = job + 1
            if let admission = admitUrgent(job, now) ?? admitItem(job, now) {
                admissions.append(admission)
                idle = 0
            } else {
                idle += 1
            }
        }
        return admissions
    }

    /// When something may begin that can't yet; nil when only an event can change that.
    package var nextWake: Monotonic? { timers.next }

    private mutating func admitUrgent(_ job: JobIndex, _ now: Monotonic) -> Admission? {
        let isPaused = jobs[job].isPaused
        for _ in 0..<jobs[job].urgentRing.count {
            guard let host = jobs[job].urgentRing.popFirst() else { return nil }
            guard isOpen(host, job, now) else { continue }
            guard hasRoom(host, job), !isLeftToItems(host, job) else {
                jobs[job].urgentRing.append(host)
                continue
            }
            while let id = jobs[job].queues[host]?.popUrgent(itemsOnly: isPaused) {
                guard flights[id] != nil else { continue }
                if jobs[job].queues[host]?.urgent.isEmpty == false { jobs[job].urgentRing.append(host) }
                return begin(id, host, job, flights[id]?.begin(at: now) ?? 1, now)
            }
        }
        return nil
    }

    /// Whether the one request that is to tell how well a host is should be an item's: the next one that goes before items
    /// has failed before.
    private func isLeftToItems(_ host: Int, _ job: JobIndex) -> Bool {
        guard !hosts[host].breaker.isClosed, !jobs[job].isPaused, let queue = jobs[job].queues[host],
            let flight = queue.urgent.first.flatMap({ flights[$0] })
        else { return false }
        return flight.attempts > 0 && !flight.isHop && queue.hasUntried
    }

    private mutating func admitItem(_ job: JobIndex, _ now: Monotonic) -> Admission? {
        guard !jobs[job].isPaused, !jobs[job].isStopped else { return nil }
        guard jobs[job].inFlight < jobs[job].limits.concurrency else { return nil }
        // Entered again when the rings have been gone through: that may add one.
        var full: [Int] = []
        defer { for host in full { enqueue(host, job) } }
        for ring in jobs[job].rings.indices {
            let precedence = jobs[job].rings[ring].precedence
            if precedence.rank >= .stored, jobs[job].storedOpens > now { break }
            while let host = jobs[job].rings[ring].hosts.popFirst() {
                // Found once and changed in place: this is done for every item.
                guard let queue = jobs[job].queues.index(forKey: host),
                    jobs[job].queues.values[queue].ringed == precedence
                else { continue }
                jobs[job].queues.values[queue].ringed = nil
                guard isOpen(host, job, now) else { continue }
                guard hasRoom(host, job) else {
                    full.append(host)
                    continue
                }
                guard let item = takeReady(host, queue, job) else { continue }
                enqueue(host, queue, job)
                jobs[job].inFlight += 1
                let flight = Flight(job: job, host: host, collection: item.collection, rankAgain: item.rankAgain)
                let attempt = flights[item.id, default: flight].begin(at: now)
                return begin(item.id, host, job, attempt, now)
            }
        }
        return nil
    }

    private mutating func takeReady(_ host: Int, _ queue: QueueIndex, _ job: JobIndex) -> HostQueue.Next? {
        let isProbe = !hosts[host].breaker.isClosed
        while let item = jobs[job].queues.values[queue].popReady(isProbe: isProbe) {
            if item.isFresh { readyCount -= 1 }
            if jobs[job].queues.values[queue].isLow { lowQueues.insert(QueueName(job: job, host: host)) }
            if dropped.isEmpty || dropped.remove(item.id) == nil { return item }
        }
        // A list over many hosts leaves no empty queues behind.
        if jobs[job].queues.values[queue].isEmpty { jobs[job].queues.remove(at: queue) }
        return nil
    }

    private mutating func begin(
        _ id: TransferID, _ host: Int, _ job: JobIndex, _ attempt: Int, _ now: Monotonic
    ) -> Admission {
        hosts[host].inFlight += 1
        hosts[host].asked = now
        hosts[host].limit.began(at: now)
        let interval = max(hosts[host].interval, hosts[host].limit.interval)
        if interval > 0 { hosts[host].opens = max(now, hosts[host].opens).advanced(byMicroseconds: interval) }
        return Admission(id: id, job: job, attempt: attempt)
    }

    /// Whether the host may be asked at this time; else its queue comes back when it may.
    private mutating func isOpen(_ host: Int, _ job: JobIndex, _ now: Monotonic) -> Bool {
        guard hosts[host].opens > now else { return true }
        if !hosts[host].isTimed {
            hosts[host].isTimed = true
            timers.insert(.host(host), due: hosts[host].opens)
        }
        return false
    }

    private mutating func wake(_ timer: Timer) {
        switch timer {
        case .job: return
        case .host(let host):
            hosts[host].isTimed = false
            for job in jobs.indices where jobs[job].queues[host] != nil {
                enqueue(host, job)
                if jobs[job].queues[host]?.urgent.isEmpty == false { jobs[job].urgentRing.append(host) }
            }
        case .retry(let id):
            guard let flight = flights[id] else { return }
            if id < 0 {
                pushUrgent(id, flight.host, flight.job)
            } else {
                let emptyQueue = emptyQueue(flight.job)
                jobs[flight.job].queues[flight.host, default: emptyQueue].push(
                    again: id, collection: flight.collection, flight.rankAgain)
                enqueue(flight.host, flight.job)
            }
        }
    }

    /// What a host is given that a job has not asked yet.
    func emptyQueue(_ job: JobIndex) -> HostQueue {
        var queue = HostQueue(window)
        if !jobs[job].pausedCollections.isEmpty { queue.setPaused(jobs[job].pausedCollections) }
        return queue
    }

    mutating func enqueue(_ host: Int, _ job: JobIndex) {
        if let queue = jobs[job].queues.index(forKey: host) { enqueue(host, queue, job) }
    }

    private mutating func enqueue(_ host: Int, _ queue: QueueIndex, _ job: JobIndex) {
        guard let best = jobs[job].queues.values[queue].best else { return }
        if let ringed = jobs[job].queues.values[queue].ringed, ringed <= best { return }
        jobs[job].queues.values[queue].ringed = best
        jobs[job].enterRing(host, best)
    }

    mutating func pushUrgent(_ id: TransferID, _ host: Int, _ job: JobIndex) {
        let emptyQueue = emptyQueue(job)
        jobs[job].queues[host, default: emptyQueue].urgent.append(id)
        jobs[job].urgentRing.append(host)
    }

    mutating func number(of origin: HTTPOrigin, job: JobIndex) -> Int {
        let host: Int
        if let known = hostNumbers[origin] {
            host = known
        } else {
            host = hosts.count
            hosts.append(Host(origin: origin))
            hostNumbers[origin] = host
        }
        let limits = jobs[job].limits
        if let parts = limits.parts[origin] { hosts[host].parts = max(hosts[host].parts, parts) }
        let parts = Int64(hosts[host].parts)
        let interval = min(limits.interval, .max / parts) * parts
        if interval > hosts[host].interval {
            hosts[host].interval = interval
            hosts[host].opens = max(hosts[host].opens, hosts[host].asked.advanced(byMicroseconds: interval))
        }
        return host
    }
}

extension Scheduler.Job {
    /// Puts a host at the end of the ring of a precedence.
    mutating func enterRing(_ host: Int, _ precedence: Precedence) {
        var place = rings.firstIndex { $0.precedence >= precedence } ?? rings.count
        if place == rings.count || rings[place].precedence != precedence {
            // Kept as long as no other is needed: hosts come and go for every item.
            rings.removeAll { $0.hosts.isEmpty }
            place = rings.firstIndex { $0.precedence > precedence } ?? rings.count
            rings.insert((precedence, FIFO()), at: place)
        }
        rings[place].hosts.append(host)
    }
}
