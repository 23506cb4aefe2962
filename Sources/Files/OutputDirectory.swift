internal import CLinux
internal import Glibc
import System

/// A job's output directory, opened once: the only way to a file below it.
///
/// Every access is relative to the open directory and follows no symbolic link below it, so a link planted there cannot
/// lead a download elsewhere. `.runner` in it is private to the program: parts, the journal, the lock. All methods may
/// be called from any thread.
///
/// Folders stay open for a while (at most 64): a folder that is moved during a run takes its new files along.
package final class OutputDirectory: Sendable {
    /// The path that the directory was opened by, for messages.
    package let path: String
    /// The folder below ``shardsName`` that is private to one attempt at a shard, `GROUP/NAME`; nil for a run of the whole job.
    package let workspace: RelativePath?
    let root: Folder
    let resolution: PathResolution
    let folders = OpenFolders()

    /// Opens the directory at `path`, which may be reached through symbolic links; with `create` it is made where it is
    /// missing, and its parents with it.
    ///
    /// - Parameter workspace: see ``workspace``; several programs then name files in the directory at the same time.
    package convenience init(path: String, create: Bool, workspace: RelativePath? = nil) throws(FileError) {
        try self.init(path: path, create: create, workspace: workspace, resolution: nil)
    }

    /// The same, with a choice of how paths are followed; nil is for the best that the kernel offers.
    init(
        path: String, create: Bool, workspace: RelativePath? = nil, resolution: PathResolution?
    ) throws(FileError) {
        if create { try Self.makeFolders(path) }
        let raw = uninterrupted { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard raw >= 0 else { throw .last("open", path) }
        self.path = path
        self.workspace = workspace
        self.root = Folder(Descriptor(owning: raw), path: nil)
        self.resolution = resolution ?? .available(below: raw)
    }

    /// What is at a path, or nil where nothing can be reached: missing, behind a symbolic link, or in a folder that may
    /// not be read (publishing there then names the fault). Costs one system call while the folder is open.
    package func information(_ path: RelativePath) -> FileInformation? {
        guard let folder = try? folder(path.parent, creating: false) else { return nil }
        return FileInformation(of: path.last, in: folder.raw)
    }

    /// Reads a whole file. Symbolic links, folders and devices are refused.
    ///
    /// - Parameter isStopped: asked every 256 KiB; once it says so, the file is read no further.
    /// - Throws: `ECANCELED` when it was stopped.
    package func digest(
        of path: RelativePath, unless isStopped: () -> Bool = { false }
    ) throws(FileError) -> SHA256Digest {
        let file = try openForReading(path)
        let size = FileInformation(of: file.raw)?.size ?? 0
        var hasher = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        posix_fadvise(file.raw, 0, 0, POSIX_FADV_SEQUENTIAL)
        var offset: Int64 = 0
        while true {
            let count = uninterrupted { pread(file.raw, buffer.baseAddress, buffer.count, off_t(offset)) }
            guard count >= 0 else { throw .last("read", fullPath(path)) }
            if count == 0 { break }
            if isStopped() {
                throw FileError(
                    operation: "read", path: fullPath(path), errno: ECANCELED, reason: "the run was stopped")
            }
            hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
        guard offset >= size else {
            throw FileError(
                operation: "read", path: fullPath(path), errno: EIO, reason: "the file became shorter meanwhile")
        }
        return hasher.finalize()
    }

    /// Makes everything written so far durable: data and entries of the whole file system that holds the directory.
    package func flushData() throws(FileError) {
        guard clinux_syncfs(root.raw) == 0 else { throw .last("flush", path) }
    }

    /// Makes the names durable that were published, renamed, removed or made since the last call.
    package func flushFolders() throws(FileError) {
        let touched = folders.takeTouched()
        if touched.overflowed { return try flushData() }
        for folder in touched.all where fsync(folder.raw) != 0 {
            // Some file systems have no flush for folders.
            if errno == EINVAL || errno == EROFS { continue }
            let error = FileError.last("flush", fullPath(folder.path))
            // What is left to flush is no longer known.
            folders.touchAll()
            throw error
        }
    }

    /// The path of a file below the directory, for messages.
    func fullPath(_ path: RelativePath?) -> String {
        guard let path else { return self.path }
        return fullPath(path.text)
    }

    func fullPath(_ relative: String) -> String {
        path.hasSuffix("/") ? path + relative : path + "/" + relative
    }

    /// Opens an existing regular file.
    func openForReading(_ path: RelativePath) throws(FileError) -> Descriptor {
        Descriptor(owning: try openToSend(path).descriptor)
    }

    /// The system says "too many levels" of a link that was refused on purpose.
    func linkAware(_ error: FileError) -> FileError {
        guard error.errno == ELOOP else { return error }
        return FileError(
            operation: error.operation, path: error.path, errno: ELOOP, reason: "a symbolic link is in the way")
    }

    private static func makeFolders(_ path: String) throws(FileError) {
        if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .last("make", path)
        }
        try makeFolders(String(path[..<slash]))
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .last("make", path) }
    }
}
