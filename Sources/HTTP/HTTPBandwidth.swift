import Glibc
import Synchronization

/// A token bucket that requests, and loops, share: together they receive so many bytes a second in the long run.
///
/// The rate may change while transfers are in flight.
///
/// Nothing is paused inside libcurl. Received bytes are debited, possibly below zero; while the balance is
/// negative a loop reads no sockets of transfers that have this bucket.
package final class HTTPBandwidth: Sendable {
    /// 0 for no limit.
    private let rate: Atomic<Int64>
    private let state: Locked<State>

    private struct State {
        var balance = 0.0
        var countedAt: Monotonic
        var isHeld = false
    }

    /// A bucket that begins empty. The rate is at least 1; nil for no limit.
    package init(bytesPerSecond: Int64?, now: Monotonic = .now()) {
        rate = Atomic(bytesPerSecond.map { max(1, $0) } ?? 0)
        state = Locked(State(countedAt: now))
    }

    /// Bytes a second, at least 1; nil for no limit. Any thread; a loop that withholds reading has to be woken.
    package var bytesPerSecond: Int64? {
        get {
            let rate = rate.load(ordering: .relaxed)
            return rate == 0 ? nil : rate
        }
        set(new) {
            state.withLock { state in
                rate.store(new.map { max(1, $0) } ?? 0, ordering: .relaxed)
                // Neither a debt nor savings of the former rate.
                state = State(countedAt: .now())
            }
        }
    }

    /// libcurl reads a socket that is ready until it is empty, but at most a hundred buffers at a time.
    private static let reads: Int64 = 100
    /// The shortest and the longest buffer.
    private static let bufferSizes: ClosedRange<Int64> = 1_024...(128 * 1_024)

    /// The length of a transfer's buffer with which sixteen transfers that are read in one round, as those that begin
    /// together are, take no more than the bytes of a second.
    var bufferSize: Int? {
        guard let bytesPerSecond else { return nil }
        return Self.bufferSize(bytesPerSecond)
    }

    private static func bufferSize(_ bytesPerSecond: Int64) -> Int {
        let wanted = bytesPerSecond / reads / 16
        return Int(min(max(wanted, bufferSizes.lowerBound), bufferSizes.upperBound))
    }

    /// How many transfers may be in flight if one round of reading is to take no more than the bytes of a second.
    package var mostTransfers: Int { bytesPerSecond.map(Self.mostTransfers) ?? .max }

    package static func mostTransfers(bytesPerSecond: Int64) -> Int {
        max(1, Int(clamping: bytesPerSecond / reads / Int64(bufferSize(bytesPerSecond))))
    }

    /// Has the kernel take in no more than an eighth of a second's bytes ahead, so that the sender feels the limit
    /// and one round of reading does not take bytes for seconds.
    func limitReceiveBuffer(of socket: Int32) {
        guard let bytesPerSecond else { return }
        var size = Int32(clamping: max(32 * 1_024, bytesPerSecond / 8))
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Takes received bytes out of the bucket. Any thread.
    package func debit(_ bytes: Int) {
        guard bytesPerSecond != nil else { return }
        state.withLock { $0.balance -= Double(bytes) }
    }

    /// Microseconds that reading must rest from now on; 0 when it may go on. Any thread.
    package func delay(at now: Monotonic) -> Int64 {
        guard let bytesPerSecond else { return 0 }
        // The most that a quiet time saves up, and what a hold waits for: holding for each small debt would switch the
        // sockets' interest on and off thousands of times a second.
        let burst = Double(bytesPerSecond) / 10
        let resumption = Double(bytesPerSecond) / 50
        return state.withLock { state in
            let elapsed = max(0, now - state.countedAt)
            state.balance = min(burst, state.balance + Double(elapsed) * Double(bytesPerSecond) / 1_000_000)
            state.countedAt = now
            if state.balance < 0 { state.isHeld = true }
            if state.balance >= resumption { state.isHeld = false }
            guard state.isHeld else { return 0 }
            return max(1, Int64((resumption - state.balance) * 1_000_000 / Double(bytesPerSecond)))
        }
    }
}
