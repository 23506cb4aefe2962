/// What the end of a request says of its host.
package enum HostSignal: Sendable, Equatable {
    /// Nothing: the fault, if any, is not the host's.
    case none
    /// It answered; `wait` is the time to the first byte, microseconds.
    case answered(wait: Int64)
    /// It failed, in a way that says nothing of its load, such as a reset.
    case failed
    /// No connection to it could be made, whatever was to be asked.
    case unreachable
    /// It failed as an overloaded host does: too slow.
    case overloaded
    /// It said that it is asked too much: 429 or 503 (RFC 6585 section 4, RFC 9110 section 15.6.4).
    case refused
}
