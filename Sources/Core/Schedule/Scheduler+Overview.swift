package import HTTP
import Model
package import System

/// What a person who watches may know.
extension Scheduler {
    /// Why a host is asked nothing for a while.
    package enum PauseReason: Sendable, Hashable {
        /// It said so: Retry-After (RFC 9110, section 10.2.3).
        case retryAfter
        /// It failed again and again.
        case failures
    }

    /// One host, as one job has to do with it.
    package struct HostOverview: Sendable, Equatable {
        package let origin: HTTPOrigin
        package let inFlight: Int
        /// Requests that may be in flight now.
        package let allowance: Int
        /// When it is asked again; nil for a host that is not paused.
        package let pausedUntil: Monotonic?
        package let reason: PauseReason?
    }

    package struct Overview: Sendable, Equatable {
        /// Items in flight.
        package let inFlight: Int
        /// Items that wait to be tried again.
        package let retrying: Int
        /// Hosts with something in flight or to be tried again, and those that were throttled or paused.
        package let hosts: [HostOverview]
    }

    /// What a job has under way at this time.
    package func overview(job: JobIndex, now: Monotonic) -> Overview {
        var inFlight: [Int: Int] = [:]
        var retrying = 0
        for flight in flights.values where flight.job == job {
            inFlight[flight.host, default: 0] += flight.isInFlight ? 1 : 0
            if !flight.isInFlight, !flight.isHop, !flight.isSuspended { retrying += 1 }
        }
        let known = Set(inFlight.keys).union(strains.keys.lazy.filter { $0.job == job }.map(\.host))
        let overviews = known.map { number in
            let host = hosts[number]
            let isPaused = host.pause.map { $0.until > now } == true
            let allowance = host.breaker.isClosed ? min(perHost(number, job), host.limit.allowance) : 1
            return HostOverview(
                origin: host.origin, inFlight: inFlight[number] ?? 0, allowance: isPaused ? 0 : allowance,
                pausedUntil: isPaused ? host.pause?.until : nil, reason: isPaused ? host.pause?.reason : nil)
        }
        return Overview(
            inFlight: jobs[job].inFlight, retrying: retrying,
            hosts: overviews.sorted { $0.origin.description < $1.origin.description })
    }
}
