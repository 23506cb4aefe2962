/// The chunks of a PNG file (W3C PNG, third edition, section 5).
enum PNGStructure {
    static func check(_ source: some ByteSource) throws -> PixelSize? {
        var size: PixelSize?
        var hasData = false
        var offset: Int64 = 8
        while true {
            guard let length = try source.bigEndian(at: offset, count: 4),
                let type = try source.bigEndian(at: offset + 4, count: 4).map({ UInt32($0) })
            else { throw MediaFault("the PNG ends before its last chunk") }
            let name = try name(of: type)
            guard length < 1 << 31 else { throw MediaFault("the PNG's chunk \(name) has an impossible length") }
            let end = offset + 12 + length
            guard end <= source.size else { throw MediaFault("the PNG ends within its chunk \(name)") }
            guard size != nil || type == header else { throw MediaFault("the PNG's first chunk is not IHDR") }
            // Readers pass over a chunk that is not critical when its checksum is wrong; they need the others.
            if isCritical(type), try checksum(source, at: offset + 4, count: 4 + length) != nil {
                throw MediaFault("the PNG's chunk \(name) has another checksum than it says")
            }
            switch type {
            case header where size == nil: size = try pictureSize(source, at: offset + 8, length: length)
            case data: hasData = true
            case self.end:
                guard hasData else { throw MediaFault("the PNG has no picture in it") }
                return size
            default: break
            }
            offset = end
        }
    }

    private static let header = tag("IHDR")
    private static let data = tag("IDAT")
    private static let end = tag("IEND")

    private static func tag(_ name: StaticString) -> UInt32 {
        UnsafeBufferPointer(start: name.utf8Start, count: 4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The case of a type's first letter says whether readers may do without the chunk.
    private static func isCritical(_ type: UInt32) -> Bool { type >> 24 & 0x20 == 0 }

    private static func name(of type: UInt32) throws -> String {
        let letters = (0..<4).map { UInt8(truncatingIfNeeded: type >> (24 - 8 * $0)) }
        guard letters.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) else {
            throw MediaFault("the PNG has bytes between its chunks")
        }
        return String(decoding: letters, as: UTF8.self)
    }

    private static func pictureSize(
        _ source: some ByteSource, at offset: Int64, length: Int64
    ) throws -> PixelSize {
        guard length == 13, let width = try source.bigEndian(at: offset, count: 4),
            let height = try source.bigEndian(at: offset + 4, count: 4), width > 0, height > 0
        else { throw MediaFault("the PNG's header has no size") }
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// The CRC-32 of so many bytes; nil when it is the one that follows them.
    private static func checksum(_ source: some ByteSource, at offset: Int64, count: Int64) throws -> UInt32? {
        var checksum = CRC32()
        var done: Int64 = 0
        while done < count {
            done += try source.withSomeBytes(at: offset + done) { bytes in
                guard !bytes.isEmpty else { throw MediaFault("the PNG became shorter meanwhile") }
                let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: count - done)))
                checksum.update(piece)
                return Int64(piece.count)
            }
        }
        let stated = try source.bigEndian(at: offset + count, count: 4)
        return stated == Int64(checksum.value) ? nil : checksum.value
    }
}
