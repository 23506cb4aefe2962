/// The 32 bytes of a SHA-256, held inline.
package struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    /// Big-endian: the first byte of the digest is the highest of the first word.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Takes exactly 32 bytes; anything else is nil.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words = InlineArray<4, UInt64>(repeating: 0)
        for (index, byte) in bytes.enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// Takes 64 hexadecimal digits of either case; anything else is nil.
    package init?(hex: String) {
        guard hex.utf8.count == 64 else { return nil }
        var words = InlineArray<4, UInt64>(repeating: 0)
        for (index, digit) in hex.utf8.enumerated() {
            guard let value = Self.value(ofHexDigit: digit) else { return nil }
            words[index / 16] = words[index / 16] << 4 | UInt64(value)
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// The 32 bytes, as they are stored and compared elsewhere.
    package var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(32)
        for word in [words.0, words.1, words.2, words.3] {
            withUnsafeBytes(of: word.bigEndian) { result.append(contentsOf: $0) }
        }
        return result
    }

    /// 64 lower-case hexadecimal digits.
    package var hex: String {
        String(unsafeUninitializedCapacity: 64) { digits in
            for (index, byte) in bytes.enumerated() {
                digits.initializeElement(at: 2 * index, to: Self.hexDigit(byte >> 4))
                digits.initializeElement(at: 2 * index + 1, to: Self.hexDigit(byte & 0xF))
            }
            return 64
        }
    }

    package var description: String { hex }

    package static func == (left: SHA256Digest, right: SHA256Digest) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        // The words of a digest are spread evenly: one tells two digests apart.
        hasher.combine(words.0)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    private static func value(ofHexDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
