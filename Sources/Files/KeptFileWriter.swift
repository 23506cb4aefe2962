internal import Glibc
import System

/// A kept file on its way: written under a name that nobody looks for, and renamed when it is whole.
///
/// Used on one thread at a time.
package final class KeptFileWriter {
    private let directory: OutputDirectory
    private let folder: Folder
    private let name: String
    private let unfinishedName: String
    private let file: Descriptor
    /// Bytes so far.
    package private(set) var size: Int64 = 0
    private var isCommitted = false

    /// Begins a file of that name, which has only a-z, 0-9 and `-`.
    ///
    /// - Parameter number: tells writers of one name apart.
    package init(in directory: OutputDirectory, name: String, number: Int) throws(FileError) {
        precondition(isPartName(name), "a kept file's name has only a-z, 0-9 and -")
        guard let folder = try directory.keptFolder(creating: true) else {
            throw .last("open", directory.keptPath(name))
        }
        self.directory = directory
        self.folder = folder
        self.name = name
        unfinishedName = "\(name).\(number)"
        let flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let raw = uninterrupted { [unfinishedName] in openat(folder.raw, unfinishedName, flags, 0o600) }
        guard raw >= 0 else { throw directory.linkAware(.last("write", directory.keptPath(unfinishedName))) }
        file = Descriptor(owning: raw)
    }

    deinit {
        if !isCommitted { unlinkat(folder.raw, unfinishedName, 0) }
    }

    /// Appends bytes.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        let code = writeAll(bytes, to: file.raw, at: size)
        guard code == 0 else {
            throw FileError(operation: "write", path: directory.keptPath(unfinishedName), errno: code)
        }
        size += Int64(bytes.count)
    }

    /// Begins the file anew.
    package func restart() throws(FileError) {
        guard ftruncate(file.raw, 0) == 0 else { throw .last("empty", directory.keptPath(unfinishedName)) }
        size = 0
    }

    /// Gives the file its name in place of what has it, with its note, and opens it for reading. It is flushed first,
    /// which blocks: a note never speaks for bytes that a crash of the machine loses.
    package func commit(note: [UInt8]) throws(FileError) -> ReadableFile {
        guard fdatasync(file.raw) == 0 else { throw .last("flush", directory.keptPath(unfinishedName)) }
        guard unlinkat(folder.raw, name + keptNoteSuffix, 0) == 0 || errno == ENOENT else {
            throw .last("remove", directory.keptPath(name))
        }
        guard renameat(folder.raw, unfinishedName, folder.raw, name) == 0 else {
            throw .last("rename", directory.keptPath(unfinishedName))
        }
        isCommitted = true
        let readable = try ReadableFile(name, in: folder.raw, shownAs: directory.keptPath(name))
        try directory.writeKeptNote(note, of: name)
        return readable
    }
}
