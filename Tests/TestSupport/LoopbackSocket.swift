import Glibc

/// A TCP socket bound to a free port of the loopback interface; closed when the value goes.
struct LoopbackSocket: ~Copyable {
    let descriptor: Int32
    let port: Int

    /// - Parameter isIPv6: whether it is `::1` instead of 127.0.0.1.
    init(isIPv6: Bool = false) throws {
        let family = isIPv6 ? AF_INET6 : AF_INET
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // Large enough for both; the port is at the same place in them.
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(family)
        if isIPv6 {
            address.sin6_addr = in6addr_loopback
        } else {
            withUnsafeMutableBytes(of: &address) { $0.storeBytes(of: Self.address(port: 0), as: sockaddr_in.self) }
        }
        var length = socklen_t(isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let code = withUnsafeMutableBytes(of: &address) { bytes in
            // A pointer to the start of a socket address, which the calls get the length of.
            let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return bind(descriptor, pointer, length) | getsockname(descriptor, pointer, &length)
        }
        port = Int(UInt16(bigEndian: address.sin6_port))
        guard descriptor >= 0, code == 0 else {
            throw TestSupportError("no socket: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Whether something accepts connections on a port.
    static func canConnect(to port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = Self.address(port: port)
        return withPointer(to: &address) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }

    /// A socket that is connected to a port, for the caller to close; nil when nothing accepts there.
    static func connected(to port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(port: port)
        let isConnected = withPointer(to: &address) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }

    /// Sends a text to a port and reads until the other side closes the connection.
    static func exchange(_ text: String, port: Int) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = Self.address(port: port)
        let isConnected = withPointer(to: &address) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
        guard isConnected, send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count else {
            throw TestSupportError("nothing answers on port \(port)")
        }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withPointer<Result>(
        to address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        // A pointer to the start of a socket address, which the calls get the length of.
        withUnsafeMutableBytes(of: &address) { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self)) }
    }
}
