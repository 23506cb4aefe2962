/// The one word that says why a transfer failed: `transfer.failure` and `item.failure`.
package enum FailureWord: String, Sendable, CaseIterable {
    case dns, connect, tls, timeout, stalled, reset, truncated
    case proxy
    case protocolError = "protocol"
    case encoding, http, redirect
    case tooLarge = "too-large"
    case wrongType = "wrong-type"
    case corrupt, checksum
    case blockedAddress = "blocked-address"
    case unavailable, invalid, disk, cancelled

    /// What the word means and what a person can do, for reports and documentation.
    package var explanation: String {
        switch self {
        case .dns: "the host name did not resolve"
        case .connect: "no connection to the host"
        case .tls: "the secure connection failed"
        case .timeout: "a time limit passed"
        case .stalled: "the server stopped sending"
        case .reset: "the connection broke"
        case .truncated: "the body ended early"
        case .proxy: "the proxy failed"
        case .protocolError: "the reply is not valid HTTP"
        case .encoding: "the reply's content coding can't be decoded"
        case .http: "the server answered with an error status"
        case .redirect: "the redirect can't be followed"
        case .tooLarge: "the body is over max_size, or a picture over max_pixels"
        case .wrongType: "the bytes are not of the expected type"
        case .corrupt: "the file's structure is broken, or it can't be decoded"
        case .checksum: "the size or digest that the list or the server promised does not match"
        case .blockedAddress: "the host's address is not public"
        case .unavailable: "the site shows a placeholder instead"
        case .invalid: "the list's entry can't be fetched"
        case .disk: "the file could not be stored"
        case .cancelled: "stopped before it ended"
        }
    }
}
