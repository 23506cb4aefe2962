/// An entry's own header, in front of its data (APPNOTE.TXT 4.3.7).
struct LocalHeader {
    private static let length = 30

    /// Where its data ends.
    let dataEnd: Int64
    /// Whether it has another name than the directory.
    let isRenamed: Bool
    /// How else it differs from what the directory says; nil when it doesn't.
    let contradiction: String?

    /// Reads the header that a record leads to, which must lie before `limit` with its data.
    init(of record: DirectoryRecord, in file: FileReader, before limit: Int64) throws(ArchiveError) {
        let name = record.fullName
        guard record.headerOffset <= limit - Int64(Self.length) else {
            throw ArchiveError(
                .outOfBounds, "the header of entry '\(name)' would be at \(record.headerOffset)", entry: name)
        }
        let head = try file.bytes(Self.length, at: record.headerOffset)
        guard head.starts(with: [0x50, 0x4B, 3, 4]) else {
            throw ArchiveError(
                .damagedDirectory, "entry '\(name)' has no header at \(record.headerOffset)", entry: name)
        }
        var fields = LittleEndian(head[6...])
        let flags = fields.next(2)
        let method = fields.next(2)
        _ = fields.next(4)
        let checksum = fields.next(4)
        let packedSize = fields.next(4)
        let size = fields.next(4)
        let nameLength = Int(fields.next(2))
        let extraLength = Int(fields.next(2))
        let dataStart = record.headerOffset + Int64(Self.length + nameLength + extraLength)
        let (dataEnd, isOver) = dataStart.addingReportingOverflow(record.packedSize)
        guard !isOver, dataEnd <= limit else {
            throw ArchiveError(
                .outOfBounds, "entry '\(name)' would have \(record.packedSize) bytes at \(dataStart)", entry: name)
        }
        self.dataEnd = dataEnd
        let tail = try file.bytes(nameLength + extraLength, at: record.headerOffset + Int64(Self.length))
        isRenamed = !tail[..<nameLength].elementsEqual(record.rawName)
        guard let extras = ExtraFields(tail[nameLength...]) else {
            contradiction = "an extra field runs over its end"
            return
        }
        var long = LittleEndian(extras.first(1))
        let sizes = [size, packedSize].map { short -> UInt64? in
            guard short == 0xFFFF_FFFF else { return short }
            guard var bytes = long.bytes(8).map(LittleEndian.init) else { return nil }
            return bytes.next(8)
        }
        // With a descriptor behind the data these may be 0, or what they were hoped to be.
        let mayLack = record.hasDescriptor && flags & 8 != 0
        contradiction =
            if method != record.method {
                "the header has the compression \(method), the directory \(record.method)"
            } else if flags & 1 != record.flags & 1 {
                "only one of header and directory calls it encrypted"
            } else if !mayLack, sizes != [UInt64(record.size), UInt64(record.packedSize)] {
                "the header has other sizes than the directory"
            } else if !mayLack, checksum != record.checksum {
                "the header has another CRC-32 than the directory"
            } else {
                nil
            }
    }
}
