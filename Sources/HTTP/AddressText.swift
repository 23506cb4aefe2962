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

    /// Reads an address as the C library's resolver does, which a proxy may have: besides the usual spellings IPv4 in fewer
    /// parts, in octal and hexadecimal digits (`0x7f.1`, `017700000001`), and as a name with a dot at its end.
    init?(loose text: String) {
        let name = text.hasSuffix(".") ? String(text.dropLast()) : text
        if let address = AddressText(name) {
            self = address
            return
        }
        var storage = in_addr()
        // What follows a blank would be passed over.
        guard !name.contains(where: \.isWhitespace), inet_aton(name, &storage) == 1 else { return nil }
        bytes = withUnsafeBytes(of: storage) { Array($0) }
    }

    /// Whether a URL's host can be one behind a proxy, judged by its text alone: the proxy resolves the name,
    /// so only addresses and the names of this machine (RFC 6761, 6.3) can be refused.
    static func mayBeGlobal(host: String) -> Bool {
        if let address = AddressText(loose: host) { return isGloballyReachable(address.bytes) }
        let name = (host.hasSuffix(".") ? host.dropLast() : host[...]).lowercased()
        return name != "localhost" && !name.hasSuffix(".localhost")
    }

    /// Whether the first bits of two addresses of one kind are the same.
    func hasPrefix(_ other: AddressText, bits: Int) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        return bytes.indices.allSatisfy { index in
            let mask = ~UInt8(truncatingIfNeeded: 0xFF >> max(0, min(8, bits - 8 * index)))
            return bytes[index] & mask == other.bytes[index] & mask
        }
    }
}
