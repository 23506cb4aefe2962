package import System

/// How a transfer went.
package struct HTTPResult: Sendable {
    /// The reply's status; 0 when there was no reply.
    package var status: Int
    /// "1.0", "1.1", "2" or "3"; nil when there was no reply, unless HTTP/2 itself failed.
    package var version: String?
    package var headers: HTTPHeaders
    /// Of the fields that came after the body those that are kept: Repr-Digest and Content-Digest.
    package var trailers: HTTPHeaders
    package var phases: HTTPPhases
    package var startedAt: Monotonic
    /// `startedAt` plus the sum of the phases.
    package var finishedAt: Monotonic
    /// Body bytes as they came, coded, without framing.
    package var wireBytes: Int64
    /// Body bytes that were handed to `receive`, decoded.
    package var bodyBytes: Int64
    package var isConnectionReused: Bool
    /// The address that the connection went to, a proxy's if there was one; nil when there was no connection.
    package var address: String?
    /// Nil when the reply is complete, whatever its status.
    package var failure: HTTPFailure?
    /// Whether nothing in the protocol shows that the body is whole: over HTTP/2 without a length.
    package var hasUncertainEnd: Bool

    package init(
        status: Int = 0, version: String? = nil, headers: HTTPHeaders = HTTPHeaders(),
        trailers: HTTPHeaders = HTTPHeaders(), phases: HTTPPhases = HTTPPhases(), startedAt: Monotonic,
        finishedAt: Monotonic, wireBytes: Int64 = 0, bodyBytes: Int64 = 0, isConnectionReused: Bool = false,
        address: String? = nil, failure: HTTPFailure? = nil, hasUncertainEnd: Bool = false
    ) {
        self.status = status
        self.version = version
        self.headers = headers
        self.trailers = trailers
        self.phases = phases
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.wireBytes = wireBytes
        self.bodyBytes = bodyBytes
        self.isConnectionReused = isConnectionReused
        self.address = address
        self.failure = failure
        self.hasUncertainEnd = hasUncertainEnd
    }
}
