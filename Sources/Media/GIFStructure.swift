/// The blocks of a GIF file (GIF89a specification).
enum GIFStructure {
    static func check(_ source: some ByteSource) throws -> PixelSize? {
        guard let width = try source.littleEndian(at: 6, count: 2),
            let height = try source.littleEndian(at: 8, count: 2),
            let flags = try source.byte(at: 10)
        else { throw MediaFault("the GIF ends within its header") }
        var offset = 13 + colourTableLength(flags)
        var pictures = 0
        while let block = try source.byte(at: offset) {
            switch block {
            case 0x21:
                offset = try endOfBlocks(source, from: offset + 2)
            case 0x2C:
                guard let flags = try source.byte(at: offset + 9) else {
                    throw MediaFault("the GIF ends within a picture")
                }
                // Position and size, perhaps colours, and the size of a code precede the blocks.
                offset = try endOfBlocks(source, from: offset + 10 + colourTableLength(flags) + 1)
                pictures += 1
            default:
                // 3B is the end. Something else is behind it where the end was left out, which viewers don't mind.
                guard pictures > 0 else { throw MediaFault("the GIF has no picture in it") }
                return PixelSize(width: Int(width), height: Int(height))
            }
        }
        guard pictures > 0 else { throw MediaFault("the GIF ends before its picture") }
        return PixelSize(width: Int(width), height: Int(height))
    }

    private static func colourTableLength(_ flags: UInt8) -> Int64 {
        flags & 0x80 == 0 ? 0 : 3 << (Int64(flags & 7) + 1)
    }

    /// Where the blocks end that begin with their length each, with an empty one last.
    private static func endOfBlocks(_ source: some ByteSource, from start: Int64) throws -> Int64 {
        var offset = start
        while let length = try source.byte(at: offset) {
            offset += 1 + Int64(length)
            if length == 0 { return offset }
        }
        throw MediaFault("the GIF ends within a picture")
    }
}
