internal import Glibc
import System

// Files that the program keeps for its own use from run to run, such as a downloaded list: `.runner/kept`.
//
// A kept file has a note of a few bytes beside it, which says what it is. The note is removed before the file is
// replaced, and written after: a file without one counts for nothing.
extension OutputDirectory {
    /// A kept file and its note; nil where one of them is missing or can't be read.
    package func kept(_ name: String) -> (file: ReadableFile, note: [UInt8])? {
        precondition(isPartName(name), "a kept file's name has only a-z, 0-9 and -")
        guard let folder = try? keptFolder(creating: false),
            let note = try? ReadableFile(name + keptNoteSuffix, in: folder.raw, shownAs: keptPath(name)),
            let bytes = readAll(note.descriptor),
            let file = try? ReadableFile(name, in: folder.raw, shownAs: keptPath(name))
        else { return nil }
        return (file, bytes)
    }

    /// Replaces the note of a kept file.
    package func writeKeptNote(_ note: [UInt8], of name: String) throws(FileError) {
        guard let folder = try keptFolder(creating: true) else { throw .last("open", keptPath(name)) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let raw = uninterrupted { openat(folder.raw, name + keptNoteSuffix, flags, 0o600) }
        guard raw >= 0 else { throw linkAware(.last("write", keptPath(name))) }
        let file = Descriptor(owning: raw)
        // One that is torn by the end of the process is no note to whoever reads it.
        let code = note.withUnsafeBytes { writeAll($0, to: file.raw, at: 0) }
        guard code == 0 else { throw FileError(operation: "write", path: keptPath(name), errno: code) }
    }

    /// Removes all kept files, and what unfinished ones left, but those of these names.
    package func removeKept(except names: Set<String>) throws(FileError) {
        guard let folder = try keptFolder(creating: false) else { return }
        for file in try entries(of: folder, shownAs: keptPath("")) {
            let name = file.hasSuffix(keptNoteSuffix) ? String(file.dropLast(keptNoteSuffix.count)) : file
            if names.contains(name) { continue }
            guard unlinkat(folder.raw, file, 0) == 0 || errno == ENOENT else { throw .last("remove", keptPath(file)) }
        }
    }

    /// Kept files that count for nothing, with their lengths in bytes: unfinished ones, and a file or a note without the
    /// other. Only while no run works here.
    package func abandonedKept() throws(FileError) -> [(name: String, size: Int64)] {
        guard let folder = try keptFolder(creating: false) else { return [] }
        let names = Set(try entries(of: folder, shownAs: keptPath("")))
        return names.sorted().compactMap { name in
            let stem = String(name.prefix { $0 != "." })
            let isWhole =
                name == stem
                ? names.contains(name + keptNoteSuffix) : name == stem + keptNoteSuffix && names.contains(stem)
            guard !isWhole, isPartName(stem), let found = FileInformation(of: name, in: folder.raw), found.isRegular
            else { return nil }
            return (name, found.size)
        }
    }

    /// Removes a file that ``abandonedKept()`` has returned.
    package func removeAbandonedKept(_ name: String) throws(FileError) {
        precondition(!name.contains("/"), "a kept file's name is one component")
        guard let folder = try keptFolder(creating: false) else { return }
        guard unlinkat(folder.raw, name, 0) == 0 || errno == ENOENT else { throw .last("remove", keptPath(name)) }
    }

    func keptFolder(creating: Bool) throws(FileError) -> Folder? {
        guard let above = try privateFolder(creating: creating) else { return nil }
        return try privateFolder("kept", in: above, shownAs: Self.privateName + "/kept", creating: creating)
    }

    func keptPath(_ name: String) -> String { fullPath(Self.privateName + "/kept/" + name) }
}

let keptNoteSuffix = ".note"
