package import System

/// What is to be done after an attempt.
package enum RetryDecision: Sendable, Equatable {
    /// Nothing: the transfer is over, with the result of this attempt.
    case over
    /// Try again at that time.
    case retry(at: Monotonic)
    /// Send the next request of the same attempt as soon as its host has room.
    case hop
    /// Continue the same attempt once the pause is over.
    case suspended
    /// Nothing: it would be retried, but the job is being stopped.
    case cancelled
    /// Nothing: it would be retried, but the run has no retries left. The transfer is over, with the result of this attempt.
    case unaffordable
}
