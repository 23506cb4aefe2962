/// Makes ZIP files of stored entries, sound ones and such that lie.
package struct ZipFile {
    /// One entry, with what its headers claim.
    package struct Entry {
        package var name: [UInt8]
        package var data: [UInt8]
        package var flags: UInt64 = 0x800
        package var method: UInt64 = 0
        /// nil: the truth.
        package var claimedSize: Int?
        package var claimedPackedSize: Int?
        /// The size in an extra field of 64 bits, in place of that one (APPNOTE.TXT 4.5.3).
        package var claimedLongSize: Int?
        package var checksum: UInt32?
        /// Where the directory says that the header is; nil: where it is.
        package var offset: Int?
        /// The name in the entry's own header; nil: the same.
        package var localName: [UInt8]?
        /// The Unix mode.
        package var mode: UInt64 = 0o100644

        package init(_ name: String, _ data: String = "") {
            self.init(Array(name.utf8), Array(data.utf8))
        }

        package init(_ name: [UInt8], _ data: [UInt8]) {
            self.name = name
            self.data = data
        }
    }

    package var entries: [Entry]
    package var comment: [UInt8] = []

    package init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// A sound file of these texts.
    package init(_ files: KeyValuePairs<String, String>) {
        entries = files.map { Entry($0.key, $0.value) }
    }

    /// The file.
    package var bytes: [UInt8] {
        var file: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let offset = entry.offset ?? file.count
            let name = entry.localName ?? entry.name
            file += [0x50, 0x4B, 3, 4] + number(20, 2) + common(entry) + number(name.count, 2)
            file += number(extra(entry).count, 2) + name + extra(entry)
            file += entry.data
            directory += [0x50, 0x4B, 1, 2] + number(0x314, 2) + number(20, 2) + common(entry)
            directory += number(entry.name.count, 2) + number(extra(entry).count, 2) + number(0, 6)
            directory += number(entry.mode << 16, 4) + number(offset, 4) + entry.name + extra(entry)
        }
        let end =
            [0x50, 0x4B, 5, 6] + number(0, 4) + number(entries.count, 2) + number(entries.count, 2)
            + number(directory.count, 4) + number(file.count, 4) + number(comment.count, 2)
        return file + directory + end + comment
    }

    private func extra(_ entry: Entry) -> [UInt8] {
        entry.claimedLongSize.map { number(1, 2) + number(8, 2) + number($0, 8) } ?? []
    }

    private func common(_ entry: Entry) -> [UInt8] {
        number(entry.flags, 2) + number(entry.method, 2) + number(0x5821_0000, 4)
            + number(entry.checksum ?? crc32(entry.data), 4) + number(entry.claimedPackedSize ?? entry.data.count, 4)
            + number(entry.claimedLongSize == nil ? entry.claimedSize ?? entry.data.count : 0xFFFF_FFFF, 4)
    }

    private func number(_ value: some BinaryInteger, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: UInt64(value) >> (8 * $0)) : 0 }
    }
}

/// The CRC-32 of ISO 3309.
func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(0xFFFF_FFFF as UInt32) { remainder, byte in
        (0..<8).reduce(remainder ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
}
