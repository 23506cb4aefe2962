/// How many columns of a terminal `text` takes: 2 for wide characters and emoji, 0 for combining marks, else 1.
///
/// `text` holds no control characters (see `displayable`).
package func displayWidth(of text: String) -> Int {
    // Printable ASCII, the common case, needs no segmentation.
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return text.utf8.count }
    return text.reduce(0) { $0 + displayWidth(of: $1) }
}

/// The width of one character, which is drawn in one place however many scalars it has.
func displayWidth(of character: Character) -> Int {
    let scalars = character.unicodeScalars
    // A flag, a face, a family, or a sign that a variation selector turns into a picture (UTS #51).
    if scalars.contains(where: { $0.properties.isEmojiPresentation || $0 == "\u{fe0f}" }) { return 2 }
    return scalars.reduce(0) { $0 + width(of: $1) }
}

private func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    // The soft hyphen is a format character that terminals show.
    case .format: return scalar == "\u{ad}" ? 1 : 0
    default: break
    }
    // Vowels and final consonants of Hangul are drawn into the syllable that its first consonant began.
    if (0x1160...0x11ff).contains(scalar.value) || (0xd7b0...0xd7ff).contains(scalar.value) { return 0 }
    guard scalar.value >= 0x1100 else { return 1 }
    return wideRanges.contains { $0.contains(scalar.value) } ? 2 : 1
}

/// The scalars whose East Asian Width is W or F (UAX #11), in blocks; emoji are known to the standard library.
private let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115f,  // Hangul Jamo
    0x2329...0x232a,  // angle brackets
    0x2e80...0x303e,  // radicals, CJK punctuation
    0x3041...0x4dbf,  // Kana, Bopomofo, compatibility Jamo, enclosed CJK, extension A
    0x4e00...0xa4cf,  // unified ideographs, Yi
    0xa960...0xa97f,  // Hangul Jamo extended A
    0xac00...0xd7a3,  // Hangul syllables
    0xf900...0xfaff,  // compatibility ideographs
    0xfe10...0xfe19,  // vertical forms
    0xfe30...0xfe6f,  // compatibility and small forms
    0xff01...0xff60,  // full-width forms
    0xffe0...0xffe6,  // full-width signs
    0x16fe0...0x18d08,  // Tangut, Khitan
    0x1aff0...0x1b2fb,  // Kana supplements, Nushu
    0x1f200...0x1f265,  // enclosed ideographs
    0x20000...0x2fffd,  // extensions B to F
    0x30000...0x3fffd,  // extension G and after
]
