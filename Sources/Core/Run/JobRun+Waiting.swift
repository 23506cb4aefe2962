import Catalog
import Jobs
import Storage
import System

/// What a run waits for before it begins.
extension JobRun {
    /// How often the locks are asked for while another run has them, microseconds.
    private static let interval: Int64 = 200_000

    /// Waits for the delay of `--jitter`.
    ///
    /// - Returns: false when the run was stopped meanwhile.
    func delayBeginning() async -> Bool {
        let delay = stableDelay(of: job.name, on: hostName(), within: options.jitter)
        if delay > 0 { await wait(for: delay) }
        return !isStopped || delay == 0
    }

    /// Asks for the job's locks, and again while another run has them and `--wait` allows.
    func acquireLocks() async throws -> JobLocks.Attempt {
        let end = Monotonic.now().advanced(byMicroseconds: options.lockWait)
        var isAnnounced = false
        while true {
            let attempt = try JobLocks.acquire(
                job.name, directory: job.output.directory, isMaking: true, catalog: store.path,
                workspace: options.shard?.workspace)
            guard case .busy(let holder) = attempt, Monotonic.now() < end, !isStopped else { return attempt }
            if !isAnnounced { warn("another run holds the job (pid \(holder.pid)); waiting for it to end") }
            isAnnounced = true
            await wait(for: Self.interval)
        }
    }
}

/// A delay that is the same whenever a job begins on a machine, and another one for other jobs and machines, so that runs
/// stay as far apart as they are scheduled.
///
/// - Parameter limit: microseconds; the delay is less.
package func stableDelay(of job: String, on host: String, within limit: Int64) -> Int64 {
    guard limit > 0 else { return 0 }
    // FNV-1a, whose low bits a multiplication spreads.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(host)\0\(job)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ hash >> 32) &* 0x9e37_79b9_7f4a_7c15
    return Int64(hash.multipliedFullWidth(by: UInt64(limit)).high)
}
