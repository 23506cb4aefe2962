package import HTTP
package import Model

/// What a source asks for.
package struct FetchRequest: Sendable {
    package var url: WebURL
    package var headers: [HTTPHeader] = []
    package var maximumBytes: Int
    /// Why a reply is but a passing failure.
    package var transientFailure: @Sendable (FetchedReply) -> String? = { _ in nil }

    package init(
        url: WebURL, headers: [HTTPHeader] = [], maximumBytes: Int,
        transientFailure: @escaping @Sendable (FetchedReply) -> String? = { _ in nil }
    ) {
        self.url = url
        self.headers = headers
        self.maximumBytes = maximumBytes
        self.transientFailure = transientFailure
    }
}

/// A small reply that a source asked for.
package struct FetchedReply: Sendable {
    package let status: Int
    /// Where the reply came from, after redirects.
    package let url: String
    package let headers: HTTPHeaders
    package let body: [UInt8]
    /// How often it was asked for, redirects not counted.
    package let attempts: Int

    package init(
        status: Int, url: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8], attempts: Int = 1
    ) {
        self.status = status
        self.url = url
        self.headers = headers
        self.body = body
        self.attempts = attempts
    }
}

/// Why a source's request gave no reply.
package struct FetchError: Error, Sendable, CustomStringConvertible {
    package let failure: FailureWord
    /// One line for people, secrets hidden.
    package let description: String
    /// How often it was asked for; 0 when the run ended before its turn.
    package let attempts: Int

    package init(failure: FailureWord, description: String, attempts: Int = 0) {
        self.failure = failure
        self.description = description
        self.attempts = attempts
    }

    /// The same of a list, `detail` with secrets hidden. Names the URL without what it asks for in its query, which may be long and no one else's business.
    package init(failure: FailureWord, url: WebURL, detail: String, attempts: Int = 0, _ trust: Trust) {
        let name = "\(url.origin)\(url.path)\(url.query == nil ? "" : "?…")"
        self.init(failure: failure, description: "\(trust.secrets.hide(name)): \(detail)", attempts: attempts)
    }
}
