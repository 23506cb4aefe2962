/// Why a transfer did not end well.
package struct HTTPFailure: Error, Hashable, Sendable {
    /// The kinds of failure, by the word that reports and the catalog use.
    package enum Kind: String, CaseIterable, Sendable {
        /// The name could not be resolved.
        case dns
        /// No connection could be made.
        case connect
        /// TLS could not be agreed on, or the server's certificate is not trusted.
        case tls
        /// The connect clock or the total clock ran out; the detail says which.
        case timeout
        /// Fewer than 1,000 bytes came within the stall clock.
        case stalled
        /// The connection, or the HTTP/2 stream, was broken off.
        case reset
        /// The connection ended cleanly before the reply was complete.
        case truncated
        /// The proxy refused.
        case proxy
        /// The reply is not HTTP as it should be, or its header exceeds the limits.
        case protocolError = "protocol"
        /// The body's coding is unknown or broken.
        case encoding
        /// The body exceeds `HTTPRequest.maximumBytes`.
        case tooLarge = "too-large"
        /// The address is not one that the request may connect to.
        case blockedAddress = "blocked-address"
        /// The request cannot be sent as it is.
        case invalid
        case cancelled
        /// The exchange refused the reply.
        case rejected
        /// This machine lacks something: memory, file descriptors.
        case resource
    }

    package let kind: Kind
    /// One line for people, without credentials.
    package let detail: String
    /// Whether the same request may well succeed later.
    package let isTransient: Bool
    /// Whether the server said that it did nothing about the request: it has not failed, and asking again is no second try
    /// (RFC 9113, 8.7).
    package let isUnprocessed: Bool
    /// Whether there was no connection, so that nothing was asked.
    package let isUnconnected: Bool

    package init(
        kind: Kind, detail: String, isTransient: Bool, isUnprocessed: Bool = false, isUnconnected: Bool = false
    ) {
        self.kind = kind
        self.detail = detail
        self.isTransient = isTransient
        self.isUnprocessed = isUnprocessed
        self.isUnconnected = isUnconnected || [.dns, .connect, .tls].contains(kind)
    }

    /// A failure that is as transient as its kind usually is.
    init(_ kind: Kind, _ detail: String) {
        self.init(kind: kind, detail: detail, isTransient: kind.isUsuallyTransient)
    }
}

extension HTTPFailure: CustomStringConvertible {
    package var description: String { detail }
}

extension HTTPFailure.Kind {
    /// Whether a failure of this kind usually passes. TLS is decided by its cause, see `curlFailureTable`.
    var isUsuallyTransient: Bool {
        switch self {
        case .dns, .connect, .tls, .timeout, .stalled, .reset, .truncated, .resource: true
        case .proxy, .protocolError, .encoding, .tooLarge, .blockedAddress, .invalid, .cancelled, .rejected: false
        }
    }
}
