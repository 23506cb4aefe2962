package import HTTP
package import Model
package import Schedule
import System

/// A paused host, as it concerns one job.
package struct HostOutage: Sendable {
    package let job: Scheduler.JobIndex
    /// For people, and why the skipped items failed.
    package let failure: TransferFailure
    /// Whether it was not reported yet.
    package var shouldReport = false
    /// Items that are skipped and never started.
    package var items: [Int64] = []
}

extension HostSignal {
    /// What the end of a request says of its host.
    ///
    /// - Parameter wait: the time to the first byte; nil when there was no reply.
    init(_ failure: TransferFailure?, wait: Int64?) {
        self = failure?.sign ?? wait.map(HostSignal.answered) ?? .none
    }
}

extension TransferCoordinator {
    /// How a job has throttled hosts so far.
    package func strains(_ context: RunContext) -> [(HTTPOrigin, ThrottleStatistics)] {
        state.withLock { $0.scheduler.strains(job: context.index, now: .now()) }
    }

    /// Words what the scheduler has decided about a host after its last failure.
    func noteOutages(_ state: inout State, _ last: TransferFailure?, now: Monotonic) {
        for outage in state.scheduler.takeOutages() {
            let because = last.map { "; the last time: \($0.detail)" } ?? ""
            let seconds = (outage.until - now + 500_000) / 1_000_000
            let name = "\(outage.origin)"
            let news =
                "\(name) failed \(outage.failures) times in a row and is "
                + (outage.isGivenUp ? "given up, and " : "") + "paused for \(seconds) s\(because)"
            // Transient: a part that was begun is worth keeping for the next run.
            state.troubles.append(
                HostOutage(
                    job: outage.job, failure: TransferFailure(last?.word ?? .connect, news, isTransient: true),
                    shouldReport: true))
            state.activity.noteHold(outage.origin, for: outage.until - now, .failures)
            guard outage.isGivenUp else { continue }
            // What was not asked has not stalled, whatever others did: nothing connected to the host for it.
            state.outages[outage.origin] = TransferFailure(
                outage.isUnreachable ? last?.word ?? .connect : .connect,
                "not asked: the host \(name) was given up after \(outage.failures) failures in a row\(because)",
                isTransient: true)
        }
    }

    /// Hosts that were paused since the last turn, and what ends because of that.
    func takeTroubles(_ state: inout State, now: Monotonic) -> [HostOutage] {
        let givenUp = state.scheduler.takeGivenUp(now)
        guard !state.troubles.isEmpty || !givenUp.isEmpty else { return [] }
        var troubles = state.troubles
        state.troubles = []
        for host in givenUp {
            guard let failure = state.outages[host.origin] else { continue }
            for id in host.ids { state.requests.removeValue(forKey: id)?.fail(failure) }
            let items = giveUp(
                host.ids.filter { $0 >= 0 }, &state, failure, remark: "; the host was given up before another try")
            troubles.append(HostOutage(job: host.job, failure: failure, items: items))
        }
        return troubles
    }
}
