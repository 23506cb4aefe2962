import Glibc

/// Where the proxy of a request comes from.
package enum HTTPProxy: Hashable, Sendable {
    /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as curl reads them.
    case environment
    case none
    /// One proxy for every request, such as `http://proxy.example:3128` or `socks5h://localhost:1080`.
    case url(String)
}

/// Decides which proxy, if any, a request uses.
///
/// The decision is made here and not by libcurl, so that it is known whether an address that is connected to
/// is a proxy's. The variables are curl's: `http_proxy` (in small letters only, since a CGI program's caller
/// can set `HTTP_PROXY` by a `Proxy` header), `https_proxy`/`HTTPS_PROXY`, `all_proxy`/`ALL_PROXY`, and the
/// exceptions in `no_proxy`/`NO_PROXY`.
package struct HTTPProxyRules: Hashable, Sendable {
    private var http: String?
    private var https: String?
    private var exceptions: [Exception] = []
    private var exceptsAll = false

    /// Rules from the variables of an environment; an empty variable counts as unset.
    package init(environment: [String: String]) {
        func first(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let other = first("all_proxy", "ALL_PROXY")
        http = first("http_proxy") ?? other
        https = first("https_proxy", "HTTPS_PROXY") ?? other
        for entry in (first("no_proxy", "NO_PROXY") ?? "").split(whereSeparator: { $0 == "," || $0 == " " }) {
            if entry == "*" { exceptsAll = true } else { exceptions.append(Exception(entry)) }
        }
    }

    /// Rules that send everything to one proxy.
    init(always proxy: String) {
        http = proxy
        https = proxy
    }

    /// The proxy for a request, nil for a direct connection.
    package func proxy(for url: WebURL) -> String? {
        guard let proxy = url.scheme == "https" ? https : http, !exceptsAll else { return nil }
        return exceptions.contains { $0.covers(host: url.host, port: url.port) } ? nil : proxy
    }

    /// The variables of this process that the rules read.
    static func processEnvironment() -> [String: String] {
        var environment: [String: String] = [:]
        for name in [
            "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
        ] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return environment
    }

    /// One entry of `no_proxy`: a host and everything below it, an address, or the addresses of a network
    /// (`10.0.0.0/8`, RFC 4632), with an optional port.
    private struct Exception: Hashable {
        var host: String
        var port: Int?
        /// How many bits of the host, an address, count; nil for a name.
        var bits: Int?

        init(_ text: Substring) {
            var host = text
            let colon = host.lastIndex(of: ":")
            // A second colon makes it an IPv6 address, unless that is in brackets.
            if let colon, host.firstIndex(of: ":") == colon || host[..<colon].hasSuffix("]"),
                let port = Int(host[host.index(after: colon)...])
            {
                self.port = port
                host = host[..<colon]
            }
            var length: Int?
            if let slash = host.lastIndex(of: "/") {
                // What is no length covers nothing.
                length = Int(host[host.index(after: slash)...]) ?? -1
                host = host[..<slash]
            }
            if host.hasPrefix("[") && host.hasSuffix("]") { host = host.dropFirst().dropLast() }
            if host.hasPrefix(".") { host = host.dropFirst() }
            if host.hasSuffix(".") { host = host.dropLast() }
            self.host = host.lowercased()
            let longest = AddressText(self.host).map { 8 * $0.bytes.count }
            bits = length ?? longest
            if let bits, bits < 0 || bits > longest ?? 0 { self.host = "" }
        }

        func covers(host name: String, port number: Int) -> Bool {
            guard port == nil || port == number, !host.isEmpty else { return false }
            let name = name.hasSuffix(".") ? String(name.dropLast()) : name
            if let bits, let network = AddressText(host) {
                return AddressText(name)?.hasPrefix(network, bits: bits) == true
            }
            return name == host || name.hasSuffix("." + host)
        }
    }
}
