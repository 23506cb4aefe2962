/// The bytes of a body that is complete, in memory or in a file.
package protocol ByteSource {
    /// In bytes.
    var size: Int64 { get }

    /// Hands over the bytes from `offset` on: `count`, at most ``longestRead``, and fewer only where the body ends.
    ///
    /// - Throws: what keeps them from being read, and what `body` throws.
    func withBytes<Result>(
        at offset: Int64, count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result

    /// Hands over the bytes from `offset` on, as many as are at hand: at least one, or none where the body ends before.
    ///
    /// - Throws: what keeps them from being read, and what `body` throws.
    func withSomeBytes<Result>(
        at offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result
}

extension ByteSource {
    static var longestRead: Int { 65_536 }

    /// A number of up to eight bytes, the highest first; nil where the body ends before.
    func bigEndian(at offset: Int64, count: Int) throws -> Int64? {
        try withBytes(at: offset, count: count) { bytes in
            bytes.count == count ? bytes.reduce(0) { $0 << 8 | Int64($1) } : nil
        }
    }

    /// A number of up to eight bytes, the lowest first; nil where the body ends before.
    func littleEndian(at offset: Int64, count: Int) throws -> Int64? {
        try withBytes(at: offset, count: count) { bytes in
            bytes.count == count ? bytes.reversed().reduce(0) { $0 << 8 | Int64($1) } : nil
        }
    }

    /// The byte at a place; nil behind the end.
    func byte(at offset: Int64) throws -> UInt8? {
        try withBytes(at: offset, count: 1) { $0.first }
    }

    /// The first place from `offset` on where the byte is not this one; nil where the body ends before.
    func end(ofRunOf byte: UInt8, from offset: Int64) throws -> Int64? {
        var offset = offset
        while true {
            let (length, index) = try withSomeBytes(at: offset) { ($0.count, $0.firstIndex { $0 != byte }) }
            if let index { return offset + Int64(index) }
            if length == 0 { return nil }
            offset += Int64(length)
        }
    }

    /// All bytes from a place on.
    func bytes(from start: Int64) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(max(0, size - start)))
        while true {
            let length = try withSomeBytes(at: start + Int64(bytes.count)) { piece in
                bytes.append(contentsOf: piece)
                return piece.count
            }
            if length == 0 { return bytes }
        }
    }

    /// Whether these bytes are at a place.
    func has(_ wanted: StaticString, at offset: Int64) throws -> Bool {
        try withBytes(at: offset, count: wanted.utf8CodeUnitCount) { bytes in
            bytes.elementsEqual(UnsafeBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount))
        }
    }

    /// Where the bytes occur last between two places, at most ``longestRead`` apart.
    func lastPlace(of wanted: StaticString, from start: Int64, to end: Int64) throws -> Int64? {
        let mark = UnsafeBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount)
        return try withBytes(at: start, count: Int(end - start)) { bytes in
            guard bytes.count >= mark.count else { return nil }
            for index in stride(from: bytes.count - mark.count, through: 0, by: -1)
            where bytes[index] == mark[0] && bytes[index..<index + mark.count].elementsEqual(mark) {
                return start + Int64(index)
            }
            return nil
        }
    }

    /// Where the body ends when the zeros and the white space behind it, which many a server adds, are left out.
    func endOfContent() throws -> Int64 {
        var end = size
        while end > 0 {
            let count = Int(min(end, Int64(Self.longestRead)))
            let rest = try withBytes(at: end - Int64(count), count: count) { bytes in
                bytes.lastIndex { $0 > 0x20 }
            }
            if let rest { return end - Int64(count) + Int64(rest) + 1 }
            end -= Int64(count)
        }
        return 0
    }
}

/// A body in memory.
package struct MemoryBytes: ByteSource {
    private let bytes: UnsafeRawBufferPointer

    /// The bytes must stay where they are as long as the value is used.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    package var size: Int64 { Int64(bytes.count) }

    package func withBytes<Result>(
        at offset: Int64, count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard offset >= 0, offset < size else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let start = Int(offset)
        return try body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + min(count, bytes.count - start)]))
    }

    package func withSomeBytes<Result>(
        at offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try withBytes(at: offset, count: .max, body)
    }
}
