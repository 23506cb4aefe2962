import Glibc
import System

/// A socket of the Unix domain for datagrams.
enum DatagramSocket {
    /// A socket that sends to `path`, and does not wait.
    ///
    /// - Parameter path: with a leading `@` an abstract one (unix(7)).
    static func connect(to path: String) throws(SystemCallFailure) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = path.hasPrefix("@")
        var name = Array(path.utf8)
        if isAbstract { name[0] = 0 }
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !name.isEmpty, name.count < room, path.hasPrefix("/") || isAbstract else {
            throw SystemCallFailure(call: "connect", errno: name.count < room ? EINVAL : ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw SystemCallFailure(call: "socket", errno: errno) }
        // An abstract name ends where its length says, another one with a zero.
        let length = MemoryLayout<sa_family_t>.size + name.count + (isAbstract ? 0 : 1)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(length))
            }
        }
        guard code == 0 else {
            let reason = errno
            close(descriptor)
            throw SystemCallFailure(call: "connect", errno: reason)
        }
        return descriptor
    }
}
