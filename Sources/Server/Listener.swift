internal import CLinux
internal import Glibc
internal import System

/// A socket that listens: on an address, or under a name in a folder.
package final class Listener: Sendable {
    /// As a person would write it: `127.0.0.1:8080`, `[::1]:8080`, or the path of a Unix socket.
    package let name: String
    /// The port that was bound; 0 for a Unix socket.
    package let port: Int
    let descriptor: Int32
    private let unixSocket: BoundSocket?
    /// Whether nobody else closes the descriptor.
    private let isOwner = Locked(true)

    var isUnixSocket: Bool { unixSocket != nil }

    /// Whether only programs of this machine can connect.
    package let isLocal: Bool

    /// Listens on an address of this machine; port 0 takes a free one.
    ///
    /// - Throws: `ServerError` where the address is taken, or not this machine's.
    package convenience init(_ address: ListenAddress) throws(ServerError) {
        let descriptor = clinux_socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .last("listen", address.description) }
        var on: Int32 = 1
        // A port of the past minute's connections is free again.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard address.bind(descriptor), listen(descriptor, SOMAXCONN) == 0 else {
            let error = ServerError.last("listen on", address.description)
            close(descriptor)
            throw error
        }
        let bound = address.with(port: ListenAddress.port(of: descriptor))
        self.init(
            descriptor, name: bound.description, port: bound.port, isLocal: address.isLoopback, unixSocket: nil)
    }

    /// Listens under `name` in a folder, which is made, private, where it is missing. What a dead process left under the
    /// name is replaced.
    ///
    /// - Throws: `ServerError` where a living socket has the name, or the folder is open to others.
    package convenience init(folder: String, name: String) throws(ServerError) {
        let socket = try BoundSocket(folder: folder, name: name)
        self.init(socket.descriptor, name: socket.path, port: 0, isLocal: true, unixSocket: socket)
    }

    private init(_ descriptor: Int32, name: String, port: Int, isLocal: Bool, unixSocket: BoundSocket?) {
        self.descriptor = descriptor
        self.name = name
        self.port = port
        self.isLocal = isLocal
        self.unixSocket = unixSocket
    }

    deinit {
        if isOwner.withLock({ $0 }) {
            removeName()
            close(descriptor)
        }
    }

    /// Someone else closes the descriptor now.
    func handOver() {
        isOwner.withLock { $0 = false }
    }

    /// Nobody finds the Unix socket any more.
    func removeName() {
        unixSocket?.removeName()
    }
}

extension ServerError {
    static func last(_ operation: String, _ name: String) -> ServerError {
        ServerError("cannot \(operation) \(name): \(String(cString: strerror(errno)))")
    }
}
