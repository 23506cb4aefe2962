/// Makes files that are pictures by their structure: what would be their pixels is any bytes.
package enum PictureFile {
    /// A PNG of so many pixels in each direction.
    package static func png(_ data: [UInt8], side: Int = 1) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", number(side) + number(side) + [8, 0, 0, 0, 0]) + chunk("IDAT", data) + chunk("IEND", [])
    }

    /// A JPEG of one pixel.
    ///
    /// - Parameter data: without FF, which would begin a marker.
    package static func jpeg(_ data: [UInt8]) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + data
            + [0xFF, 0xD9]
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return number(data.count) + body + number(Int(crc32(body)))
    }

    private static func number(_ value: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) }
    }
}
