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
        var hex = hex
        let words: InlineArray<4, UInt64>? = hex.withUTF8 { digits in
            guard digits.count == 64 else { return nil }
            var words = InlineArray<4, UInt64>(repeating: 0)
            for index in 0..<64 {
                guard let value = Self.value(ofHexDigit: digits[index]) else { return nil }
                words[index / 16] = words[index / 16] << 4 | UInt64(value)
            }
            return words
        }
        guard let words else { return nil }
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
            writeHex(to: digits)
            return 64
        }
    }

    /// The same digits as bytes, valid during the call.
    func withHex<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { digits in
            writeHex(to: digits)
            return body(UnsafeRawBufferPointer(digits))
        }
    }

    private func writeHex(to digits: UnsafeMutableBufferPointer<UInt8>) {
        let bigEndian = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
        withUnsafeBytes(of: bigEndian) { bytes in
            for place in 0..<32 {
                let pair = digitPairs[Int(bytes[place])]
                digits.initializeElement(at: 2 * place, to: pair.high)
                digits.initializeElement(at: 2 * place + 1, to: pair.low)
            }
        }
    }

    package var description: String { hex }

    package static func == (left: SHA256Digest, right: SHA256Digest) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        // The words of a digest are spread evenly: one tells two digests apart.
        hasher.combine(words.0)
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

/// The two digits of each byte.
private let digitPairs: [(high: UInt8, low: UInt8)] = {
    let digits = Array("0123456789abcdef".utf8)
    return digits.flatMap { high in digits.map { low in (high, low) } }
}()
