internal import Glibc
import System

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

    private var file: Descriptor
    private let folder: Folder
    private let path: String
    /// What stays when the journal is emptied, in bytes from its beginning.
    private var kept: Int64 = 0

    /// Opens the journal of a directory, making it where it is missing.
    package init(in directory: OutputDirectory) throws(FileError) {
        path = directory.fullPath(directory.privatePath + "/journal")
        guard let folder = try directory.privateFolder(creating: true) else { throw .last("open", path) }
        let raw = uninterrupted {
            openat(folder.raw, "journal", O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard raw >= 0 else { throw directory.linkAware(.last("open", path)) }
        file = Descriptor(owning: raw)
        self.folder = folder
    }

    /// Whether a run has been in a directory: each makes the journal.
    package static func exists(in directory: OutputDirectory) -> Bool {
        guard let folder = try? directory.privateFolder(creating: false) else { return false }
        return FileInformation(of: "journal", in: folder.raw) != nil
    }

    /// Appends a batch with one write; `OutputDirectory.flushData` makes it durable with the batch's data.
    package func record(_ intents: [Intent]) throws(FileError) {
        let code = Self.text(of: intents).withBytes { writeAll($0, to: file.raw, at: 0) }
        guard code == 0 else { throw FileError(operation: "write", path: path, errno: code) }
    }

    private static func text(of intents: [Intent]) -> ByteBuffer {
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
        return text
    }

    /// Empties the journal but for what is kept: the catalog has the rows.
    package func clear() throws(FileError) {
        guard uninterrupted({ ftruncate(file.raw, off_t(kept)) }) == 0 else { throw .last("empty", path) }
    }

    /// Keeps what the journal has by now: a later process is to look at it.
    package func keep() throws(FileError) {
        guard let found = FileInformation(of: file.raw) else { throw .last("read", path) }
        kept = found.size
    }

    /// Makes the journal one of these intents, which are kept. At any moment it is the old one or the new one.
    package func replace(with intents: [Intent]) throws(FileError) {
        kept = 0
        guard !intents.isEmpty else { return try clear() }
        let name = "journal.new"
        // One that a process was killed over is nothing yet.
        guard unlinkat(folder.raw, name, 0) == 0 || errno == ENOENT else { throw .last("remove", path) }
        let raw = uninterrupted {
            openat(folder.raw, name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard raw >= 0 else { throw .last("write", path) }
        let new = Descriptor(owning: raw)
        let (code, size) = Self.text(of: intents).withBytes { (writeAll($0, to: raw, at: 0), Int64($0.count)) }
        guard code == 0 else { throw FileError(operation: "write", path: path, errno: code) }
        guard uninterrupted({ fdatasync(raw) }) == 0, renameat(folder.raw, name, folder.raw, "journal") == 0 else {
            throw .last("write", path)
        }
        file = new
        kept = size
    }

    /// What processes that did not end may have left without a row, by path; several where several of them tried one
    /// path. A torn line is passed over: its file had not been touched.
    package func leftovers() throws(FileError) -> [RelativePath: [Intent]] {
        guard let bytes = readAll(file.raw) else { throw .last("read", path) }
        return Self.intents(bytes)
    }

    /// The same of a directory whose journal is neither made nor to be written.
    package static func leftovers(in directory: OutputDirectory) throws(FileError) -> [RelativePath: [Intent]] {
        let path = directory.fullPath(directory.privatePath + "/journal")
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

    /// What other attempts at the shard that a directory is open for are about to publish, or have published, by path.
    /// Whatever can't be read is passed over.
    package static func intentsOfOthers(in directory: OutputDirectory) -> [RelativePath: [Intent]] {
        guard let workspace = directory.workspace, let group = workspace.parent else { return [:] }
        var result: [RelativePath: [Intent]] = [:]
        for name in (try? directory.workspaces(in: group)) ?? [] where name != workspace.last {
            guard let other = try? RelativePath(validating: "\(group.text)/\(name)"),
                let attempt = try? OutputDirectory(path: directory.path, create: false, workspace: other),
                let found = try? leftovers(in: attempt)
            else { continue }
            result.merge(found) { $0 + $1 }
        }
        return result
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
