package import System

/// Who decides what the loop does next. Its work is pulled: the loop asks, on its own thread, each turn.
package protocol HTTPLoopDriver: AnyObject, Sendable {
    /// Begins what is ready, through `loop.begin`, after each round of socket work and after `wake()`.
    ///
    /// Returns when it wants the next turn at the latest, nil for when there is news.
    func turn(on loop: HTTPLoop, now: Monotonic) -> Monotonic?
}

/// Names one transfer of one loop. A ticket that is over names nothing, also when its place is used again.
package struct HTTPTicket: Hashable, Sendable {
    let slot: Int32
    let generation: UInt32
}
