package import Files
package import HTTP

/// Why an attempt failed, and what follows from it. The one place that decides what is tried again.
package struct TransferFailure: Error, Sendable {
    package var word: FailureWord
    /// One line for people.
    package var detail: String
    /// Whether the same request may well succeed later in this run.
    package var isTransient: Bool
    /// Whether it lasts until its next attempt, a day or more later.
    package var isLasting = false
    /// Microseconds for which the host asks for no requests (Retry-After).
    package var retryAfter: Int64?
    /// What it says of the host; nil when it is not about how well the host is.
    package var sign: HostSignal?

    package init(_ word: FailureWord, _ detail: String, isTransient: Bool = false, isLasting: Bool = false) {
        self.word = word
        self.detail = detail
        self.isTransient = isTransient
        self.isLasting = isLasting
    }

    /// What the network reports.
    package init(_ failure: HTTPFailure) {
        self.init(FailureWord(failure.kind), failure.detail, isTransient: failure.isTransient)
        guard isTransient else { return }
        switch failure.kind {
        case _ where failure.isUnconnected: sign = .unreachable
        case .timeout, .stalled: sign = .overloaded
        case .reset, .truncated: sign = .failed
        // A lack of this machine's, and what is wrong with one reply.
        default: break
        }
    }

    package init(_ error: FileError) {
        self.init(.disk, error.description)
    }

    /// Longest pause that a host can ask for; one that asks for more gets requests again then.
    package static let longestRetryAfter: Int64 = 300_000_000

    /// A reply whose status is no success.
    ///
    /// - Parameter now: microseconds since 1970 UTC.
    package init(status: Int, headers: HTTPHeaders, now: Int64) {
        self.init(
            .http, "the server answered \(status)\(Self.phrase(status))",
            isTransient: [408, 425, 429, 500, 502, 503, 504].contains(status), isLasting: status == 404 || status == 410
        )
        if isTransient { sign = status == 429 || status == 503 ? .refused : .failed }
        guard isTransient, let field = headers["Retry-After"], let seconds = Model.retryAfter(field, now: now) else {
            return
        }
        retryAfter = min(seconds, Self.longestRetryAfter / 1_000_000) * 1_000_000
        detail += ", Retry-After \(seconds) s"
    }

    /// The reason phrases of RFC 9110 and RFC 6585 for the statuses that people meet.
    private static func phrase(_ status: Int) -> String {
        let phrases = [
            400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
            406: "Not Acceptable", 408: "Request Timeout", 410: "Gone", 412: "Precondition Failed",
            416: "Range Not Satisfiable", 421: "Misdirected Request", 425: "Too Early", 429: "Too Many Requests",
            451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 501: "Not Implemented",
            502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        ]
        return phrases[status].map { " \($0)" } ?? ""
    }
}

extension FailureWord {
    /// The word for what the network reports.
    init(_ kind: HTTPFailure.Kind) {
        self =
            switch kind {
            case .dns: .dns
            // Too little memory or too many open files keep a connection from being made.
            case .connect, .resource: .connect
            case .tls: .tls
            case .timeout: .timeout
            case .stalled: .stalled
            case .reset: .reset
            case .truncated: .truncated
            case .proxy: .proxy
            case .protocolError, .rejected: .protocolError
            case .encoding: .encoding
            case .tooLarge: .tooLarge
            case .blockedAddress: .blockedAddress
            case .invalid: .invalid
            case .cancelled: .cancelled
            }
    }
}
