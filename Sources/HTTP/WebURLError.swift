/// Why a text is not a URL that can be fetched.
package struct WebURLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One phrase for people, such as "only http and https are fetched, not ftp".
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }

    package var description: String { reason }
}

/// Scheme, host and port: what decides whether two URLs have the same server (RFC 6454, 4).
package struct HTTPOrigin: Hashable, Sendable {
    package let scheme: String
    package let host: String
    package let port: Int

    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}

extension HTTPOrigin: CustomStringConvertible {
    /// Such as `https://example.org`, the port only where it is not the scheme's own.
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
    }
}
