/// The markers of a JPEG file (ITU-T T.81, annex B).
enum JPEGStructure {
    private static let endOfImage: UInt8 = 0xD9
    private static let startOfScan: UInt8 = 0xDA

    static func check(_ source: some ByteSource) throws -> PixelSize? {
        var size: PixelSize?
        var offset: Int64 = 2
        while let marker = try nextMarker(source, &offset) {
            switch marker {
            case endOfImage:
                throw MediaFault("the JPEG ends before its picture begins")
            case 0x01, 0xD0...0xD7:
                continue
            default:
                guard let length = try source.bigEndian(at: offset, count: 2), length >= 2 else {
                    throw MediaFault("the JPEG ends within its header")
                }
                // SOF: the frame's size; C4, C8 and CC are tables.
                if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                    size = try frameSize(source, at: offset)
                }
                offset += length
                guard offset <= source.size else { throw MediaFault("the JPEG ends within its header") }
                if marker == startOfScan {
                    guard let size else { throw MediaFault("the JPEG has a picture without a size") }
                    guard try hasEnd(source, from: offset) else { throw MediaFault("the JPEG ends within its picture") }
                    return size
                }
            }
        }
        throw MediaFault("the JPEG ends within its header")
    }

    /// The marker at a place, fill bytes before it passed over; goes behind it. Nil where the file ends or there is none.
    private static func nextMarker(_ source: some ByteSource, _ offset: inout Int64) throws -> UInt8? {
        guard try source.byte(at: offset) == 0xFF, let place = try source.end(ofRunOf: 0xFF, from: offset),
            let marker = try source.byte(at: place)
        else { return nil }
        offset = place + 1
        return marker
    }

    private static func frameSize(_ source: some ByteSource, at offset: Int64) throws -> PixelSize? {
        guard let height = try source.bigEndian(at: offset + 3, count: 2),
            let width = try source.bigEndian(at: offset + 5, count: 2), width > 0
        else { throw MediaFault("the JPEG's header has no size") }
        // A height of 0 comes later, with a DNL marker (B.2.5); hardly anything writes it.
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// Whether the end of the image comes: as a rule in the last two bytes. Cameras and servers add to that, and what they
    /// add may hold another picture's end; so the scans are followed then.
    private static func hasEnd(_ source: some ByteSource, from start: Int64) throws -> Bool {
        if source.size - start >= 2, try source.bigEndian(at: source.size - 2, count: 2) == 0xFFD9 { return true }
        var offset = start
        while let marker = try nextMarkerOfScan(source, &offset) {
            if marker == endOfImage { return true }
            guard let length = try source.bigEndian(at: offset, count: 2), length >= 2 else { return false }
            offset += length
        }
        return false
    }

    /// The next marker behind coded data, in which FF is followed by 0 or a restart marker (B.1.1.5).
    private static func nextMarkerOfScan(_ source: some ByteSource, _ offset: inout Int64) throws -> UInt8? {
        var search = MarkerSearch()
        while offset < source.size, search.marker == nil {
            let count = try source.withSomeBytes(at: offset) { search.feed($0) }
            if count == 0 { return nil }
            offset += Int64(count)
        }
        return search.marker
    }

    private struct MarkerSearch {
        var marker: UInt8?
        private var isBehindFF = false

        /// - Returns: how many of the bytes come before what follows the marker.
        mutating func feed(_ bytes: UnsafeRawBufferPointer) -> Int {
            for index in bytes.indices {
                let byte = bytes[index]
                if isBehindFF, byte > 1, byte != 0xFF, !(0xD0...0xD7).contains(byte) {
                    marker = byte
                    return index + 1
                }
                isBehindFF = byte == 0xFF
            }
            return bytes.count
        }
    }
}
