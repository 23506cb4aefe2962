/// A hash of a stem after case folding, by which the catalog keeps the paths of one job apart.
///
/// FNV-1a of 64 bits, the same in every run. Two different stems with one hash are only kept apart by a number that
/// they would not have needed.
func pathHash(_ stem: String) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var text = stem
    let isASCII = text.withUTF8 { $0.allSatisfy { $0 < 0x80 } }
    // Upper-casing first folds what lower-casing alone keeps apart: "ß" and "SS".
    if !isASCII { text = text.uppercased().lowercased() }
    text.withUTF8 { for byte in $0 { hash = (hash ^ UInt64(smallASCII(byte))) &* 0x100_0000_01B3 } }
    return Int64(bitPattern: hash)
}

private func smallASCII(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
