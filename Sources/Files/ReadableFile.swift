internal import Glibc
import System

/// A regular file that is open for reading, closed with its last owner.
package final class ReadableFile: Sendable {
    private let file: Descriptor
    /// For messages.
    private let path: String
    /// Length in bytes when it was opened.
    package let size: Int64

    /// Opens the file at a path that a person wrote; symbolic links are followed.
    package convenience init(path: String) throws(FileError) {
        try self.init(uninterrupted { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }, path)
    }

    /// Opens an entry of a folder; a symbolic link is refused.
    convenience init(_ name: String, in folder: Int32, shownAs path: String) throws(FileError) {
        try self.init(uninterrupted { openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }, path)
    }

    // O_NONBLOCK: a named pipe must not hold the caller until someone writes to it.
    private init(_ raw: Int32, _ path: String) throws(FileError) {
        guard raw >= 0 else { throw .last("read", path) }
        let file = Descriptor(owning: raw)
        guard let information = FileInformation(of: raw) else { throw .last("read", path) }
        guard information.isRegular else {
            throw FileError(operation: "read", path: path, errno: EINVAL, reason: "not a regular file")
        }
        self.file = file
        self.path = path
        size = information.size
    }

    /// Valid while the object is held. Its position is shared by all who use it.
    package var descriptor: Int32 { file.raw }

    /// Reads at a place, whatever the position; fewer bytes than the buffer has only where the file ends.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        var length = 0
        while length < buffer.count {
            let count = uninterrupted {
                pread(
                    descriptor, buffer.baseAddress?.advanced(by: length), buffer.count - length,
                    off_t(offset) + off_t(length))
            }
            guard count >= 0 else { throw .last("read", path) }
            if count == 0 { break }
            length += count
        }
        return length
    }

    /// Calls `body` with the bytes from a place to the end, in order and in pieces of up to 256 KiB, as long as it returns
    /// true.
    package func forEachPiece(
        from offset: Int64, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(FileError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        var position = offset
        while case let count = try read(at: position, into: buffer), count > 0 {
            guard body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
            position += Int64(count)
        }
    }
}
