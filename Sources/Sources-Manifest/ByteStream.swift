/// Bytes that come in chunks, looked at one by one.
struct ByteStream {
    private var chunk: [UInt8] = []
    private var index = 0
    private var isAtEnd = false
    private let more: () throws -> [UInt8]?

    /// - Parameter more: the next chunk; nil at the end.
    init(_ more: @escaping () throws -> [UInt8]?) {
        self.more = more
    }

    /// The next byte, which stays; nil at the end.
    mutating func peek() throws -> UInt8? {
        while index == chunk.count {
            guard try fill() else { return nil }
        }
        return chunk[index]
    }

    /// The next byte, which is taken; nil at the end.
    mutating func next() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        index += 1
        return byte
    }

    /// The bytes from here on as far as `isWanted` is true, or to the end of the chunk; they are taken. nil at the end.
    mutating func take(while isWanted: (UInt8) -> Bool) throws -> ArraySlice<UInt8>? {
        guard try peek() != nil else { return nil }
        let taken = chunk[index...].prefix(while: isWanted)
        index = taken.endIndex
        return taken
    }

    /// Passes over spaces, tabs and line breaks.
    mutating func skipWhiteSpace() throws {
        while let byte = try peek(), isWhiteSpace(byte) { index += 1 }
    }

    /// The next line without its break and the white space around it, cut at `limit` bytes; nil at the end.
    mutating func line(limit: Int) throws -> (text: ArraySlice<UInt8>, isCut: Bool)? {
        guard try peek() != nil else { return nil }
        var (line, isWhole) = takeLine()
        // It goes on in the next chunk. What is over the limit is passed over.
        while !isWhole, try fill() {
            let (rest, isEnd) = takeLine()
            if line.count <= limit { line += rest }
            isWhole = isEnd
        }
        return (trimmed(line.prefix(limit)), line.count > limit)
    }

    /// What the chunk has of a line, and whether it has the line's break; both are taken.
    private mutating func takeLine() -> (text: ArraySlice<UInt8>, isWhole: Bool) {
        let rest = chunk[index...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            index = chunk.count
            return (rest, false)
        }
        index = end + 1
        return (rest[..<end], true)
    }

    /// The first bytes, as many as there are up to `count`; they stay.
    mutating func beginning(_ count: Int) throws -> ArraySlice<UInt8> {
        while chunk.count - index < count, try fill() {}
        return chunk[index...].prefix(count)
    }

    /// Gets more; false at the end.
    private mutating func fill() throws -> Bool {
        guard !isAtEnd, let bytes = try more() else {
            isAtEnd = true
            return false
        }
        if index == chunk.count { chunk = bytes } else { chunk = chunk[index...] + bytes }
        index = 0
        return true
    }
}

/// White space of JSON (RFC 8259 section 2), which is that of the other lists too.
func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes.drop(while: isWhiteSpace)
    while let last = bytes.last, isWhiteSpace(last) { bytes.removeLast() }
    return bytes
}
