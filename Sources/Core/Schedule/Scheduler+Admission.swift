package import HTTP

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
            guard hasRoom(host, job) else {
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

    private mutating func admitItem(_ job: JobIndex, _ now: Monotonic) -> Admission? {
        guard !jobs[job].isPaused, !jobs[job].isStopped else { return nil }
        guard jobs[job].inFlight < jobs[job].limits.concurrency else { return nil }
        for _ in 0..<jobs[job].ring.count {
            guard let host = jobs[job].ring.popFirst() else { return nil }
            // Found once and changed in place: this is done for every item.
            guard let queue = jobs[job].queues.index(forKey: host) else { continue }
            jobs[job].queues.values[queue].isInRing = false
            guard isOpen(host, job, now) else { continue }
            guard hasRoom(host, job) else {
                enqueue(host, queue, job)
                continue
            }
            guard let (id, collection) = takeReady(host, queue, job) else { continue }
            enqueue(host, queue, job)
            jobs[job].inFlight += 1
            let attempt = flights[id, default: Flight(job: job, host: host, collection: collection)].begin(at: now)
            return begin(id, host, job, attempt, now)
        }
        return nil
    }

    private mutating func takeReady(
        _ host: Int, _ queue: QueueIndex, _ job: JobIndex
    ) -> (TransferID, Int64)? {
        while let (id, collection, isFresh) = jobs[job].queues.values[queue].popReady() {
            if isFresh { readyCount -= 1 }
            if jobs[job].queues.values[queue].isLow { lowQueues.insert(QueueName(job: job, host: host)) }
            if dropped.isEmpty || dropped.remove(id) == nil { return (id, collection) }
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
                let emptyQueue = HostQueue(window)
                jobs[flight.job].queues[flight.host, default: emptyQueue].pushFront(id, collection: flight.collection)
                enqueue(flight.host, flight.job)
            }
        }
    }

    mutating func enqueue(_ host: Int, _ job: JobIndex) {
        if let queue = jobs[job].queues.index(forKey: host) { enqueue(host, queue, job) }
    }

    private mutating func enqueue(_ host: Int, _ queue: QueueIndex, _ job: JobIndex) {
        if jobs[job].queues.values[queue].enterRing() { jobs[job].ring.append(host) }
    }

    mutating func pushUrgent(_ id: TransferID, _ host: Int, _ job: JobIndex) {
        let emptyQueue = HostQueue(window)
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
        let interval = jobs[job].limits.interval
        if interval > hosts[host].interval {
            hosts[host].interval = interval
            hosts[host].opens = max(hosts[host].opens, hosts[host].asked.advanced(byMicroseconds: interval))
        }
        return host
    }
}
