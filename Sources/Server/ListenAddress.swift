internal import Glibc

/// A numeric address and a port to listen on.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without brackets.
    package let host: String
    package let port: Int
    let family: Int32

    /// From `127.0.0.1:0`, `[::1]:8080` or `localhost:8080`; without a port it is 0. Nil for what is no address: names are
    /// not looked up.
    package init?(_ text: String) {
        var host = text
        var port = 0
        let isBracketed = text.hasPrefix("[")
        if let colon = text.lastIndex(of: ":"), !isBracketed || text[..<colon].hasSuffix("]") {
            let digits = text[text.index(after: colon)...]
            guard let number = UInt16(digits), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            host = String(text[..<colon])
            port = Int(number)
        }
        if isBracketed {
            guard host.hasSuffix("]") else { return nil }
            host = String(host.dropFirst().dropLast())
        }
        if host == "localhost" { host = "127.0.0.1" }
        var room = in6_addr()
        if !isBracketed, inet_pton(AF_INET, host, &room) == 1 {
            family = AF_INET
        } else if isBracketed, inet_pton(AF_INET6, host, &room) == 1 {
            family = AF_INET6
        } else {
            return nil
        }
        self.host = host
        self.port = port
    }

    private init(host: String, port: Int, family: Int32) {
        self.host = host
        self.port = port
        self.family = family
    }

    /// With the port, as in a URL.
    package var description: String { family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether only programs of this machine can connect to it.
    package var isLoopback: Bool { family == AF_INET6 ? host == "::1" : host.hasPrefix("127.") }

    func with(port: Int) -> ListenAddress {
        ListenAddress(host: host, port: port, family: family)
    }

    func bind(_ descriptor: Int32) -> Bool {
        if family == AF_INET6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = UInt16(port).bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            return Self.bind(descriptor, &address)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return Self.bind(descriptor, &address)
    }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
        let length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, length) == 0 }
        }
    }

    static func port(of descriptor: Int32) -> Int {
        // The port is at the same place in both kinds of address.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin6_port))
    }
}
