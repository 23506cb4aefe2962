import Model
// The system programming interface of the standard library has what Foundation loads ICU for; see `safeComponent`.
@_spi(_Unicode) import Swift

/// A hash of a stem after case folding, by which the catalog keeps the paths of one job apart.
///
/// FNV-1a of 64 bits, the same in every run. Two different stems with one hash are only kept apart by a number that
/// they would not have needed.
package func pathHash(_ stem: String) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var text = stem
    let isASCII = text.withUTF8 { $0.allSatisfy { $0 < 0x80 } }
    if !isASCII { text = caseFolded(text) }
    text.withUTF8 { for byte in $0 { hash = (hash ^ UInt64(folded(byte))) &* 0x100_0000_01B3 } }
    return Int64(bitPattern: hash)
}

private func folded(_ byte: UInt8) -> UInt8 {
    if byte == PathTemplate.keptDot.asciiValue { return UInt8(ascii: ".") }
    return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

/// The text after full case folding, in composed form.
func caseFolded(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text._nfc { scalars.append(contentsOf: scalar.caseFolded) }
    var folded = String.UnicodeScalarView()
    for scalar in String(scalars)._nfc { folded.append(scalar) }
    return String(folded)
}
