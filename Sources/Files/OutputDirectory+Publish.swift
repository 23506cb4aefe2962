internal import CLinux
internal import Glibc
import System

/// What became of a part that was to be published.
package enum Publication: Sendable, Hashable {
    /// The file is at its path, whole.
    case published
    /// A file was there already and was not to be replaced, or a folder: nothing changed, the part is kept.
    case exists
    /// One of its folders is a file: nothing changed, the part is kept.
    case blocked(RelativePath)
}

extension OutputDirectory {
    /// Writes a short body that is in memory still; any other is stored already.
    /// - Parameter modified: the modification time to show, in seconds since 1970; nil for the time of writing.
    /// - Returns: the part as it is to be published.
    /// - Throws: `FileError`; no part is left then.
    package func store(_ part: SealedPart, modified: Int64? = nil) throws(FileError) -> SealedPart {
        guard let held = part.held else {
            if let modified { try touch(part, modified) }
            return part
        }
        do throws(FileError) {
            let file = try createPart(part.name)
            try file.write(held.bytes, at: 0)
            if let modified { file.setModified(modified) }
            try file.close()
        } catch {
            try? removePart(part.name)
            throw error
        }
        return SealedPart(name: part.name, size: part.size, digest: part.digest, hasNote: false)
    }

    /// Makes a part of bytes that the program itself has, to be published.
    /// - Throws: `FileError`; no part is left then.
    package func makePart(_ name: String, _ bytes: [UInt8], _ digest: SHA256Digest) throws(FileError) -> SealedPart {
        do throws(FileError) {
            let file = try createPart(name)
            var code: FileError?
            bytes.withUnsafeBytes { bytes in
                do throws(FileError) { try file.write(bytes, at: 0) } catch { code = error }
            }
            if let code { throw code }
            try file.close()
        } catch {
            try? removePart(name)
            throw error
        }
        return SealedPart(name: name, size: Int64(bytes.count), digest: digest, hasNote: false)
    }

    private func touch(_ part: SealedPart, _ modified: Int64) throws(FileError) {
        let file = try reopenPart(part.name, size: part.size)
        file.setModified(modified)
        try file.close()
    }

    /// Gives a complete body, stored, its name. Whoever looks sees the old file or the new one, never a half.
    /// - Parameter replacing: whether a file at `path` gives way.
    /// - Throws: `FileError`; the part is then kept.
    package func publish(
        _ part: SealedPart, as path: RelativePath, replacing: Bool
    ) throws(FileError) -> Publication {
        precondition(part.held == nil, "a part was published before it was stored")
        let parts = try requiredPartsFolder()
        // Before the part: a note never outlives its part, lest it speak for another body of the same name.
        if part.hasNote { try removeNote(part.name) }
        do throws(FileError) {
            return try move(part.name, from: parts, to: path, replacing: replacing) ? .published : .exists
        } catch {
            if error.errno == EISDIR { return .exists }
            if error.errno == ENOTDIR, let file = firstFile(above: path) { return .blocked(file) }
            throw error
        }
    }

    /// The first of a path's folders that is a file; nil where none is.
    package func firstFile(above path: RelativePath) -> RelativePath? {
        var result: RelativePath?
        var next = path.parent
        while let folder = next {
            if information(folder)?.isRegular == true { result = folder }
            next = folder.parent
        }
        return result
    }

    /// Whether a file has exactly the bytes of a part; it is read to its end.
    package func has(_ part: SealedPart, at path: RelativePath) -> Bool {
        guard let held = part.held else { return (try? digest(of: path)) == part.digest }
        let count = held.bytes.count
        guard let bytes = try? beginning(of: path, count: count + 1), bytes.count == count else { return false }
        return bytes.withUnsafeBytes { count == 0 || memcmp($0.baseAddress!, held.bytes.baseAddress!, count) == 0 }
    }

    /// Removes a file. A file that is not there is removed already.
    package func remove(_ path: RelativePath) throws(FileError) {
        let folder: Folder
        do throws(FileError) {
            folder = try self.folder(path.parent, creating: false)
        } catch {
            if error.isAbsent { return }
            throw error
        }
        if unlinkat(folder.raw, path.last, 0) == 0 {
            touch(folder)
        } else if errno != ENOENT {
            throw .last("remove", fullPath(path))
        }
    }

    /// Copies a published file into a part of the same date, sharing its blocks where the file system can, and hashes what
    /// was copied.
    /// - Throws: `FileError`; no part is left then.
    package func copy(_ source: RelativePath, toPart name: String) throws(FileError) -> SealedPart {
        let input = try openForReading(source)
        let original = FileInformation(of: input.raw)
        let file = try createPart(name)
        do throws(FileError) {
            if clinux_clone_file(input.raw, file.raw) != 0 {
                try copyBytes(from: input.raw, source, to: file)
            }
            guard let size = file.information?.size, size >= original?.size ?? 0 else {
                throw FileError(
                    operation: "copy", path: fullPath(source), errno: EIO, reason: "the file became shorter meanwhile")
            }
            var hasher = SHA256()
            try hashAll(of: file, size: size, into: &hasher)
            if let original { file.setModified(original.modified) }
            try file.close()
            return SealedPart(name: name, size: size, digest: hasher.finalize(), hasNote: false)
        } catch {
            try? removePart(name)
            throw error
        }
    }

    private func copyBytes(from input: Int32, _ source: RelativePath, to file: OpenPart) throws(FileError) {
        // The kernel copies without a detour where both file systems allow; whatever it leaves is read and written.
        while clinux_copy_file_range(input, file.raw, 1 << 30) > 0 {}
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        var offset = Int64(lseek(file.raw, 0, SEEK_CUR))
        while true {
            let count = uninterrupted { pread(input, buffer.baseAddress, buffer.count, off_t(offset)) }
            guard count >= 0 else { throw .last("read", fullPath(source)) }
            if count == 0 { return }
            try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            offset += Int64(count)
        }
    }

    private func hashAll(of file: OpenPart, size: Int64, into hasher: inout SHA256) throws(FileError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        try file.hash(0..<size, into: &hasher, through: buffer)
    }

    /// Moves an entry to `path`; false where that is taken and not to be replaced.
    private func move(
        _ name: String, from source: Folder, to path: RelativePath, replacing: Bool
    ) throws(FileError) -> Bool {
        var isSecondAttempt = false
        while true {
            let folder = try folder(path.parent, creating: true)
            // As C strings here: a String that is passed as one is copied into an array first.
            let result = name.withCString { name in
                path.last.withCString { last in
                    replacing
                        ? renameat(source.raw, name, folder.raw, last)
                        : renameExclusively(name, in: source.raw, to: last, in: folder.raw)
                }
            }
            if result == 0 {
                touch(folder)
                return true
            }
            if errno == EEXIST, !replacing { return false }
            if errno == EXDEV {
                throw FileError(
                    operation: "publish", path: fullPath(path), errno: EXDEV,
                    reason: "another file system is mounted below the output directory, and files can't be moved there")
            }
            guard errno == ENOENT, !isSecondAttempt, let parent = path.parent else {
                throw .last("publish", fullPath(path))
            }
            // The folder may have been removed since it was opened.
            folders.forget(parent)
            isSecondAttempt = true
        }
    }
}

/// Renames where the new name is free; -1 and EEXIST where it is taken.
private func renameExclusively(
    _ name: UnsafePointer<CChar>, in folder: Int32, to newName: UnsafePointer<CChar>, in newFolder: Int32
) -> Int32 {
    if clinux_rename_exclusively(folder, name, newFolder, newName) == 0 { return 0 }
    guard errno == EINVAL || errno == ENOSYS else { return -1 }
    return linkAndUnlink(name, in: folder, to: newName, in: newFolder)
}

/// The same for file systems without such a rename (NFS, many in user space): a second name, which fails where one is
/// taken, then the first one goes.
func linkAndUnlink(
    _ name: UnsafePointer<CChar>, in folder: Int32, to newName: UnsafePointer<CChar>, in newFolder: Int32
) -> Int32 {
    guard linkat(folder, name, newFolder, newName, 0) == 0 else { return -1 }
    // The file is published whether or not the old name goes.
    _ = unlinkat(folder, name, 0)
    return 0
}
