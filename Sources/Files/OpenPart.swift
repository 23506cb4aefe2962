// Whichever C module includes <time.h> first owns `timespec`.
internal import CLinux
internal import Glibc
internal import Synchronization
import System

/// The file of a part while it is open: written by the thread that receives the body and read by the one that hashes.
final class OpenPart: Sendable {
    /// Valid until `close()`.
    let raw: Int32
    private let name: String
    private let directory: OutputDirectory
    private let isClosed = Atomic(false)

    /// Owns the descriptor; name and directory are for messages.
    init(_ raw: Int32, _ name: String, in directory: OutputDirectory) {
        self.raw = raw
        self.name = name
        self.directory = directory
    }

    deinit {
        if !isClosed.load(ordering: .acquiring) { _ = Glibc.close(raw) }
    }

    private var path: String { directory.partPath(name) }

    var information: FileInformation? { FileInformation(of: raw) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        let code = writeAll(bytes, to: raw, at: offset)
        guard code == 0 else { throw FileError(operation: "write", path: path, errno: code) }
    }

    /// Reads `range` and hashes it. The file has been written that far, so a shorter one is an error.
    func hash(
        _ range: Range<Int64>, into hasher: inout SHA256, through buffer: UnsafeMutableRawBufferPointer
    ) throws(FileError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = Int(min(Int64(buffer.count), range.upperBound - offset))
            let position = off_t(offset)
            let count = uninterrupted { pread(raw, buffer.baseAddress, wanted, position) }
            guard count >= 0 else { throw .last("read", path) }
            guard count > 0 else {
                throw FileError(operation: "read", path: path, errno: EIO, reason: "the part was cut by someone else")
            }
            hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }

    /// Sets the modification time, seconds since 1970. A time that the file system can't show is no reason to lose the
    /// file.
    func setModified(_ seconds: Int64) {
        // UTIME_OMIT of utimensat(2), a macro that Swift cannot read: the access time stays.
        let accessed = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
        _ = futimens(raw, [accessed, timespec(tv_sec: Int(seconds), tv_nsec: 0)])
    }

    func truncate(to size: Int64) throws(FileError) {
        guard uninterrupted({ ftruncate(raw, off_t(size)) }) == 0 else { throw .last("cut", path) }
    }

    /// Makes the data durable.
    func flush() throws(FileError) {
        guard uninterrupted({ fdatasync(raw) }) == 0 else { throw .last("flush", path) }
    }

    /// Closes the file; a network file system reports a failed write as late as here. Nobody may use it afterwards.
    func close() throws(FileError) {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // EINTR: Linux has closed it all the same.
        guard Glibc.close(raw) == 0 || errno == EINTR else { throw .last("write", path) }
    }
}
