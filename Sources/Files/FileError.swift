internal import Glibc

/// A file operation that the system refused, or that would have left the output directory.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, as a verb: "write", "publish".
    package let operation: String
    /// What it was tried on, as a person would type it: the output directory's path is in front.
    package let path: String
    /// The system's error number.
    package let errno: Int32
    /// Said in place of the system's text where that would mislead.
    package let reason: String?

    /// An error of the system, with a `reason` where the system's text for `errno` would mislead.
    package init(operation: String, path: String, errno: Int32, reason: String? = nil) {
        self.operation = operation
        self.path = path
        self.errno = errno
        self.reason = reason
    }

    /// The disk, or the user's share of it, is used up: every further write will fail as well.
    package var isDiskFull: Bool { errno == ENOSPC || errno == EDQUOT }

    /// Nothing is wrong: it was stopped on request.
    package var isCancelled: Bool { errno == ECANCELED }

    /// There is nothing at the path.
    package var isAbsent: Bool { errno == ENOENT || errno == ENOTDIR }

    /// "cannot write downloads/flags/.runner/parts/x: No space left on device".
    package var description: String {
        "cannot \(operation) \(path): \(reason ?? String(cString: strerror(errno)))"
    }
}

extension FileError {
    /// The error that the last system call of this thread left in `errno`.
    static func last(_ operation: String, _ path: String) -> FileError {
        FileError(operation: operation, path: path, errno: Glibc.errno)
    }
}
