internal import Glibc
import System

/// What must be known of a part to ask a server for its rest, and for nothing else (RFC 9110, section 14.4).
package struct PartNote: Hashable, Sendable {
    /// What the server must still agree to for the rest to fit.
    package enum Validator: Hashable, Sendable {
        /// A strong entity tag, verbatim with its quotes.
        case etag(String)
        /// A Last-Modified date, verbatim, where it is strong (RFC 9110, section 8.8.2.2).
        case lastModified(String)
    }

    /// Where the body comes from, after redirects or before: as the caller will ask again.
    package let url: String
    /// Sent as If-Range.
    package let validator: Validator
    /// Length of the whole body, if the server gave it.
    package var totalLength: Int64?

    /// A text with a line break, which no URL or header has, cannot be stored: the part is then not resumable.
    package init(url: String, validator: Validator, totalLength: Int64?) {
        self.url = url
        self.validator = validator
        self.totalLength = totalLength
    }
}

/// A note as it is stored beside its part, one field a line, with what the disk is known to hold.
struct SavedNote: Equatable {
    let note: PartNote
    /// Names the system's start that the part was written under: what it wrote is readable until the next.
    let boot: String
    /// How many bytes survive a loss of power.
    let flushed: Int64

    private static let firstLine = "runner part 1"
    private static let lastLine = "end"

    init(note: PartNote, boot: String, flushed: Int64) {
        self.note = note
        self.boot = boot
        self.flushed = flushed
    }

    /// Reads the note of a part; nil where it is missing or not whole.
    init?(of name: String, in folder: Int32) {
        let raw = uninterrupted { openat(folder, name + noteSuffix, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard raw >= 0 else { return nil }
        let file = Descriptor(owning: raw)
        guard let bytes = readAll(file.raw), let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.init(text: text)
    }

    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first == Self.firstLine[...], lines.suffix(2) == [Self.lastLine[...], ""] else { return nil }
        var fields: [Substring: String] = [:]
        for line in lines.dropFirst().dropLast(2) {
            guard let space = line.firstIndex(of: " ") else { return nil }
            fields[line[..<space]] = String(line[line.index(after: space)...])
        }
        guard let url = fields["url"], let boot = fields["boot"], let flushed = fields["flushed"].flatMap(Int64.init)
        else { return nil }
        let validator: PartNote.Validator
        if let etag = fields["etag"] {
            validator = .etag(etag)
        } else if let date = fields["last-modified"] {
            validator = .lastModified(date)
        } else {
            return nil
        }
        var totalLength: Int64?
        if let length = fields["length"] {
            guard let number = Int64(length) else { return nil }
            totalLength = number
        }
        self.init(
            note: PartNote(url: url, validator: validator, totalLength: totalLength), boot: boot, flushed: flushed)
    }

    /// Nil where a field has a line break, which no URL or header has.
    var text: String? {
        var lines = [Self.firstLine, "url " + note.url]
        switch note.validator {
        case .etag(let etag): lines.append("etag " + etag)
        case .lastModified(let date): lines.append("last-modified " + date)
        }
        if let length = note.totalLength { lines.append("length \(length)") }
        lines += ["boot " + boot, "flushed \(flushed)", Self.lastLine]
        guard !lines.contains(where: { $0.utf8.contains(UInt8(ascii: "\n")) }) else { return nil }
        return lines.joined(separator: "\n") + "\n"
    }

    /// This start of the system. Where that is unknown, a text that equals no stored one.
    static let currentBoot: String = {
        let raw = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else { return "unknown \(wallClockMicroseconds())" }
        let file = Descriptor(owning: raw)
        let text = String(decoding: readAll(file.raw) ?? [], as: UTF8.self)
        return String(text.prefix { !$0.isNewline })
    }()
}

/// Part names have no dot, so no part is taken for a note.
let noteSuffix = ".note"
let temporaryNoteSuffix = ".note.new"

extension OutputDirectory {
    /// Stores a note beside its part, whole or not at all; with `durably` the note, and the part's name with it, survives
    /// a loss of power. False where the note cannot be written down as text: its part is left without.
    func saveNote(_ saved: SavedNote, of name: String, durably: Bool) throws(FileError) -> Bool {
        guard let text = saved.text else { return false }
        let folder = try requiredPartsFolder()
        let path = partPath(name + noteSuffix)
        let temporary = name + temporaryNoteSuffix
        let raw = uninterrupted {
            openat(folder.raw, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        }
        guard raw >= 0 else { throw .last("write", path) }
        let file = Descriptor(owning: raw)
        let code = Array(text.utf8).withUnsafeBytes { writeAll($0, to: file.raw, at: 0) }
        guard code == 0 else { throw FileError(operation: "write", path: path, errno: code) }
        if durably, uninterrupted({ fdatasync(file.raw) }) != 0 { throw .last("flush", path) }
        guard renameat(folder.raw, temporary, folder.raw, name + noteSuffix) == 0 else { throw .last("write", path) }
        // Not every file system has a flush for folders; without it the part is started over after a loss of power.
        if durably { _ = fsync(folder.raw) }
        return true
    }

    func removeNote(_ name: String) throws(FileError) {
        guard let folder = try partsFolder(creating: false) else { return }
        guard unlinkat(folder.raw, name + noteSuffix, 0) == 0 || errno == ENOENT else {
            throw .last("remove", partPath(name + noteSuffix))
        }
    }
}
