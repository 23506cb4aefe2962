/// The boxes of an AVIF or HEIC file (ISO/IEC 14496-12, 4.2; 23008-12).
enum ISOMediaStructure {
    static func check(_ source: some ByteSource, name: String) throws -> PixelSize? {
        var offset: Int64 = 0
        var size: PixelSize?
        var hasMetadata = false
        var hasData = false
        while offset < source.size {
            guard let box = try Box(source, at: offset, limit: source.size) else {
                // What begins no box is something added behind the end.
                if hasMetadata && hasData { break }
                throw MediaFault("the \(name) ends before its picture")
            }
            guard box.end <= source.size else {
                if hasMetadata, hasData, box.name != "mdat" { break }
                throw MediaFault("the \(name) ends within its box \(box.name)")
            }
            if box.name == "meta" {
                hasMetadata = true
                // A version and flags stand before the boxes in it.
                size = try largest(source, box.content + 4..<max(box.content + 4, box.end), depth: 0)
            }
            if box.name == "moov" { hasMetadata = true }
            if box.name == "mdat" { hasData = true }
            offset = box.end
        }
        guard hasMetadata, hasData else { throw MediaFault("the \(name) ends before its picture") }
        return size
    }

    private struct Box {
        let name: String
        let content: Int64
        let end: Int64

        /// Nil where no box can begin.
        init?(_ source: some ByteSource, at offset: Int64, limit: Int64) throws {
            guard var length = try source.bigEndian(at: offset, count: 4),
                let letters = try source.withBytes(
                    at: offset + 4, count: 4,
                    { bytes in
                        bytes.count == 4 && bytes.allSatisfy { (0x20...0x7E).contains($0) } ? Array(bytes) : nil
                    })
            else { return nil }
            var header: Int64 = 8
            if length == 1 {
                guard let long = try source.bigEndian(at: offset + 8, count: 8) else { return nil }
                (length, header) = (long, 16)
            } else if length == 0 {
                // It lasts to the end of what it is in.
                length = limit - offset
            }
            guard length >= header, length < 1 << 48 else { return nil }
            name = String(decoding: letters, as: UTF8.self)
            content = offset + header
            end = offset + length
        }
    }

    /// The largest picture of the properties: tiles and thumbnails are smaller.
    private static func largest(
        _ source: some ByteSource, _ range: Range<Int64>, depth: Int
    ) throws -> PixelSize? {
        var result: PixelSize?
        var offset = range.lowerBound
        while offset < range.upperBound, let box = try Box(source, at: offset, limit: range.upperBound),
            box.end <= range.upperBound
        {
            var found: PixelSize?
            if box.name == "ispe", let width = try source.bigEndian(at: box.content + 4, count: 4),
                let height = try source.bigEndian(at: box.content + 8, count: 4)
            {
                found = PixelSize(width: Int(width), height: Int(height))
            } else if depth < 2, box.name == "iprp" || box.name == "ipco" {
                found = try largest(source, box.content..<box.end, depth: depth + 1)
            }
            if let found, found.area >= result?.area ?? 0 { result = found }
            offset = box.end
        }
        return result
    }
}
