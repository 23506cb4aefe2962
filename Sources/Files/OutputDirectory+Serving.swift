extension OutputDirectory {
    /// Opens a stored file to send it: a regular file, reached through no symbolic link. The caller closes the descriptor.
    package func openToSend(_ path: RelativePath) throws(FileError) -> (descriptor: Int32, size: Int64) {
        let file = try openForReading(path)
        guard let size = FileInformation(of: file.raw)?.size else { throw .last("read", fullPath(path)) }
        return (file.takeRaw(), size)
    }
}
