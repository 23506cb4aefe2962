internal import CLinux
internal import Glibc

/// A folder of Unix sockets that only this user can enter or change.
package final class SocketFolder: Sendable {
    private let path: String
    let descriptor: Int32

    /// - Parameter creating: whether it is made, private, where it is missing. The folder that it is in has to be there.
    /// - Throws: `ServerError` where it is missing, another user's, or others may write in it.
    package init(_ path: String, creating: Bool) throws(ServerError) {
        self.path = path
        if creating, mkdir(path, 0o700) != 0, errno != EEXIST { throw .last("make", path) }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open", path) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw .last("open", path) }
        // Root may connect to everybody's.
        let isOwn = information.st_uid == geteuid() || !creating && geteuid() == 0
        guard isOwn, information.st_mode & 0o022 == 0 else {
            throw ServerError("\(path) is not used for sockets: others may write in it; chmod 700 it, if it is yours")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// For people; it may be too long for connect(2).
    func path(of name: String) -> String {
        path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }

    /// The names of its sockets, hidden ones not.
    package var names: [String] {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let listing = fdopendir(copy) else {
            if copy >= 0 { close(copy) }
            return []
        }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            guard entry.pointee.d_type == UInt8(DT_SOCK) else { continue }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// A connection to a socket of the folder, for the caller to close; nil where nobody listens there, or where someone
    /// else does.
    package func connect(to name: String) -> Int32? {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        if address(of: name, { Glibc.connect(socket, $0, $1) }) == 0 { return socket }
        let code = errno
        close(socket)
        errno = code
        return nil
    }

    /// Removes a socket at which nobody listens any more. False where it may be alive; one that is gone is removed.
    package func removeIfDead(_ name: String) -> Bool {
        if let socket = connect(to: name) {
            close(socket)
            return false
        }
        // Only a refusal is a proof: a full queue (EAGAIN) is life, and other errors tell nothing.
        guard errno == ECONNREFUSED else { return errno == ENOENT }
        return unlinkat(descriptor, name, 0) == 0 || errno == ENOENT
    }

    /// Calls `body` with the address of a name in the folder.
    func address(of name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let text = Array("/proc/self/fd/\(descriptor)/\(name)".utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard text.count <= room else {
            errno = ENAMETOOLONG
            return -1
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
