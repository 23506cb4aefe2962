import Glibc

/// A call of the operating system that failed.
package struct SystemCallFailure: Error, Sendable, CustomStringConvertible {
    /// The call's name.
    package let call: String
    package let errno: Int32

    package init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    /// `Too many open files`.
    package var reason: String { String(cString: strerror(errno)) }

    /// `eventfd: Too many open files`.
    package var description: String { "\(call): \(reason)" }
}
