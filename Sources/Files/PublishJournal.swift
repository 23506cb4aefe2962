internal import Glibc

/// What is about to be published or to go, written down before it is: `.runner/journal`.
///
/// Files get their names before the catalog has their rows, and lose them after their rows have gone. When a process ends
/// in between, the journal tells the next one which files that no row claims are its own: those may be replaced, and
/// these removed. Used on one thread at a time.
package final class PublishJournal {
    /// One file that is about to get its name or to lose it.
    package struct Intent: Hashable, Sendable {
        /// The name that the file is to get or to lose.
        package let path: RelativePath
        /// Length in bytes.
        package let size: Int64
        /// Of all its bytes: a file at `path` that has another is someone else's.
        package let digest: SHA256Digest
        /// Whether the file goes when no row claims it, as after a deletion or under one of two names.
        package let isRetirement: Bool

        /// An intent for one file of a batch.
        package init(path: RelativePath, size: Int64, digest: SHA256Digest, isRetirement: Bool = false) {
            self.path = path
            self.size = size
            self.digest = digest
            self.isRetirement = isRetirement
        }
    }

    private let file: Descriptor
    private let path: String

    /// Opens the journal of a directory, making it where it is missing.
    package init(in directory: OutputDirectory) throws(FileError) {
        path = directory.fullPath(OutputDirectory.privateName + "/journal")
        guard let folder = try directory.privateFolder(creating: true) else { throw .last("open", path) }
        let raw = uninterrupted {
            openat(folder.raw, "journal", O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard raw >= 0 else { throw directory.linkAware(.last("open", path)) }
        file = Descriptor(owning: raw)
    }

    /// Whether a run has been in a directory: each makes the journal.
    package static func exists(in directory: OutputDirectory) -> Bool {
        guard let folder = try? directory.privateFolder(creating: false) else { return false }
        return FileInformation(of: "journal", in: folder.raw) != nil
    }

    /// Appends a batch with one write; `OutputDirectory.flushData` makes it durable with the batch's data.
    package func record(_ intents: [Intent]) throws(FileError) {
        // The line break in front ends a line that an earlier write left torn.
        var text = ByteBuffer()
        text.append("\n")
        for intent in intents {
            if intent.isRetirement { text.append("- ") }
            text.append(String(intent.size))
            text.append(" ")
            intent.digest.withHex { text.append($0) }
            text.append(" ")
            text.append(intent.path.text)
            text.append("\n")
        }
        let code = writeAll(text.bytes, to: file.raw, at: 0)
        guard code == 0 else { throw FileError(operation: "write", path: path, errno: code) }
    }

    /// Empties the journal: the catalog has the rows.
    package func clear() throws(FileError) {
        guard uninterrupted({ ftruncate(file.raw, 0) }) == 0 else { throw .last("empty", path) }
    }

    /// What processes that did not end may have left without a row, by path; several where several of them tried one
    /// path. A torn line is passed over: its file had not been touched.
    package func leftovers() throws(FileError) -> [RelativePath: [Intent]] {
        guard let bytes = readAll(file.raw) else { throw .last("read", path) }
        return Self.intents(bytes)
    }

    /// The same of a directory whose journal is neither made nor to be written.
    package static func leftovers(in directory: OutputDirectory) throws(FileError) -> [RelativePath: [Intent]] {
        let path = directory.fullPath(OutputDirectory.privateName + "/journal")
        guard let folder = try directory.privateFolder(creating: false) else { return [:] }
        do throws(FileError) {
            let file = try ReadableFile("journal", in: folder.raw, shownAs: path)
            guard let bytes = readAll(file.descriptor) else { throw .last("read", path) }
            return intents(bytes)
        } catch {
            if error.isAbsent { return [:] }
            throw error
        }
    }

    private static func intents(_ bytes: [UInt8]) -> [RelativePath: [Intent]] {
        // The text behind the last line break is a line that was not written to its end.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        return Dictionary(grouping: lines.compactMap(intent), by: \.path)
    }

    private static func intent(_ line: ArraySlice<UInt8>) -> Intent? {
        guard var text = String(validating: line, as: UTF8.self) else { return nil }
        let isRetirement = text.hasPrefix("- ")
        if isRetirement { text.removeFirst(2) }
        let fields = text.split(separator: " ", maxSplits: 2)
        guard fields.count == 3, let size = Int64(fields[0]), let digest = SHA256Digest(hex: String(fields[1])),
            let path = try? RelativePath(validating: String(fields[2]))
        else { return nil }
        return Intent(path: path, size: size, digest: digest, isRetirement: isRetirement)
    }
}
