import Glibc
import System

/// A file that is written whole or not at all, so that a reader never meets half of it.
enum WholeFile {
    /// Writes beside the file and renames. What is there and is no regular file, such as a pipe, is written directly, or
    /// refused.
    ///
    /// - Parameters:
    ///   - permissions: of the file, whatever the umask; nil leaves them to it.
    ///   - isRegularOnly: whether a pipe or a device is refused, where nobody is there to read it.
    /// - Throws: ``OutputFileError``, or what `body` throws; the file is then as it was.
    static func write(
        to path: String, permissions: mode_t? = nil, isRegularOnly: Bool = false, _ body: (ByteOutput) throws -> Void
    ) throws {
        var information = stat()
        if stat(path, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
            guard !isRegularOnly else {
                throw OutputFileError(path: path, code: EINVAL, reason: "it is not a regular file")
            }
            let file = try openForReader(path, isPipe: information.st_mode & S_IFMT == S_IFIFO)
            defer { close(file) }
            return try fill(file, path, body)
        }
        let part = "\(path).\(getpid()).part"
        // Of a process with this number that was killed: in a container each may have the same.
        unlink(part)
        let file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw OutputFileError(path: path, code: errno) }
        do {
            defer { close(file) }
            try fill(file, path, body)
            if let permissions { fchmod(file, permissions) }
            // Without it a crash of the machine could leave the new name with no bytes.
            guard fsync(file) == 0 else { throw OutputFileError(path: path, code: errno) }
        } catch {
            unlink(part)
            throw error
        }
        guard rename(part, path) == 0 else {
            let code = errno
            unlink(part)
            throw OutputFileError(path: path, code: code)
        }
    }

    /// How long a pipe may have no reader, microseconds, and between two looks.
    private static let patience: Int64 = 5_000_000
    private static let lookInterval: Int64 = 50_000

    /// Opens what is no regular file. Whoever is to read a pipe may come a moment later, or never.
    private static func openForReader(_ path: String, isPipe: Bool) throws -> Int32 {
        let start = Monotonic.now()
        while true {
            let file = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            if file >= 0 { return file }
            let code = errno
            guard code == ENXIO, isPipe else { throw OutputFileError(path: path, code: code) }
            guard Monotonic.now() - start < patience else {
                throw OutputFileError(path: path, code: code, reason: "it is a pipe that nobody reads")
            }
            pauseThread(microseconds: lookInterval)
        }
    }

    private static func fill(_ file: Int32, _ path: String, _ body: (ByteOutput) throws -> Void) throws {
        let output = ByteOutput(descriptor: file, capacity: 65_536)
        do {
            try body(output)
            try output.flush()
        } catch OutputError.failed(let code) {
            throw OutputFileError(path: path, code: code)
        }
    }
}

/// Why a file could not be written.
struct OutputFileError: Error, Equatable, CustomStringConvertible {
    let path: String
    /// The value of `errno`.
    let code: Int32
    /// Said in place of the system's text where that would mislead.
    var reason: String?

    var description: String { "cannot write \(path): \(reason ?? String(cString: strerror(code)))" }
}
