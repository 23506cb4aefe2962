internal import Glibc
import System

/// Whose an output directory is, as its file `.runner/owner` says.
package struct DirectoryOwner: Hashable, Sendable {
    /// The job's name.
    package let job: String
    /// What the catalog calls itself; see the table `identity`.
    package let catalog: String
    /// Where the catalog was when the file was written, absolute.
    package let database: String

    package init(job: String, catalog: String, database: String) {
        self.job = job
        self.catalog = catalog
        self.database = database
    }

    private static let firstLine = "runner owner 1"

    fileprivate init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5, lines[0] == Self.firstLine, lines[4].isEmpty,
            lines[1].hasPrefix("job "), lines[2].hasPrefix("catalog "), lines[3].hasPrefix("database ")
        else { return nil }
        job = String(lines[1].dropFirst(4))
        catalog = String(lines[2].dropFirst(8))
        database = String(lines[3].dropFirst(9))
    }

    fileprivate var text: String {
        // A path may have a line break; then it is not compared.
        let path = database.contains("\n") ? "" : database
        return "\(Self.firstLine)\njob \(job)\ncatalog \(catalog)\ndatabase \(path)\n"
    }
}

extension OutputDirectory {
    /// The file that says whose the directory is, for messages.
    package var ownerPath: String { fullPath(privatePath + "/" + ownerName) }

    /// Whose the directory is; nil where nobody has said so.
    ///
    /// - Throws: why the file can't be read, or that it is none of this program's.
    package func owner() throws(FileError) -> DirectoryOwner? {
        guard let folder = try privateFolder(creating: false) else { return nil }
        let raw = uninterrupted { openat(folder.raw, ownerName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        if raw < 0, errno == ENOENT { return nil }
        guard raw >= 0 else { throw linkAware(.last("read", ownerPath)) }
        let file = Descriptor(owning: raw)
        guard let bytes = readAll(file.raw), let text = String(validating: bytes, as: UTF8.self),
            let owner = DirectoryOwner(text: text)
        else {
            throw FileError(
                operation: "read", path: ownerPath, errno: EINVAL,
                reason: "it does not say whose the directory is; remove it, and the next run takes the directory over")
        }
        return owner
    }

    /// Says whose the directory is. Whoever reads it meanwhile sees the old words or the new ones.
    package func setOwner(_ owner: DirectoryOwner) throws(FileError) {
        guard let folder = try privateFolder(creating: true) else { throw .last("write", ownerPath) }
        let temporary = ownerName + ".new"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let raw = uninterrupted { openat(folder.raw, temporary, flags, 0o600) }
        guard raw >= 0 else { throw linkAware(.last("write", ownerPath)) }
        let file = Descriptor(owning: raw)
        let code = Array(owner.text.utf8).withUnsafeBytes { writeAll($0, to: file.raw, at: 0) }
        guard code == 0 else { throw FileError(operation: "write", path: ownerPath, errno: code) }
        guard fsync(file.raw) == 0 else { throw .last("write", ownerPath) }
        guard renameat(folder.raw, temporary, folder.raw, ownerName) == 0 else { throw .last("write", ownerPath) }
        touch(folder)
    }

    /// Has the directory be nobody's.
    func removeOwner() throws(FileError) {
        guard let folder = try privateFolder(creating: false) else { return }
        for name in [ownerName, ownerName + ".new"] {
            guard unlinkat(folder.raw, name, 0) == 0 || errno == ENOENT else { throw .last("remove", ownerPath) }
        }
    }

    /// Whether a path leads to this directory, by whatever names and links.
    package func isSameDirectory(as path: String) -> Bool {
        var other = stat()
        guard stat(path, &other) == 0, let own = FileInformation(of: root.raw) else { return false }
        return UInt64(other.st_dev) == own.device && UInt64(other.st_ino) == own.inode
    }
}

private let ownerName = "owner"
