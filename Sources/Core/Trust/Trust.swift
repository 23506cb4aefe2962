package import HTTP

/// What a job may do because its author wrote it: hosts that the job file, or a `--set`, names, and values from the
/// environment that must not be shown.
package struct Trust: Sendable {
    /// Host and port of every URL in the job file, and the targets of `connect_to`.
    package var authored: Set<Authority> = []
    package var secrets = Secrets()
    /// `allow_private_addresses`.
    package var allowsPrivateAddresses = false

    package init() {}

    /// Whether a request to this place may reach any address.
    package func isAuthored(_ url: WebURL) -> Bool {
        authored.contains(Authority(host: url.host, port: url.port))
    }

    package func addressPolicy(for url: WebURL) -> AddressPolicy {
        allowsPrivateAddresses || isAuthored(url) ? .any : .globalOnly
    }
}

/// A host, lower-case, and a port.
package struct Authority: Hashable, Sendable {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}
