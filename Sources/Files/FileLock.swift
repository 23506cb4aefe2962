internal import Glibc
import System

/// Who holds a lock, as it wrote into the lock's file.
package struct LockHolder: Hashable, Sendable {
    /// Its process, on `host`.
    package let pid: Int32
    /// When it took the lock, microseconds since 1970.
    package let since: Int64
    /// The name of its machine.
    package let host: String
}

/// An advisory lock (flock) on a file that is never removed, so that all who ask for it mean the same file.
/// The system releases it when the process ends, however that happens.
package final class FileLock: Sendable {
    /// What came of asking for a lock.
    package enum Attempt: Sendable {
        case acquired(FileLock)
        /// Someone else has it: another process, or another `FileLock` of this one. Nil where that is no `FileLock`.
        case held(by: LockHolder?)
    }

    private let file: Descriptor

    private init(_ file: consuming Descriptor) {
        self.file = file
    }

    /// Asks for the lock in the file at `path`, which is made where it is missing; does not wait.
    /// - Throws: `FileError` where the file cannot be opened, or its file system has no locks.
    package static func acquire(_ path: String) throws(FileError) -> Attempt {
        try acquire(path, in: AT_FDCWD, shownAs: path)
    }

    static func acquire(_ name: String, in folder: Int32, shownAs path: String) throws(FileError) -> Attempt {
        let gate = LockGate(folder: folder, path)
        defer { gate.open() }
        let raw = uninterrupted { openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard raw >= 0 else { throw .last("lock", path) }
        let file = Descriptor(owning: raw)
        guard uninterrupted({ flock(file.raw, LOCK_EX | LOCK_NB) }) == 0 else {
            if errno == EWOULDBLOCK { return .held(by: holder(in: file.raw)) }
            throw unavailable(path, errno)
        }
        try writeHolder(to: file.raw, path)
        return .acquired(FileLock(file))
    }

    /// What a look at a lock tells.
    package enum State: Sendable {
        case free
        /// Nil where whoever has it is no `FileLock`.
        case held(by: LockHolder?)
    }

    /// Looks at the lock in the file at `path`, and neither makes nor takes it.
    package static func state(of path: String) throws(FileError) -> State {
        try state(of: path, in: AT_FDCWD, shownAs: path)
    }

    static func state(of name: String, in folder: Int32, shownAs path: String) throws(FileError) -> State {
        let gate = LockGate(folder: folder, path)
        defer { gate.open() }
        let raw = uninterrupted { openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        if raw < 0, errno == ENOENT { return .free }
        guard raw >= 0 else { throw .last("lock", path) }
        let file = Descriptor(owning: raw)
        // Shared, and released with the descriptor at once.
        if uninterrupted({ flock(file.raw, LOCK_SH | LOCK_NB) }) == 0 { return .free }
        guard errno == EWOULDBLOCK else { throw unavailable(path, errno) }
        return .held(by: holder(in: file.raw))
    }

    /// Releases the lock; a lock that is let go of releases itself.
    package func release() {
        // Fails only for a descriptor that is not open, and this one is.
        _ = flock(file.raw, LOCK_UN)
    }

    private static func unavailable(_ path: String, _ code: Int32) -> FileError {
        guard code == ENOLCK || code == EOPNOTSUPP || code == ENOSYS else {
            return FileError(operation: "lock", path: path, errno: code)
        }
        let kind = networkFileSystem(at: path).map { " (\($0))" } ?? ""
        return FileError(
            operation: "lock", path: path, errno: code,
            reason: "its file system\(kind) has no locks; keep it on a local disk")
    }

    private static func writeHolder(to file: Int32, _ path: String) throws(FileError) {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let text = Array("\(getpid()) \(wallClockMicroseconds()) \(host)\n".utf8)
        guard ftruncate(file, 0) == 0 else { throw .last("write", path) }
        let code = text.withUnsafeBytes { writeAll($0, to: file, at: 0) }
        guard code == 0 else { throw FileError(operation: "write", path: path, errno: code) }
    }

    private static func holder(in file: Int32) -> LockHolder? {
        guard let bytes = readAll(file), let line = String(validating: bytes, as: UTF8.self), line.last == "\n" else {
            return nil
        }
        let fields = line.dropLast().split(separator: " ", maxSplits: 2)
        guard fields.count == 3, let pid = Int32(fields[0]), let since = Int64(fields[1]) else { return nil }
        return LockHolder(pid: pid, since: since, host: String(fields[2]))
    }
}

/// One at a time may ask for the locks of a folder, or look at them: whoever finds a lock taken finds written who has
/// it, and a look never makes a free lock seem taken. It is a lock of the folder itself, held for microseconds.
private struct LockGate: ~Copyable {
    private let folder: Descriptor?
    private let raw: Int32

    /// Tries between which a millisecond passes: a process may be stopped in the gate. After them it is passed over.
    private static let tries = 1_000

    /// - Parameter path: of the lock's file, for one that is not given by its folder.
    init(folder: Int32, _ path: String) {
        let name = folder == AT_FDCWD ? path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." : "."
        let raw = uninterrupted { openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard raw >= 0 else {
            // The lock's file can't be opened either, or needs no more than to pass through the folder.
            self.folder = nil
            self.raw = raw
            return
        }
        self.folder = Descriptor(owning: raw)
        self.raw = raw
        for _ in 0..<Self.tries {
            if uninterrupted({ flock(raw, LOCK_EX | LOCK_NB) }) == 0 || errno != EWOULDBLOCK { break }
            usleep(1_000)
        }
    }

    /// Opens the gate; to be called at the end, lest it be opened before.
    func open() {
        if raw >= 0 { _ = flock(raw, LOCK_UN) }
    }
}

extension OutputDirectory {
    /// Asks for the lock of the directory, `.runner/lock`: one output directory belongs to one job at a time.
    package func lock() throws(FileError) -> FileLock.Attempt {
        let path = fullPath(privatePath + "/lock")
        guard let folder = try privateFolder(creating: true) else { throw .last("lock", path) }
        return try FileLock.acquire("lock", in: folder.raw, shownAs: path)
    }

    /// Looks at the lock of the directory, and neither makes nor takes it.
    package func lockState() throws(FileError) -> FileLock.State {
        guard let folder = try privateFolder(creating: false) else { return .free }
        return try FileLock.state(of: "lock", in: folder.raw, shownAs: fullPath(privatePath + "/lock"))
    }
}
