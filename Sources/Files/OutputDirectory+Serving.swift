internal import Glibc

extension OutputDirectory {
    /// Opens a stored file to send it: a regular file, reached through no symbolic link. The caller closes the descriptor.
    package func openToSend(_ path: RelativePath) throws(FileError) -> (descriptor: Int32, size: Int64) {
        try openToSend(path.last, in: try folder(path.parent, creating: false), shownAs: fullPath(path))
    }

    func openToSend(
        _ name: String, in folder: Folder, shownAs path: String
    ) throws(FileError) -> (descriptor: Int32, size: Int64) {
        // O_NONBLOCK: a named pipe must not hold the caller until someone writes to it.
        let raw = uninterrupted { openat(folder.raw, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard raw >= 0 else { throw linkAware(.last("read", path)) }
        let file = Descriptor(owning: raw)
        guard let information = FileInformation(of: raw) else { throw .last("read", path) }
        guard information.isRegular else {
            throw FileError(operation: "read", path: path, errno: EINVAL, reason: "not a regular file")
        }
        return (file.takeRaw(), information.size)
    }
}
