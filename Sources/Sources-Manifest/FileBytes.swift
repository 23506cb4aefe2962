import Glibc
import SourceKit

/// The bytes of a file from its beginning, a chunk at a time.
final class FileBytes {
    private let file: SourceFile
    private var offset: Int64 = 0
    private static let chunkSize = 64 * 1024

    init(_ file: SourceFile) {
        self.file = file
    }

    /// The next bytes; nil at the end.
    func next() throws -> [UInt8]? {
        var fault: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, count in
            var read: Int
            repeat {
                read = pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            } while read < 0
                && errno == EINTR
            if read < 0 { fault = errno }
            count = max(0, read)
        }
        guard fault == 0 else { throw ManifestError("the list can't be read: \(String(cString: strerror(fault)))") }
        offset += Int64(bytes.count)
        return bytes.isEmpty ? nil : bytes
    }
}
