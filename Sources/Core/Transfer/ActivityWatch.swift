import Files
import HTTP
import Jobs
import Model
import Schedule
import System

/// Reports at intervals what is in flight, and which hosts are paused.
///
/// Only a transfer's own loop may look at it: each loop notes its part, and the last one to do so tells all parts.
struct ActivityWatch {
    /// Attempts after the first.
    var retries = 0
    private let interest: CurrentInterest
    private var parts: [Part]
    /// When each loop looks next, while somebody wants to know.
    private var due: [Monotonic]
    private var held: [HostPause] = []
    private var jobs: [JobActivity] = []

    private struct Part {
        var items: [ItemActivity] = []
        var received: Int64 = 0
        var waiting = 0
        var retries: [ItemRetry] = []
        /// Whether it has not been reported.
        var isNew = false
    }

    init(_ interest: CurrentInterest, loops: Int) {
        self.interest = interest
        parts = Array(repeating: Part(), count: loops)
        due = Array(repeating: .now(), count: loops)
    }

    /// When a loop is to look next; nil where nobody wants to know.
    func next(on loop: Int) -> Monotonic? { interest.includesProgress ? due[loop] : nil }

    /// Has all loops look at once: somebody has come who wants to know.
    mutating func restart(at now: Monotonic) {
        for loop in due.indices { due[loop] = now }
    }

    /// Whether the first loop is to look now; it tells of the hosts, too.
    func isDue(on loop: Int, at now: Monotonic) -> Bool { loop == 0 && interest.includesProgress && due[0] <= now }

    /// Notes that a host asked for a pause.
    mutating func noteHold(_ origin: @autoclosure () -> HTTPOrigin, _ failure: TransferFailure?) {
        guard let failure, failure.isTransient, let retryAfter = failure.retryAfter, retryAfter > 0 else { return }
        noteHold(origin(), for: retryAfter, .retryAfter)
    }

    /// Notes that a host is not asked for so many microseconds.
    mutating func noteHold(_ origin: HTTPOrigin, for duration: Int64, _ reason: HostPause.Reason) {
        guard interest.includesProgress else { return }
        let wall = wallClockMicroseconds()
        held.append(HostPause(host: origin.shortText, at: wall, until: wall + duration, reason: reason))
    }

    /// What one loop has to report at this time.
    ///
    /// - Parameters:
    ///   - received: coded bytes of all requests that have ended on the loop.
    ///   - jobs: what each job has under way, where the first loop is due.
    mutating func events(
        of transfers: [Int64: ItemDownload], on loop: Int, received: Int64, jobs: [JobActivity], now: Monotonic
    ) -> [RunEvent] {
        guard let interval = interest.activityInterval else { return [] }
        var events = held.map(RunEvent.hostHeld)
        held = []
        guard due[loop] <= now else { return events }
        if loop == 0 { self.jobs = jobs }
        due[loop] = now.advanced(byMicroseconds: interval)
        let own = transfers.values.filter { $0.loop == loop }
        parts[loop] = Part(
            items: own.compactMap(\.activity), received: own.reduce(received) { $0 + $1.receivedNow },
            waiting: own.count { $0.retryDue != nil }, retries: Self.nextRetries(of: own, now: now), isNew: true)
        guard parts.allSatisfy(\.isNew) else { return events }
        for index in parts.indices { parts[index].isNew = false }
        events.append(
            .activity(
                RunActivity(
                    at: wallClockMicroseconds(), items: parts.flatMap(\.items).sorted { $0.id < $1.id },
                    receivedBytes: parts.reduce(0) { $0 + $1.received }, retries: retries,
                    waiting: parts.reduce(0) { $0 + $1.waiting },
                    nextRetries: Array(
                        parts.flatMap(\.retries).sorted { $0.wait < $1.wait }.prefix(Self.mostRetries)),
                    jobs: self.jobs)))
        return events
    }

    /// Waiting items that are reported one by one.
    private static let mostRetries = 5

    private static func nextRetries(of transfers: [ItemDownload], now: Monotonic) -> [ItemRetry] {
        let waiting = transfers.compactMap { transfer in transfer.retryDue.map { (due: $0, transfer: transfer) } }
        return waiting.sorted { $0.due < $1.due }.prefix(mostRetries).map { item in
            let work = item.transfer.work
            return ItemRetry(
                title: work.title, wait: max(0, item.due - now),
                reason: work.context.job.trust.secrets.hide(item.transfer.lastFailure?.detail ?? ""))
        }
    }
}

/// A number that one loop counts.
final class LoopCounter: Sendable {
    nonisolated(unsafe) var value: Int64 = 0  // used on the loop's thread alone
}
