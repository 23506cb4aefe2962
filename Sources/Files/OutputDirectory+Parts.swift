internal import Glibc
import System

/// A part or note that is stored in an output directory, of this run or left by an earlier one.
package struct StoredPart: Hashable, Sendable {
    /// As given to `PartFile`.
    package let name: String
    /// Bytes stored; 0 where only a note is left.
    package let size: Int64
    /// When it was last written to, whole seconds since 1970.
    package let modified: Int64
}

extension OutputDirectory {
    /// All stored parts, in no order. None where the directory has no `.runner`.
    package func parts() throws(FileError) -> [StoredPart] {
        guard let folder = try partsFolder(creating: false) else { return [] }
        let raw = uninterrupted { openat(folder.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard raw >= 0, let stream = fdopendir(raw) else { throw .last("list", partPath("")) }
        defer { closedir(stream) }
        var found: [String: StoredPart] = [:]
        while let entry = readdir(stream) {
            let file = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard file != ".", file != "..", let information = FileInformation(of: file, in: folder.raw) else {
                continue
            }
            // A note has its part's name and a suffix; part names have no dot.
            let name = String(file.prefix { $0 != "." })
            let isNote = name != file
            if isNote, found[name] != nil { continue }
            found[name] = StoredPart(name: name, size: isNote ? 0 : information.size, modified: information.modified)
        }
        return Array(found.values)
    }

    /// Removes the parts that were last written to before a time, in whole seconds since 1970.
    package func removeParts(writtenBefore time: Int64) throws(FileError) {
        for part in try parts() where part.modified < time && isPartName(part.name) {
            try removePart(part.name)
        }
    }

    /// Removes a part and its note, as far as they are there.
    package func removePart(_ name: String) throws(FileError) {
        guard let folder = try partsFolder(creating: false) else { return }
        // The note first: it must not speak for another body that later gets the same name.
        try removeNote(name)
        _ = unlinkat(folder.raw, name + temporaryNoteSuffix, 0)
        _ = unlinkat(folder.raw, name + secondNameSuffix, 0)
        guard unlinkat(folder.raw, name, 0) == 0 || errno == ENOENT else { throw .last("remove", partPath(name)) }
    }

    /// The size and the note of a part that can be resumed: one whose note says what it is, as far as its bytes are
    /// certain to be on disk. After a restart of the machine only flushed bytes are.
    package func resumable(_ name: String) -> (size: Int64, note: PartNote)? {
        guard let folder = try? partsFolder(creating: false),
            let file = FileInformation(of: name, in: folder.raw), file.isRegular, file.links == 1,
            let saved = SavedNote(of: name, in: folder.raw)
        else { return nil }
        let size = saved.boot == SavedNote.currentBoot ? file.size : min(file.size, saved.flushed)
        guard size > 0, size <= saved.note.totalLength ?? .max else { return nil }
        return (size, saved.note)
    }

    /// The first bytes of a stored part, at most `count`.
    package func beginning(ofPart name: String, count: Int) throws(FileError) -> [UInt8] {
        let folder = try requiredPartsFolder()
        let raw = uninterrupted { openat(folder.raw, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard raw >= 0 else { throw linkAware(.last("read", partPath(name))) }
        let file = Descriptor(owning: raw)
        return try beginning(of: file.raw, count: count, shownAs: partPath(name))
    }

    func beginning(of file: Int32, count: Int, shownAs path: String) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                uninterrupted {
                    Int32(pread(file, buffer.baseAddress?.advanced(by: length), count - length, off_t(length)))
                }
            }
            guard read >= 0 else { throw .last("read", path) }
            if read == 0 { break }
            length += Int(read)
        }
        return Array(bytes.prefix(length))
    }

    /// Opens a complete body that is stored.
    package func readableFile(of part: SealedPart) throws(FileError) -> ReadableFile {
        try ReadableFile(part.name, in: try requiredPartsFolder().raw, shownAs: partPath(part.name))
    }

    /// Makes an empty part; one of the same name that is there gives way.
    func createPart(_ name: String) throws(FileError) -> OpenPart {
        precondition(isPartName(name), "a part's name has only a-z, 0-9 and -")
        let folder = try requiredPartsFolder()
        var raw = create(name, in: folder)
        if raw < 0, errno == EEXIST {
            // Removed rather than emptied: it may be a second name of a published file.
            try removePart(name)
            raw = create(name, in: folder)
        }
        guard raw >= 0 else { throw .last("write", partPath(name)) }
        return OpenPart(raw, name, in: self)
    }

    private func create(_ name: String, in folder: Folder) -> Int32 {
        // As a C string here: a String that is passed as one is copied into an array first.
        name.withCString { name in
            uninterrupted { openat(folder.raw, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666) }
        }
    }

    /// Opens a part that `resumable` returned and cuts it to `size`.
    func reopenPart(_ name: String, size: Int64) throws(FileError) -> OpenPart {
        precondition(isPartName(name), "a part's name has only a-z, 0-9 and -")
        let folder = try requiredPartsFolder()
        let raw = uninterrupted { openat(folder.raw, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard raw >= 0 else { throw linkAware(.last("resume", partPath(name))) }
        let file = OpenPart(raw, name, in: self)
        guard let information = file.information, information.isRegular, information.links == 1,
            information.size >= size
        else {
            throw FileError(
                operation: "resume", path: partPath(name), errno: EINVAL, reason: "the part is not what it was")
        }
        try file.truncate(to: size)
        return file
    }

    func requiredPartsFolder() throws(FileError) -> Folder {
        guard let folder = try partsFolder(creating: true) else { throw .last("open", partPath("")) }
        return folder
    }

    func partPath(_ name: String) -> String { fullPath(privatePath + "/parts/" + name) }
}

/// Whether a file of the program's own may have the name: no dot, which begins a suffix, and no separator.
package func isPartName(_ name: String) -> Bool {
    name.withBytes { bytes in
        (1...200).contains(bytes.count)
            && bytes.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
