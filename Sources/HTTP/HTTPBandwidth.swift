import Glibc
package import System

/// A token bucket that requests, and loops, share: together they receive so many bytes a second in the long run.
///
/// Nothing is paused inside libcurl. Received bytes are debited, possibly below zero; while the balance is
/// negative a loop reads no sockets of transfers that have this bucket.
package final class HTTPBandwidth: Sendable {
    package let bytesPerSecond: Int64

    /// The most that a quiet time saves up, and what a hold waits for: holding for each small debt would switch
    /// the sockets' interest on and off thousands of times a second.
    private let burst: Double
    private let resumption: Double
    private let state: Locked<State>

    private struct State {
        var balance = 0.0
        var countedAt: Monotonic
        var isHeld = false
    }

    /// A bucket that begins empty. The rate is at least 1.
    package init(bytesPerSecond: Int64, now: Monotonic = .now()) {
        self.bytesPerSecond = max(1, bytesPerSecond)
        burst = Double(self.bytesPerSecond) / 10
        resumption = Double(self.bytesPerSecond) / 50
        state = Locked(State(countedAt: now))
    }

    /// libcurl reads a socket that is ready until it is empty, but at most a hundred buffers at a time.
    private static let reads: Int64 = 100
    /// The shortest and the longest buffer.
    private static let bufferSizes: ClosedRange<Int64> = 1_024...(128 * 1_024)

    /// The length of a transfer's buffer with which sixteen transfers that are read in one round, as those that begin
    /// together are, take no more than the bytes of a second.
    var bufferSize: Int {
        let wanted = bytesPerSecond / Self.reads / 16
        return Int(min(max(wanted, Self.bufferSizes.lowerBound), Self.bufferSizes.upperBound))
    }

    /// How many transfers may be in flight if one round of reading is to take no more than the bytes of a second.
    package var mostTransfers: Int {
        max(1, Int(clamping: bytesPerSecond / Self.reads / Int64(bufferSize)))
    }

    /// Has the kernel take in no more than an eighth of a second's bytes ahead, so that the sender feels the limit
    /// and one round of reading does not take bytes for seconds.
    func limitReceiveBuffer(of socket: Int32) {
        var size = Int32(clamping: max(32 * 1_024, bytesPerSecond / 8))
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Takes received bytes out of the bucket. Any thread.
    package func debit(_ bytes: Int) {
        state.withLock { $0.balance -= Double(bytes) }
    }

    /// Microseconds that reading must rest from now on; 0 when it may go on. Any thread.
    package func delay(at now: Monotonic) -> Int64 {
        state.withLock { state in
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
