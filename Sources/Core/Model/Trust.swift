package import HTTP

/// What a job may do because its author wrote it: hosts that the job file, or a `--set`, names, and values from the
/// environment that must not be shown.
package struct Trust: Sendable {
    /// Scheme, host and port of every URL in the job file, and what `connect_to` names.
    package var authored: Set<Authority> = []
    package var secrets = Secrets()
    /// `allow_private_addresses`.
    package var allowsPrivateAddresses = false

    package init() {}

    /// Whether a request to this place may reach any address.
    package func isAuthored(_ url: WebURL) -> Bool {
        authored.contains(Authority(scheme: url.scheme, host: url.host, port: url.port))
    }

    package func addressPolicy(for url: WebURL) -> AddressPolicy {
        allowsPrivateAddresses || isAuthored(url) ? .any : .globalOnly
    }
}

/// A scheme, a host and a port, the first two lower-case. What may go over https may not go in clear to the same port.
package struct Authority: Hashable, Sendable {
    package var scheme: String
    package var host: String
    package var port: Int

    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
