import Glibc

/// A socket of the Unix domain that gathers datagrams, as the journal and service managers have.
package final class DatagramReceiver: Sendable {
    package let path: String
    private let descriptor: Int32
    private let state = Monitor<[[UInt8]]>([])

    /// - Parameter path: at most 107 bytes; nothing is there yet.
    package init(_ path: String) throws {
        self.path = path
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8) + [0]
        guard name.count <= MemoryLayout.size(ofValue: address.sun_path) else {
            throw TestSupportError("\(path) is too long for a socket")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw TestSupportError("no socket at \(path): \(String(cString: strerror(errno)))") }
        self.descriptor = descriptor
        let state = state
        spawnThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                // An empty one is what ends it.
                guard count > 0 else { break }
                state.withLock { $0.append(Array(buffer[..<count])) }
            }
            close(descriptor)
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// What came so far.
    package var datagrams: [[UInt8]] { state.withLock(\.self) }

    /// The same as text.
    package var texts: [String] { datagrams.map { String(decoding: $0, as: UTF8.self) } }

    /// Waits until what came fulfils a condition.
    package func wait(until condition: ([String]) -> Bool) throws -> [String] {
        let texts = state.wait { datagrams -> [String]? in
            let texts = datagrams.map { String(decoding: $0, as: UTF8.self) }
            return condition(texts) ? texts : nil
        }
        guard let texts else { throw TestSupportError("what was awaited never came: \(self.texts)") }
        return texts
    }
}
