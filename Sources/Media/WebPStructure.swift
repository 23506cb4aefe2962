/// The chunks of a WebP file (RFC 9649, section 2).
enum WebPStructure {
    static func check(_ source: some ByteSource) throws -> PixelSize? {
        guard let length = try source.littleEndian(at: 4, count: 4) else {
            throw MediaFault("the WebP ends within its header")
        }
        guard 8 + length <= source.size else { throw MediaFault("the WebP ends before the length it says") }
        guard let chunk = try source.littleEndian(at: 16, count: 4), 20 + chunk <= 8 + length else {
            throw MediaFault("the WebP's first chunk is longer than the file")
        }
        let size: PixelSize?
        if try source.has("VP8X", at: 12) {
            size = try extended(source)
        } else if try source.has("VP8L", at: 12) {
            size = try lossless(source)
        } else if try source.has("VP8 ", at: 12) {
            size = try lossy(source)
        } else {
            throw MediaFault("the WebP has no picture in it")
        }
        guard let size else { throw MediaFault("the WebP's header has no size") }
        return size
    }

    private static func extended(_ source: some ByteSource) throws -> PixelSize? {
        guard let width = try source.littleEndian(at: 24, count: 3),
            let height = try source.littleEndian(at: 27, count: 3)
        else { return nil }
        return PixelSize(width: Int(width) + 1, height: Int(height) + 1)
    }

    private static func lossless(_ source: some ByteSource) throws -> PixelSize? {
        guard try source.byte(at: 20) == 0x2F, let bits = try source.littleEndian(at: 21, count: 4) else { return nil }
        return PixelSize(width: Int(bits & 0x3FFF) + 1, height: Int(bits >> 14 & 0x3FFF) + 1)
    }

    /// The frame header of a key frame (RFC 6386, section 9.1).
    private static func lossy(_ source: some ByteSource) throws -> PixelSize? {
        guard try source.bigEndian(at: 23, count: 3) == 0x9D012A, let width = try source.littleEndian(at: 26, count: 2),
            let height = try source.littleEndian(at: 28, count: 2)
        else { return nil }
        return PixelSize(width: Int(width & 0x3FFF), height: Int(height & 0x3FFF))
    }
}
