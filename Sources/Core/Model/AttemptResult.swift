package import Files
package import HTTP

/// How an attempt ended. What follows from it is the scheduler's decision.
package enum AttemptResult: Sendable {
    /// The response came in full. An item's body is then checked and stored, which gives one of the next two or a failure.
    case complete
    /// The body is new, and in its part.
    case stored(SealedPart)
    /// The body, of this many bytes, is the same as the stored file.
    case sameBody(Int64)
    /// The server says that the stored file is current.
    case notModified
    case failed(TransferFailure)
    /// Another request follows within the same attempt, to this host, so many microseconds later: a redirect, the rest of a
    /// range, or the same request over another version of HTTP.
    case redirected(to: HTTPOrigin, after: Int64 = 0)
    /// It was interrupted for a pause, and continues in the same attempt with what has arrived.
    case suspended

    package var failure: TransferFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }
}
