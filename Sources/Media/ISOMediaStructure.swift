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
                if hasMetadata, hasData, !box.is("mdat") { break }
                throw MediaFault("the \(name) ends within its box \(box.name)")
            }
            if box.is("meta") {
                hasMetadata = true
                // A version and flags precede the boxes in it.
                size = try largest(source, box.content + 4..<max(box.content + 4, box.end), depth: 0)
            }
            if box.is("moov") { hasMetadata = true }
            if box.is("mdat") { hasData = true }
            offset = box.end
        }
        guard hasMetadata, hasData else { throw MediaFault("the \(name) ends before its picture") }
        return size
    }

    private struct Box {
        /// Four letters.
        let type: UInt32
        let content: Int64
        let end: Int64

        /// Nil where no box can begin.
        init?(_ source: some ByteSource, at offset: Int64, limit: Int64) throws {
            typealias Head = (length: Int64, type: UInt32, long: Int64)
            let head = try source.withBytes(at: offset, count: 16) { bytes -> Head? in
                guard bytes.count >= 8, bytes[4..<8].allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
                let long = bytes.count == 16 ? Int64(bitPattern: Self.number(bytes[8..<16])) : -1
                return (Int64(Self.number(bytes[..<4])), UInt32(Self.number(bytes[4..<8])), long)
            }
            guard let head else { return nil }
            var length = head.length
            var header: Int64 = 8
            if length == 1 {
                (length, header) = (head.long, 16)
            } else if length == 0 {
                // It lasts to the end of what it is in.
                length = limit - offset
            }
            guard length >= header, length < 1 << 48 else { return nil }
            type = head.type
            content = offset + header
            end = offset + length
        }

        var name: String {
            String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: type >> (24 - 8 * $0)) }, as: UTF8.self)
        }

        func `is`(_ name: StaticString) -> Bool {
            type == UnsafeBufferPointer(start: name.utf8Start, count: 4).reduce(0) { $0 << 8 | UInt32($1) }
        }

        /// The highest byte first.
        private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
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
            if box.is("ispe"), let width = try source.bigEndian(at: box.content + 4, count: 4),
                let height = try source.bigEndian(at: box.content + 8, count: 4)
            {
                found = PixelSize(width: Int(width), height: Int(height))
            } else if depth < 2, box.is("iprp") || box.is("ipco") {
                found = try largest(source, box.content..<box.end, depth: depth + 1)
            }
            if let found, found.area >= result?.area ?? 0 { result = found }
            offset = box.end
        }
        return result
    }
}
