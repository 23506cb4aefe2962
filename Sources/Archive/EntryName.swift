/// How the bytes of a name in a ZIP file become text (APPNOTE.TXT 4.4.4, 4.4.17 and appendix D).
enum EntryName {
    /// - Parameters:
    ///   - isUTF8: bit 11 of the entry's flags.
    ///   - unicodePaths: the Info-ZIP extra fields 0x7075, without their heads.
    static func text(_ bytes: ArraySlice<UInt8>, isUTF8: Bool, unicodePaths: [ArraySlice<UInt8>]) -> String {
        for field in unicodePaths {
            if let name = name(inUnicodePath: field, of: bytes) { return name }
        }
        // Many programs write UTF-8 without saying so; text in another encoding is hardly ever valid UTF-8.
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        if isUTF8 { return String(decoding: bytes, as: UTF8.self) }
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80]) }
        return String(scalars)
    }

    /// The field counts only for the name whose CRC-32 it has: a program that renamed the entry may not know of it.
    private static func name(inUnicodePath field: ArraySlice<UInt8>, of name: ArraySlice<UInt8>) -> String? {
        guard field.count > 5, field.first == 1 else { return nil }
        var bytes = LittleEndian(field.dropFirst())
        guard bytes.next(4) == UInt64(CRC32.checksum(name)) else { return nil }
        return String(validating: field.dropFirst(5), as: UTF8.self)
    }

    /// Code page 437 from 0x80.
    private static let upperHalf = Array(
        """
        ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
        └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}
        """.unicodeScalars)
}

/// CRC-32 of ISO 3309, as ZIP has it, for names: data is checked by the library that inflates it.
enum CRC32 {
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var remainder: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        return ~remainder
    }
}

/// Whole numbers from bytes, the lowest byte first.
struct LittleEndian {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// The next number of so many bytes. There must be as many.
    mutating func next(_ count: Int) -> UInt64 {
        let value = rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(count)
        return value
    }

    /// The next bytes; nil where there are fewer.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
