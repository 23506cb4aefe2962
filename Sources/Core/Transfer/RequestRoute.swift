import HTTP

/// The way of one request through redirects, one hop a request.
struct RequestRoute {
    /// RFC 9110 section 15.4 leaves the number to the client.
    static let longest = 10

    /// What was asked for.
    let start: WebURL
    /// What is asked next.
    private(set) var url: WebURL
    private var hops = 0

    init(_ url: WebURL) {
        start = url
        self.url = url
    }

    /// Goes back to the start, for another attempt.
    mutating func restart() {
        url = start
        hops = 0
    }

    /// Whether the next request goes to the host that was asked for, so that its header fields may go along.
    var isAtHome: Bool { url.host == start.host }

    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Takes the next hop.
    mutating func follow(_ headers: HTTPHeaders, status: Int) throws(TransferFailure) {
        guard let location = headers["Location"] else {
            throw TransferFailure(.redirect, "the server answered \(status) without a Location")
        }
        guard hops < Self.longest else {
            throw TransferFailure(.redirect, "more than \(Self.longest) redirects, the last to \(location.prefix(200))")
        }
        let next: WebURL
        do throws(WebURLError) {
            next = try url.resolving(location)
        } catch {
            throw TransferFailure(
                .redirect, "the redirect to '\(location.prefix(200))' can't be followed: \(error.reason)")
        }
        if url.scheme == "https", next.scheme != "https" {
            throw TransferFailure(.redirect, "the redirect leads from https to \(next.scheme), to \(next.host)")
        }
        hops += 1
        url = next
    }
}
