import System

/// What one engine knows of a bandwidth limit: whether it withholds reading now, and for how long it has.
struct BandwidthHold {
    let bandwidth: HTTPBandwidth
    /// How many transfers in flight have the bandwidth.
    var users = 0
    private(set) var isHeld = false
    private var since: Monotonic?
    private var heldMicroseconds: Int64 = 0

    init(_ bandwidth: HTTPBandwidth) {
        self.bandwidth = bandwidth
    }

    /// Asks the bandwidth how long reading must rest, nil for not at all, and whether that is a change.
    mutating func update(at now: Monotonic) -> (delay: Int64?, isChange: Bool) {
        let delay = bandwidth.delay(at: now)
        let wasHeld = isHeld
        isHeld = delay > 0
        if isHeld, !wasHeld { since = now }
        if !isHeld, let since {
            heldMicroseconds += now - since
            self.since = nil
        }
        return (isHeld ? delay : nil, isHeld != wasHeld)
    }

    /// Microseconds in which reading was withheld so far.
    func heldTime(at now: Monotonic) -> Int64 {
        heldMicroseconds + (since.map { now - $0 } ?? 0)
    }
}
