internal import Glibc

/// An open file that is sent as it is.
package final class FileBody: Sendable {
    /// Open for reading; closed with this object.
    let descriptor: Int32
    /// Bytes to send, from the file's beginning.
    package let size: Int64

    /// Takes the descriptor over.
    package init(owning descriptor: Int32, size: Int64) {
        self.descriptor = descriptor
        self.size = size
    }

    deinit {
        close(descriptor)
    }
}
