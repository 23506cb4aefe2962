package import HTTP
package import Model
package import System

/// What hosts can bear: what requests tell of it, and what follows.
extension Scheduler {
    /// A host that is paused because it failed again and again.
    package struct Outage: Sendable, Equatable {
        package let job: JobIndex
        package let origin: HTTPOrigin
        /// Failures in a row.
        package let failures: Int
        package let until: Monotonic
        /// Whether what waits for it is skipped.
        package let isGivenUp: Bool
        /// Whether the last failures were of the connection, so that nothing could be asked.
        package let isUnreachable: Bool
    }

    /// Items and requests of a job that end because their host is paused.
    package struct GivenUp: Sendable, Equatable {
        package let job: JobIndex
        package let origin: HTTPOrigin
        package let ids: [TransferID]
    }

    /// Takes in what the end of a request says of its host.
    mutating func note(_ sign: HostSignal, of flight: Flight, _ id: TransferID, now: Monotonic) {
        let host = flight.host
        let inFlight = hosts[host].inFlight
        let name = QueueName(job: flight.job, host: host)
        switch sign {
        case .none: return
        case .answered(let wait):
            hosts[host].breaker.succeeded()
            let ceiling = perHost(host, flight.job)
            guard
                hosts[host].limit.answered(
                    wait: wait, begun: flight.begun, at: now, inFlight: inFlight, ceiling: ceiling)
            else { return }
            strains[name, default: ThrottleStatistics()].note(hosts[host].limit)
            return
        case .failed: break
        case .unreachable, .overloaded, .refused:
            if sign == .refused { strains[name, default: ThrottleStatistics()].refusals += 1 }
            if hosts[host].limit.refused(begun: flight.begun, at: now, inFlight: inFlight) {
                strains[name, default: ThrottleStatistics()].note(hosts[host].limit)
            }
        }
        let failure = CircuitBreaker.Failure(of: id, isUnreachable: sign == .unreachable, begun: flight.begun)
        let jobs = jobs
        let change = hosts[host].breaker.failed(failure, at: now, breakerSettings) {
            jobs.reduce(into: CircuitBreaker.Waiting()) { waiting, job in
                waiting.count += job.queues[host]?.waitingCount ?? 0
                waiting.hasUntried = waiting.hasUntried || job.queues[host]?.hasUntried == true
            }
        }
        switch change {
        case nil: return
        case .opened(let until):
            pause(host, name, until: until, isGivenUp: false, now)
        case .gaveUp(let until):
            pause(host, name, until: until, isGivenUp: true, now)
            givenUpHosts.insert(host)
        }
    }

    private mutating func pause(
        _ host: Int, _ name: QueueName, until: Monotonic, isGivenUp: Bool, _ now: Monotonic
    ) {
        holdBack(name, until: until, .failures, now)
        strains[name, default: ThrottleStatistics()].pauses += 1
        outages.append(
            Outage(
                job: name.job, origin: hosts[host].origin, failures: hosts[host].breaker.failures, until: until,
                isGivenUp: isGivenUp, isUnreachable: hosts[host].breaker.isUnreachable))
    }

    /// Asks nothing of a host before that time.
    mutating func holdBack(_ name: QueueName, until time: Monotonic, _ reason: PauseReason, _ now: Monotonic) {
        let opens = max(hosts[name.host].opens, now)
        guard time > opens else { return }
        hosts[name.host].pause = (time, reason)
        hosts[name.host].opens = time
        strains[name, default: ThrottleStatistics()].held += time - opens
    }

    /// Whether the host may be given one more request now.
    func hasRoom(_ host: Int, _ job: JobIndex) -> Bool {
        let inFlight = hosts[host].inFlight
        return inFlight < perHost(host, job) && inFlight < hosts[host].limit.allowance
            && (inFlight == 0 || hosts[host].breaker.isClosed)
    }

    /// How many requests at a time a job may have at a host.
    func perHost(_ host: Int, _ job: JobIndex) -> Int {
        max(1, jobs[job].limits.perHost / hosts[host].parts)
    }

    /// Hosts that have been paused since the last call.
    package mutating func takeOutages() -> [Outage] {
        guard !outages.isEmpty else { return [] }
        defer { outages = [] }
        return outages
    }

    /// What ends because its host is paused and an attempt after the pause has failed. None of it starts any more.
    package mutating func takeGivenUp(_ now: Monotonic) -> [GivenUp] {
        guard !givenUpHosts.isEmpty else { return [] }
        var result: [GivenUp] = []
        for host in givenUpHosts {
            guard hosts[host].breaker.isGivenUp(at: now) else {
                // It is well again, or what has been listed since may be tried.
                givenUpHosts.remove(host)
                continue
            }
            for job in jobs.indices {
                let ids = removeWaiting(for: host, job: job)
                guard !ids.isEmpty else { continue }
                strains[QueueName(job: job, host: host), default: ThrottleStatistics()].givenUp += ids.count { $0 >= 0 }
                result.append(GivenUp(job: job, origin: hosts[host].origin, ids: ids))
            }
        }
        return result
    }

    /// How a job has throttled hosts so far.
    package func strains(job: JobIndex, now: Monotonic) -> [(HTTPOrigin, ThrottleStatistics)] {
        strains.filter { $0.key.job == job }.map { name, strain in
            var strain = strain
            // The rest of a pause is not over.
            let opens = hosts[name.host].opens
            if opens > now { strain.held = max(0, strain.held - (opens - now)) }
            return (hosts[name.host].origin, strain)
        }.sorted { $0.0.description < $1.0.description }
    }

    private mutating func removeWaiting(for host: Int, job: JobIndex) -> [TransferID] {
        var waiting = removeQueued(host, job: job)
        waiting += timers.removeAll { timer in
            guard case .retry(let id) = timer, let flight = flights[id] else { return false }
            return flight.job == job && flight.host == host
        }.compactMap { timer in
            if case .retry(let id) = timer { id } else { nil }
        }
        for id in waiting { flights[id] = nil }
        guard !dropped.isEmpty else { return waiting }
        defer { dropped.subtract(waiting) }
        return waiting.filter { !dropped.contains($0) }
    }
}
