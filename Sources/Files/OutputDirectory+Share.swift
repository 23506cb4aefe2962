internal import CLinux
internal import Glibc
import System

/// What became of a part that was to share its bytes with a file.
package enum Sharing: Sendable {
    case shared
    /// The file is not there any more, or has other bytes.
    case different
    /// It has the bytes, and there is no way to share them: it is on another file system, for instance.
    case impossible
}

extension OutputDirectory {
    /// Lets a part share its bytes with a stored file that has the same ones, so that they take their room once.
    ///
    /// The blocks where the file system can (FICLONE: the two stay two files), else the file itself under a second name:
    /// the part then has that file's modification time. Names are only ever given, never written through, so that a later
    /// body of either leaves the other alone. The file is read first: one that was changed since is no source.
    ///
    /// - Returns: whether it does; else the part is what it was.
    /// - Throws: `FileError` when the part can't be opened or closed.
    package func share(_ part: SealedPart, with path: RelativePath) throws(FileError) -> Sharing {
        precondition(part.held == nil, "a part was shared before it was stored")
        guard part.size > 0, let found = information(path), found.isRegular, found.size == part.size,
            (try? digest(of: path)) == part.digest
        else { return .different }
        if try shareBlocks(part, with: path) { return .shared }
        return try shareName(part, with: path, found) ? .shared : .impossible
    }

    private func shareBlocks(_ part: SealedPart, with path: RelativePath) throws(FileError) -> Bool {
        guard let source = try? openForReading(path) else { return false }
        let file = try reopenPart(part.name, size: part.size)
        let modified = file.information?.modified
        guard clinux_clone_file(source.raw, file.raw) == 0 else {
            try file.close()
            return false
        }
        if let modified { file.setModified(modified) }
        try file.close()
        return true
    }

    private func shareName(
        _ part: SealedPart, with path: RelativePath, _ found: FileInformation
    ) throws(FileError) -> Bool {
        let parts = try requiredPartsFolder()
        guard let folder = try? folder(path.parent, creating: false),
            FileInformation(of: part.name, in: parts.raw)?.device == found.device, found.links < Self.mostLinks
        else { return false }
        // Beside the part first, since not every file system has second names.
        let second = part.name + secondNameSuffix
        _ = unlinkat(parts.raw, second, 0)
        guard linkat(folder.raw, path.last, parts.raw, second, 0) == 0 else { return false }
        guard FileInformation(of: second, in: parts.raw)?.inode == found.inode,
            renameat(parts.raw, second, parts.raw, part.name) == 0
        else {
            _ = unlinkat(parts.raw, second, 0)
            return false
        }
        return true
    }

    /// Far below what ext4 allows (65,000), which allows the least.
    private static let mostLinks = 30_000
}

/// A part on its way to become a second name of a file.
let secondNameSuffix = ".link"
