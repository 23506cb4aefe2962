internal import Glibc

/// Reads at places of an open file, whose own position stays where it is.
struct FileReader {
    let descriptor: Int32
    /// In bytes, when the file was opened.
    let size: Int64

    init(descriptor: Int32) throws(ArchiveError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.refused() }
        self.descriptor = descriptor
        size = Int64(status.st_size)
    }

    /// Exactly so many bytes; what is behind the end of the file is out of bounds.
    func bytes(_ count: Int, at offset: Int64) throws(ArchiveError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor, buffer.baseAddress?.advanced(by: length), count - length, off_t(offset) + off_t(length))
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw Self.refused() }
            guard read > 0 else {
                throw ArchiveError(.outOfBounds, "\(count) bytes at \(offset) are wanted from a file of \(size) bytes")
            }
            length += read
        }
        return bytes
    }

    private static func refused() -> ArchiveError {
        ArchiveError(.unreadable, String(cString: strerror(errno)))
    }
}
