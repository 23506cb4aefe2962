internal import Glibc
import System

/// Copying a file so that a reader of the new name never meets half of it, on whatever file system.
package enum WholeCopy {
    /// Copies beside the new name and renames; what was there gives way. The copy is on the disk when this returns.
    ///
    /// - Parameter mark: keeps apart those who write the same name at the same time; letters and digits.
    /// - Throws: `FileError`; nothing has changed then.
    package static func write(_ source: String, to path: String, mark: String) throws(FileError) {
        let input = try ReadableFile(path: source)
        let part = "\(path).\(mark).new"
        let raw = uninterrupted {
            open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        }
        guard raw >= 0 else { throw .last("write", part) }
        let output = Descriptor(owning: raw)
        do throws(FileError) {
            var (offset, code): (Int64, Int32) = (0, 0)
            try input.forEachPiece(from: 0) { piece in
                code = writeAll(piece, to: raw, at: offset)
                offset += Int64(piece.count)
                return code == 0
            }
            guard code == 0 else { throw FileError(operation: "write", path: part, errno: code) }
            guard fsync(raw) == 0 else { throw .last("flush", part) }
            // A network file system tells a failed write here at the latest.
            let closing = output.close()
            guard closing == 0 else { throw FileError(operation: "write", path: part, errno: closing) }
            guard rename(part, path) == 0 else { throw .last("write", path) }
        } catch {
            unlink(part)
            throw error
        }
    }
}
