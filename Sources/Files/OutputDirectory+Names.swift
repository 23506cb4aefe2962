internal import Glibc
import System

// A stored file gets another name in two steps, so that at any moment it has one that its row may claim: the new name
// beside the old one, and then, when the row has the new one, the old one goes.
extension OutputDirectory {
    /// Gives a file a second name; false, with nothing changed, where that is taken by another file. What an attempt that
    /// was broken off has given already counts.
    ///
    /// Where the file system has no second names the second one is a copy.
    package func addName(_ path: RelativePath, to source: RelativePath) throws(FileError) -> Bool {
        let from = try folder(source.parent, creating: false)
        let to = try folder(path.parent, creating: true)
        if linkat(from.raw, source.last, to.raw, path.last, 0) == 0 {
            touch(to)
            return true
        }
        switch errno {
        case EEXIST:
            return isSameFile(source, path)
        case EPERM, EOPNOTSUPP, ENOSYS, EMLINK:
            let part = try copy(source, toPart: "name-\(getpid())")
            guard case .published = try publish(part, as: path, replacing: false) else {
                try part.discard(in: self)
                return false
            }
            return true
        default:
            throw .last("rename", fullPath(source))
        }
    }

    /// Takes a file's first name away once it has the second.
    package func removeName(_ source: RelativePath, of path: RelativePath) throws(FileError) {
        guard let kept = information(path) else {
            throw FileError(operation: "rename", path: fullPath(source), errno: ENOENT)
        }
        // On a file system that takes both names for one, removing it would remove the file.
        if isSameFile(source, path), kept.links == 1 { return }
        try remove(source)
        removeEmptyFolders(above: source)
    }

    private func isSameFile(_ one: RelativePath, _ other: RelativePath) -> Bool {
        guard let one = information(one), let other = information(other) else { return false }
        return one.device == other.device && one.inode == other.inode
    }

    /// The first bytes of a file, at most `count`.
    package func beginning(of path: RelativePath, count: Int) throws(FileError) -> [UInt8] {
        let file = try openForReading(path)
        return try beginning(of: file.raw, count: count, shownAs: fullPath(path))
    }
}
