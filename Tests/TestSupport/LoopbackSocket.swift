import Glibc

/// A TCP socket bound to a free port of the loopback interface; closed when the value goes.
struct LoopbackSocket: ~Copyable {
    let descriptor: Int32
    let port: Int

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let code = Self.withPointer(to: &address) { pointer in
            bind(descriptor, pointer, length) | getsockname(descriptor, pointer, &length)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
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
