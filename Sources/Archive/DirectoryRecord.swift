/// What the central directory says of one entry (APPNOTE.TXT 4.3.12), before anything is compared with it.
struct DirectoryRecord {
    static let length = 46

    let flags: UInt64
    let method: UInt64
    let checksum: UInt64
    let packedSize: Int64
    let size: Int64
    let headerOffset: Int64
    /// The bytes of the name, which the entry's own header must repeat.
    let rawName: ArraySlice<UInt8>
    /// As text, NUL still in it.
    let fullName: String
    private let madeBy: UInt64
    private let attributes: UInt64

    /// Reads the next record.
    init(_ bytes: inout LittleEndian, number: Int) throws(ArchiveError) {
        guard let head = bytes.bytes(Self.length), head.starts(with: [0x50, 0x4B, 1, 2]) else {
            throw ArchiveError(.damagedDirectory, "record \(number) is no directory record")
        }
        var fields = LittleEndian(head.dropFirst(4))
        madeBy = fields.next(2) >> 8
        _ = fields.next(2)
        flags = fields.next(2)
        method = fields.next(2)
        _ = fields.next(4)
        checksum = fields.next(4)
        var packedSize = fields.next(4)
        var size = fields.next(4)
        let nameLength = Int(fields.next(2))
        let extraLength = Int(fields.next(2))
        let commentLength = Int(fields.next(2))
        let disk = fields.next(2)
        _ = fields.next(2)
        attributes = fields.next(4)
        var offset = fields.next(4)
        guard let rawName = bytes.bytes(nameLength), let extra = bytes.bytes(extraLength),
            bytes.bytes(commentLength) != nil
        else { throw ArchiveError(.damagedDirectory, "record \(number) runs over the directory's end") }
        self.rawName = rawName
        guard let extras = ExtraFields(extra) else {
            throw ArchiveError(.damagedDirectory, "an extra field of record \(number) runs over its end")
        }
        fullName = EntryName.text(rawName, isUTF8: flags & 0x800 != 0, unicodePaths: extras.all(0x7075))
        guard nameLength <= ArchiveLimits.nameBytes, fullName.utf8.count <= ArchiveLimits.nameBytes else {
            throw ArchiveError(
                .nameTooLong,
                "record \(number) has a name of \(nameLength) bytes, \(ArchiveLimits.nameBytes) are allowed")
        }
        var long = LittleEndian(extras.first(1))
        size = try Self.long(size, "size", &long, number)
        packedSize = try Self.long(packedSize, "packed size", &long, number)
        offset = try Self.long(offset, "offset", &long, number)
        guard disk == 0 || (disk == 0xFFFF && long.bytes(4)?.allSatisfy { $0 == 0 } == true) else {
            throw ArchiveError(.multipleDisks, "entry '\(fullName)' is on disk \(disk)")
        }
        guard let size = Int64(exactly: size), let packed = Int64(exactly: packedSize),
            let offset = Int64(exactly: offset)
        else { throw ArchiveError(.outOfBounds, "entry '\(fullName)' is over 2^63 bytes") }
        self.size = size
        self.packedSize = packed
        headerOffset = offset
    }

    /// A field of 32 bits, or the one of 64 that all ones point to (APPNOTE.TXT 4.5.3).
    private static func long(
        _ short: UInt64, _ name: String, _ field: inout LittleEndian, _ number: Int
    ) throws(ArchiveError) -> UInt64 {
        guard short == 0xFFFF_FFFF else { return short }
        guard var bytes = field.bytes(8).map(LittleEndian.init) else {
            throw ArchiveError(.damagedDirectory, "the ZIP64 field of record \(number) lacks the \(name)")
        }
        return bytes.next(8)
    }

    /// Bit 3: sizes and checksum follow the data; its own header need not have them.
    var hasDescriptor: Bool { flags & 8 != 0 }

    /// Bits 0 and 6, and the method 99 of AES.
    var isEncrypted: Bool { flags & 0x41 != 0 || method == 99 }

    var isFolder: Bool { rawName.last == UInt8(ascii: "/") || fullName.hasSuffix("/") }

    /// By the mode that Unix programs keep in the upper half of the attributes.
    var isSymbolicLink: Bool { (madeBy == 3 || madeBy == 19) && attributes >> 28 == 0xA }
}

/// The extra fields of a header (APPNOTE.TXT 4.5).
struct ExtraFields {
    private var fields: [(number: UInt64, bytes: ArraySlice<UInt8>)] = []

    /// nil when a field runs over the end. Fewer bytes than a field's head has are padding.
    init?(_ bytes: ArraySlice<UInt8>) {
        var bytes = LittleEndian(bytes)
        while bytes.rest.count >= 4 {
            let number = bytes.next(2)
            guard let field = bytes.bytes(Int(bytes.next(2))) else { return nil }
            fields.append((number, field))
        }
    }

    /// The fields of that number, without their heads, in order.
    func all(_ number: UInt64) -> [ArraySlice<UInt8>] {
        fields.filter { $0.number == number }.map(\.bytes)
    }

    /// The first field of that number, empty where there is none.
    func first(_ number: UInt64) -> ArraySlice<UInt8> {
        fields.first { $0.number == number }?.bytes ?? []
    }
}
