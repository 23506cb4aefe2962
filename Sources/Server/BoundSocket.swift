internal import CLinux
internal import Glibc
internal import System

/// A Unix socket that listens under a name in a private folder.
///
/// It is bound under a hidden name and renamed when it listens, so that whoever finds the name can connect, and nobody takes
/// one that is about to begin for a dead one. Paths are given by the folder's descriptor: a socket's own may have no more
/// than 107 bytes.
final class BoundSocket: Sendable {
    let descriptor: Int32
    let path: String
    private let folder: SocketFolder
    private let name: String
    private let isNamed = Locked(true)

    init(folder path: String, name: String) throws(ServerError) {
        let folder = try SocketFolder(path, creating: true)
        self.folder = folder
        self.name = name
        self.path = folder.path(of: name)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .last("listen", self.path) }
        self.descriptor = descriptor
        let hidden = ".\(name).\(getpid())"
        unlinkat(folder.descriptor, hidden, 0)
        // Linux takes a socket's mode into the name that it is bound under. The umask, which all threads share, stays.
        fchmod(descriptor, 0o600)
        do throws(ServerError) {
            guard folder.address(of: hidden, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, SOMAXCONN) == 0
            else {
                throw .last("listen at", self.path)
            }
            try Self.rename(hidden, to: name, in: folder)
        } catch {
            unlinkat(folder.descriptor, hidden, 0)
            close(descriptor)
            throw error
        }
    }

    private static func rename(_ hidden: String, to name: String, in folder: SocketFolder) throws(ServerError) {
        // A second try, after what was dead is gone; a third name giver cannot be.
        for _ in 0..<2 {
            if clinux_rename_exclusively(folder.descriptor, hidden, folder.descriptor, name) == 0 { return }
            guard errno == EEXIST else { throw .last("listen at", folder.path(of: name)) }
            guard folder.removeIfDead(name) else {
                throw ServerError("cannot listen at \(folder.path(of: name)): another program listens there")
            }
        }
        throw ServerError("cannot listen at \(folder.path(of: name)): others take the name again and again")
    }

    /// Once, by whoever comes first.
    func removeName() {
        let isFirst = isNamed.withLock { isNamed in
            defer { isNamed = false }
            return isNamed
        }
        if isFirst { unlinkat(folder.descriptor, name, 0) }
    }
}
