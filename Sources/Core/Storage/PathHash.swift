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

/// The text after full case folding (Unicode's CaseFolding.txt, statuses C and F), in composed form.
///
/// Small, large and small again puts every pair that folding makes equal into one spelling: "ẞ", "ß" and "SS"; "ﬁ" and
/// "FI"; "Σ", "σ" and "ς". Only the dotless i, which case mapping makes an "i", has no folding.
func caseFolded(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text._nfc {
        guard scalar != "\u{131}" else {
            scalars.append(scalar)
            continue
        }
        for small in scalar.properties.lowercaseMapping.unicodeScalars {
            for large in small.properties.uppercaseMapping.unicodeScalars {
                scalars.append(contentsOf: large.properties.lowercaseMapping.unicodeScalars)
            }
        }
    }
    var folded = String.UnicodeScalarView()
    for scalar in String(scalars)._nfc { folded.append(scalar) }
    return String(folded)
}
