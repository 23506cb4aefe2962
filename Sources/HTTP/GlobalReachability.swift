/// Whether an address is globally reachable: one of the public internet, not of a private network, this
/// machine, a link, documentation, or a group.
///
/// `address` is in network order, 4 bytes for IPv4 and 16 for IPv6; any other length is not reachable. The
/// ranges are those of the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890) that are not
/// "globally reachable", and multicast. An IPv6 address that leads to an IPv4 one (mapped, NAT64, 6to4,
/// Teredo) is judged by that too. The zone of a link-local address plays no part, for no such address passes.
package func isGloballyReachable(_ address: some Collection<UInt8>) -> Bool {
    switch address.count {
    case 4: isGlobalIPv4(address.reduce(0) { $0 << 8 | UInt32($1) })
    case 16: isGlobalIPv6(address.reduce(0) { $0 << 8 | UInt128($1) })
    default: false
    }
}

private func isGlobalIPv4(_ address: UInt32) -> Bool {
    // Within 192.0.0.0/24, only PCP and TURN anycast are global (RFC 7723, RFC 8155).
    if address == 0xC000_0009 || address == 0xC000_000A { return true }
    return !localIPv4.contains { address >> (32 - $0.length) == $0.prefix >> (32 - $0.length) }
}

private let localIPv4: [(prefix: UInt32, length: UInt32)] = [
    (0x0000_0000, 8),  // this network (RFC 791)
    (0x0A00_0000, 8),  // private (RFC 1918)
    (0x6440_0000, 10),  // shared by carriers (RFC 6598)
    (0x7F00_0000, 8),  // loopback (RFC 1122)
    (0xA9FE_0000, 16),  // link-local (RFC 3927)
    (0xAC10_0000, 12),  // private
    (0xC000_0000, 24),  // IETF protocol assignments (RFC 6890)
    (0xC000_0200, 24),  // documentation (RFC 5737)
    (0xC058_6300, 24),  // 6to4 relay anycast, withdrawn (RFC 7526)
    (0xC0A8_0000, 16),  // private
    (0xC612_0000, 15),  // benchmarking (RFC 2544)
    (0xC633_6400, 24),  // documentation
    (0xCB00_7100, 24),  // documentation
    (0xE000_0000, 4),  // multicast (RFC 5771)
    (0xF000_0000, 4),  // reserved and limited broadcast (RFC 1112, RFC 919)
]

private func isGlobalIPv6(_ address: UInt128) -> Bool {
    let low = UInt32(truncatingIfNeeded: address)
    let high = UInt32(truncatingIfNeeded: address >> 96)
    switch UInt64(truncatingIfNeeded: address >> 64) {
    case 0 where UInt32(truncatingIfNeeded: address >> 32) == 0xFFFF:
        return isGlobalIPv4(low)  // ::ffff:0:0/96, IPv4-mapped (RFC 4291)
    case 0x0064_FF9B_0000_0000 where UInt32(truncatingIfNeeded: address >> 32) == 0:
        return isGlobalIPv4(low)  // 64:ff9b::/96, NAT64 (RFC 6052)
    default:
        break
    }
    // Only 2000::/3 is given out; unspecified, loopback, 64:ff9b:1::/48, 100::/64, fc00::/7, fe80::/10, ff00::/8 are outside.
    guard high >> 29 == 0b001 else { return false }
    switch high >> 16 {
    case 0x2002:  // 6to4 (RFC 3056): the IPv4 address follows
        return isGlobalIPv4(UInt32(truncatingIfNeeded: address >> 80))
    case 0x2001 where high & 0xFFFF == 0:  // Teredo (RFC 4380): server, and the client's address inverted
        return isGlobalIPv4(UInt32(truncatingIfNeeded: address >> 64)) && isGlobalIPv4(~low)
    case 0x2001 where high & 0xFE00 == 0:  // 2001::/23, IETF protocol assignments (RFC 2928)
        return isGlobalAssignment(address)
    case 0x2001 where high & 0xFFFF == 0x0DB8:  // documentation (RFC 3849)
        return false
    case 0x3FFF where high & 0xF000 == 0:  // 3fff::/20, documentation (RFC 9637)
        return false
    default:
        return true
    }
}

/// The parts of 2001::/23 that are global.
private func isGlobalAssignment(_ address: UInt128) -> Bool {
    let anycast = UInt128(0x2001_0001) << 96
    if address >= anycast + 1, address <= anycast + 3 { return true }  // PCP, TURN, DNS-SD anycast
    switch UInt32(truncatingIfNeeded: address >> 96) & 0xFFFF {
    case 0x0003: return true  // 2001:3::/32, AMT (RFC 7450)
    case 0x0004: return UInt16(truncatingIfNeeded: address >> 80) == 0x0112  // 2001:4:112::/48, AS112 (RFC 7535)
    case 0x0020...0x003F: return true  // 2001:20::/28 ORCHIDv2, 2001:30::/28 drone identifiers (RFC 7343, RFC 9374)
    default: return false
    }
}
