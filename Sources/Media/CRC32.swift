/// CRC-32 of ISO 3309, as PNG has it, eight bytes at a time.
struct CRC32 {
    private var remainder: UInt32 = 0xFFFF_FFFF

    /// Of all bytes so far.
    var value: UInt32 { ~remainder }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        Self.tables.withUnsafeBufferPointer { tables in
            var remainder = remainder
            var index = 0
            while index + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                var value = word ^ UInt64(remainder)
                remainder = 0
                // The first byte is the farthest from the end: it goes through the last table.
                for table in (0..<8).reversed() {
                    remainder ^= tables[table << 8 | Int(value & 0xFF)]
                    value >>= 8
                }
                index += 8
            }
            while index < bytes.count {
                remainder = remainder >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: remainder) ^ bytes[index])]
                index += 1
            }
            self.remainder = remainder
        }
    }

    /// Table n has the remainder of each byte with n zero bytes behind it.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320) }
            tables[byte] = value
        }
        for index in 256..<tables.count {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()
}
