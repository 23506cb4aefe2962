import Glibc

/// An IP address read from text, in network order.
struct AddressText {
    /// 4 or 16 bytes.
    let bytes: [UInt8]

    /// Reads an IPv4 or IPv6 address, with or without a zone; nil for a name.
    init?(_ text: String) {
        var storage: (UInt64, UInt64) = (0, 0)
        let address = text.prefix { $0 != "%" }
        let family = address.utf8.contains(UInt8(ascii: ":")) ? AF_INET6 : AF_INET
        guard inet_pton(family, String(address), &storage) == 1 else { return nil }
        bytes = withUnsafeBytes(of: storage) { Array($0.prefix(family == AF_INET6 ? 16 : 4)) }
    }

    /// Whether a URL's host can be one behind a proxy, judged by its text alone: the proxy resolves the name,
    /// so only addresses and the names of this machine (RFC 6761, 6.3) can be refused.
    static func mayBeGlobal(host: String) -> Bool {
        if let address = AddressText(host) { return isGloballyReachable(address.bytes) }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name != "localhost" && !name.hasSuffix(".localhost")
    }
}
