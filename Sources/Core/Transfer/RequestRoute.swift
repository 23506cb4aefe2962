import HTTP
import Model

/// The way of one request through redirects, one hop a request.
struct RequestRoute {
    /// RFC 9110 section 15.4 leaves the number to the client.
    static let longest = 10

    /// What was asked for.
    let start: WebURL
    /// What is asked next.
    private(set) var url: WebURL
    private var hops = 0
    private var repeats = 0

    init(_ url: WebURL) {
        start = url
        self.url = url
    }

    /// Goes back to the start, for another attempt.
    mutating func restart() {
        url = start
        hops = 0
        repeats = 0
    }

    /// Whether the next request goes to the host that was asked for, so that its header fields may go along.
    var isAtHome: Bool { url.host == start.host }

    /// Whether the same place may be asked once more within the same try, since the server said that it did nothing about
    /// the request. As often as libcurl asks by itself when a stream is refused; a host that goes on so has a fault.
    mutating func mayRepeat() -> Bool {
        repeats += 1
        return repeats <= 5
    }

    /// Microseconds to wait before the next hop, where a redirect says so (RFC 9110, section 10.2.3).
    ///
    /// - Parameter now: microseconds since 1970 UTC.
    static func delay(_ headers: HTTPHeaders, now: Int64) -> Int64 {
        guard let field = headers["Retry-After"], let seconds = retryAfter(field, now: now) else { return 0 }
        return min(seconds, TransferFailure.longestRetryAfter / 1_000_000) * 1_000_000
    }

    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Takes the next hop.
    ///
    /// - Parameter secrets: what a failure must not tell.
    mutating func follow(
        _ headers: HTTPHeaders, status: Int, hiding secrets: Secrets = Secrets()
    ) throws(TransferFailure) {
        guard let location = headers["Location"] else {
            throw TransferFailure(.redirect, "the server answered \(status) without a Location")
        }
        guard hops < Self.longest else {
            throw TransferFailure(
                .redirect, "more than \(Self.longest) redirects, the last to \(secrets.excerpt(location, 200))")
        }
        let next: WebURL
        do throws(WebURLError) {
            next = try url.resolving(location)
        } catch {
            throw TransferFailure(
                .redirect, "the redirect to '\(secrets.excerpt(location, 200))' can't be followed: \(error.reason)")
        }
        if url.scheme == "https", next.scheme != "https" {
            throw TransferFailure(.redirect, "the redirect leads from https to \(next.scheme), to \(next.host)")
        }
        hops += 1
        url = next
    }
}
