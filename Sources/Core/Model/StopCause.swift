/// Why a run begins nothing more before its list is done.
package enum StopCause: Sendable {
    /// The process is to end: the run is interrupted.
    case signal
    /// The time is up.
    case deadline
    /// A person wants it, and the process is to end like any other.
    case request
}
