/// A hash of a stem after case folding, by which the catalog keeps the paths of one job apart.
///
/// FNV-1a of 64 bits, the same in every run. Two different stems with one hash are only kept apart by a number that
/// they would not have needed.
func pathHash(_ stem: String) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    // Upper-casing first folds what lower-casing alone keeps apart: "ß" and "SS".
    var folded = fold(stem)
    folded.withUTF8 { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 } }
    return Int64(bitPattern: hash)
}

private func fold(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 } ? text.lowercased() : text.uppercased().lowercased()
}
