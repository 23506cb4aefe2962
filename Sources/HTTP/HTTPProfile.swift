internal import CCurl

/// Which HTTP a request speaks.
package enum HTTPVersion: String, Sendable {
    /// HTTP/2 over TLS where the server offers it (ALPN), else HTTP/1.1; HTTP/1.1 in clear.
    case automatic = "auto"
    case http1 = "1.1"
    /// As `automatic` over TLS; in clear HTTP/2 from the first byte (prior knowledge, RFC 9113, 3.3).
    case http2 = "2"
}

/// Which addresses a request may connect to.
package enum AddressPolicy: Sendable {
    case any
    /// Only globally reachable ones, see `isGloballyReachable`. Checked after the name is resolved and before
    /// the connection is made, and again on a reused connection.
    case globalOnly
}

/// Sends what is meant for one host and port to another one (as for a mirror or a test), with the TLS name
/// and Host header of the first.
package struct HTTPRoute: Hashable, Sendable {
    package let host: String
    package let port: Int
    package let targetHost: String
    package let targetPort: Int

    package init(host: String, port: Int, targetHost: String, targetPort: Int) {
        self.host = host
        self.port = port
        self.targetHost = targetHost
        self.targetPort = targetPort
    }

    /// The form of `CURLOPT_CONNECT_TO`, where an IPv6 address has brackets.
    var entry: String {
        func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
        return "\(bracketed(host)):\(port):\(bracketed(targetHost)):\(targetPort)"
    }
}

/// Settings that many requests share: immutable, and compared by identity, so that a reused handle that
/// already has them skips applying them.
package final class HTTPProfile: Sendable {
    package struct Configuration: Sendable {
        package var userAgent: String
        /// Microseconds from the start to a finished connection, name lookup and TLS included; 0 for libcurl's 300 s.
        package var connectTimeout: Int64 = 10_000_000
        /// Microseconds in which fewer than 1,000 bytes are a stall, counted from when the request is sent; 0 for none.
        package var stallTimeout: Int64 = 30_000_000
        /// Microseconds for a request from start to end, with all its hops; 0 for none. See `HTTPRequest.timeLimit`.
        package var totalTimeout: Int64 = 900_000_000
        package var proxy: HTTPProxy = .environment
        /// A PEM file of certificates that are trusted besides the system's.
        package var caFile: String?
        package var routes: [HTTPRoute] = []
        package var bandwidth: HTTPBandwidth?

        package init(userAgent: String) {
            self.userAgent = userAgent
        }
    }

    package let configuration: Configuration
    let proxyRules: HTTPProxyRules

    /// What every request sends that does not send its own of that name. As header fields and not by libcurl's options,
    /// which it would format once more for each request.
    let headers: [HTTPHeader]

    /// The routes in libcurl's form, nil when there are none. Nothing writes to it after `init`.
    // Reason for `nonisolated(unsafe)`: a pointer to memory that is immutable until `deinit`.
    nonisolated(unsafe) let routeList: UnsafeMutablePointer<curl_slist>?

    /// Prepares the settings. `proxy: .environment` reads the environment here, once.
    package init(_ configuration: Configuration) throws(HTTPFailure) {
        self.configuration = configuration
        proxyRules =
            switch configuration.proxy {
            case .environment: HTTPProxyRules(environment: HTTPProxyRules.processEnvironment())
            case .none: HTTPProxyRules(environment: [:])
            case .url(let url): HTTPProxyRules(always: url)
            }
        let agent = configuration.userAgent.isEmpty ? [] : [HTTPHeader("User-Agent", configuration.userAgent)]
        // Asks for the plain form.
        headers = agent + [HTTPHeader("Accept-Encoding", "identity")]
        var list = CurlList()
        for route in configuration.routes { try list.append(route.entry) }
        routeList = list.take()
    }

    /// Whether the author of the settings chose where requests to the host of `url` go.
    func hasRoute(for url: WebURL) -> Bool {
        configuration.routes.contains { $0.port == url.port && $0.host == url.host }
    }

    deinit {
        curl_slist_free_all(routeList)
    }
}
