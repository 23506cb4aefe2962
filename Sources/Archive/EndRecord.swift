/// Where a ZIP file has its central directory, from the records at its end (APPNOTE.TXT 4.3.14 to 4.3.16).
///
/// Everything must fit without a gap: directory, ZIP64 record and locator where there are some, end record, comment, end
/// of the file. A file that can be read in two ways is refused.
struct EndRecord: Equatable {
    let entries: Int
    let offset: Int64
    let size: Int64

    private static let length = 22
    private static let longestComment = 0xFFFF
    private static let locatorLength = 20

    init(of file: FileReader, limits: ArchiveLimits) throws(ArchiveError) {
        let tailLength = Int(min(file.size, Int64(Self.length + Self.longestComment)))
        let tail = try file.bytes(tailLength, at: file.size - Int64(tailLength))
        guard let start = Self.lastSignature(in: tail) else {
            throw ArchiveError(.notAnArchive, "it has no end record of a ZIP file; perhaps it is cut short")
        }
        let position = file.size - Int64(tailLength - start)
        var record = LittleEndian(tail[(start + 4)...])
        let disks = (record.next(2), record.next(2))
        let entriesHere = record.next(2)
        let entries = record.next(2)
        let size = record.next(4)
        let offset = record.next(4)
        let comment = record.next(2)
        guard record.rest.count == Int(comment) else {
            throw ArchiveError(
                .damagedDirectory,
                "the end record announces a comment of \(comment) bytes, \(record.rest.count) follow it")
        }

        var fields = Fields(entriesHere: entriesHere, entries: entries, size: size, offset: offset)
        var end = position
        if let (long, start) = try Self.longRecord(before: position, in: file) {
            // A short field is the long one, or all ones to point to it.
            guard fields.agrees(with: long), [0, 0xFFFF].contains(disks.0), [0, 0xFFFF].contains(disks.1) else {
                throw ArchiveError(.damagedDirectory, "the end record and its ZIP64 form contradict each other")
            }
            fields = long
            end = start
        } else if disks != (0, 0) {
            throw ArchiveError(.multipleDisks, "it is disk \(disks.0) of an archive on several")
        }
        guard fields.entriesHere == fields.entries else {
            throw ArchiveError(.multipleDisks, "\(fields.entriesHere) of \(fields.entries) entries are in this file")
        }
        guard fields.entries <= UInt64(max(0, limits.entries)) else {
            throw ArchiveError(.tooManyEntries, "\(fields.entries) entries, at most \(limits.entries) are allowed")
        }
        guard fields.size <= UInt64(ArchiveLimits.directoryBytes), fields.offset <= UInt64(end),
            Int64(fields.offset) + Int64(fields.size) == end
        else {
            throw ArchiveError(
                .damagedDirectory, "a directory of \(fields.size) bytes at \(fields.offset) does not end at \(end)")
        }
        self.entries = Int(fields.entries)
        self.offset = Int64(fields.offset)
        self.size = Int64(fields.size)
    }

    private struct Fields {
        var entriesHere: UInt64
        var entries: UInt64
        var size: UInt64
        var offset: UInt64

        func agrees(with long: Fields) -> Bool {
            (entriesHere == 0xFFFF || entriesHere == long.entriesHere) && (entries == 0xFFFF || entries == long.entries)
                && (size == 0xFFFF_FFFF || size == long.size) && (offset == 0xFFFF_FFFF || offset == long.offset)
        }
    }

    private static func lastSignature(in tail: [UInt8]) -> Int? {
        guard tail.count >= length else { return nil }
        return (0...(tail.count - length)).last { tail[$0...].starts(with: [0x50, 0x4B, 5, 6]) }
    }

    /// The ZIP64 record that the locator before the end record leads to, and where it begins.
    private static func longRecord(
        before position: Int64, in file: FileReader
    ) throws(ArchiveError) -> (Fields, start: Int64)? {
        let locatorStart = position - Int64(locatorLength)
        guard locatorStart >= 0 else { return nil }
        let locator = try file.bytes(locatorLength, at: locatorStart)
        guard locator.starts(with: [0x50, 0x4B, 6, 7]) else { return nil }
        var bytes = LittleEndian(locator[4...])
        let disk = bytes.next(4)
        let offset = bytes.next(8)
        guard disk == 0, bytes.next(4) <= 1 else {
            throw ArchiveError(.multipleDisks, "the ZIP64 locator names several disks")
        }
        let misplaced = ArchiveError(.damagedDirectory, "the ZIP64 locator does not lead to a ZIP64 end record")
        guard locatorStart >= 56, offset <= UInt64(locatorStart - 56) else { throw misplaced }
        let record = try file.bytes(56, at: Int64(offset))
        bytes = LittleEndian(record[4...])
        guard record.starts(with: [0x50, 0x4B, 6, 6]), bytes.next(8) == UInt64(locatorStart) - offset - 12 else {
            throw misplaced
        }
        // Versions, which say nothing that matters here.
        _ = bytes.next(4)
        guard bytes.next(4) == 0, bytes.next(4) == 0 else {
            throw ArchiveError(.multipleDisks, "the ZIP64 end record names several disks")
        }
        let fields = Fields(
            entriesHere: bytes.next(8), entries: bytes.next(8), size: bytes.next(8), offset: bytes.next(8))
        return (fields, Int64(offset))
    }
}
