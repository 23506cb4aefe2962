import Files
import HTTP
import Model
import Schedule
import System

extension TransferCoordinator {
    /// What each job has under way, for those who watch.
    func activities(_ state: State, now: Monotonic) -> [JobActivity] {
        guard sink.interest.isWatched else { return [] }
        let wall = wallClockMicroseconds()
        return state.jobs.enumerated().map { index, name in
            let overview = state.scheduler.overview(job: index, now: now)
            var activity = JobActivity()
            activity.job = name
            activity.inFlight = overview.inFlight
            activity.retrying = overview.retrying
            activity.hosts = overview.hosts.map { host in
                HostActivity(
                    origin: host.origin.description, inFlight: host.inFlight, allowance: host.allowance,
                    pausedUntil: host.pausedUntil.map { wall + ($0 - now) },
                    reason: host.reason.map(HostPause.Reason.init))
            }
            return activity
        }
    }
}

extension HostPause.Reason {
    init(_ reason: Scheduler.PauseReason) {
        self =
            switch reason {
            case .retryAfter: .retryAfter
            case .failures: .failures
            }
    }
}
