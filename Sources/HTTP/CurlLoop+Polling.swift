internal import CCurl
import Glibc
import System

/// Sockets, time and waiting.
extension CurlLoop {
    /// Waits until a socket is ready or `deadline`, nil for ever, has come, and runs what is ready.
    ///
    /// `wakeup` ends the wait as well, and is not slept on when it was called already.
    func wait(until deadline: Monotonic?, wakeup: Wakeup, now: Monotonic) {
        let held = updateHolds(now: now)
        sockets.tell(poller) { holds[Int($0)].isHeld }
        let timer = mustDeferTimer(now: now) ? nil : timer
        let deadlines = [deadline, timer, stallDeadline, held].compactMap { $0 }
        let delay = deadlines.min().map { max(0, $0 - now) }
        let mayRest = delay != 0 && wakeup.prepareToSleep()
        let count = poller.wait(atMost: mayRest ? delay : 0)
        wakeup.didWake()
        for index in 0..<count {
            let (descriptor, events) = poller.answer(index)
            if descriptor == wakeup.descriptor {
                wakeup.clear()
            } else {
                let events = withoutHeldReading(descriptor, events)
                if events != 0 { act(on: descriptor, readiness(events)) }
            }
        }
    }

    /// Leaves out that a socket is readable once its bandwidth is used up, as it may be by the sockets before it
    /// in the same round: libcurl reads a ready socket until it is empty. It stays ready, and is among the first
    /// next time.
    private func withoutHeldReading(_ socket: Int32, _ events: UInt32) -> UInt32 {
        let hold = sockets.hold(of: socket)
        guard hold >= 0, holds[Int(hold)].bandwidth.bytesPerSecond != nil,
            holds[Int(hold)].bandwidth.delay(at: .now()) > 0
        else { return events }
        return events & ~Poller.readable
    }

    /// Has a wait end when the wake-up is called.
    func watch(_ wakeup: Wakeup) {
        poller.change(wakeup.descriptor, from: 0, to: Poller.readable)
    }

    /// Whether libcurl's timer must wait because reading is withheld from all that is in flight.
    ///
    /// libcurl reads the sockets of the transfers that it runs for the time's sake, ready or not, and asks to be run
    /// at once as long as more comes: a fast sender would never feel a limit. Its own clocks are late by the hold.
    func mustDeferTimer(now: Monotonic) -> Bool {
        let limited = holds.reduce(0) { $0 + $1.users }
        guard limited > 0, limited == inFlight else { return false }
        return holds.allSatisfy { $0.users == 0 || $0.bandwidth.delay(at: now) > 0 }
    }

    /// A request is about to be sent over a socket: from here on its bandwidth counts, for making a connection
    /// is not held up.
    func willSend(over socket: Int32, hold: Int32) {
        if socket >= 0 { sockets.setHold(socket, hold) }
    }

    /// The time that a transfer's stall clock counts: without the time in which its reading was withheld.
    func openTime(hold: Int32, now: Monotonic = .now()) -> Int64 {
        now.microseconds - (hold >= 0 ? holds[Int(hold)].heldTime(at: now) : 0)
    }

    /// The number of the hold of a bandwidth, -1 for none.
    func hold(for bandwidth: HTTPBandwidth?) -> Int32 {
        guard let bandwidth else { return -1 }
        if let index = holds.firstIndex(where: { $0.bandwidth === bandwidth }) { return Int32(index) }
        holds.append(BandwidthHold(bandwidth))
        return Int32(holds.count - 1)
    }

    // MARK: What libcurl tells

    func didOpen(_ socket: Int32) { sockets.didOpen(socket) }

    func close(_ socket: Int32) {
        sockets.didClose(socket)
        Glibc.close(socket)
    }

    func interestChanged(_ socket: Int32, _ interest: Int32, hold: Int32) {
        let events: UInt32 =
            switch interest {
            case CURL_POLL_IN: Poller.readable
            case CURL_POLL_OUT: Poller.writable
            case CURL_POLL_INOUT: Poller.readable | Poller.writable
            default: 0
            }
        sockets.want(socket, events, hold: hold, poller: poller)
    }

    func timerChanged(_ milliseconds: Int) {
        timer =
            switch milliseconds {
            case ..<0: nil
            case 0: Monotonic(microseconds: 0)  // at once, whatever the clock says
            default: Monotonic.now().advanced(byMicroseconds: Int64(milliseconds) * 1_000)
            }
    }

    /// libcurl learns of a broken socket by reading or writing it, which tells why.
    private func readiness(_ events: UInt32) -> Int32 {
        let isBroken = events & Poller.broken != 0
        var readiness: Int32 = 0
        if isBroken || events & Poller.readable != 0 { readiness |= CURL_CSELECT_IN }
        if isBroken || events & Poller.writable != 0 { readiness |= CURL_CSELECT_OUT }
        return readiness
    }

    /// Withholds or gives back reading as the bandwidths say; returns when the next one is to be asked again.
    private func updateHolds(now: Monotonic) -> Monotonic? {
        var next: Monotonic?
        for index in holds.indices {
            let (delay, isChange) = holds[index].update(at: now)
            if isChange { sockets.holdChanged(Int32(index)) }
            if let delay, inFlight > 0 {
                let end = now.advanced(byMicroseconds: delay)
                next = min(next ?? end, end)
            }
        }
        return next
    }
}
