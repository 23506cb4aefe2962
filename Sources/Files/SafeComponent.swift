// Foundation has the same normalisation as public API, at the price of loading ICU at every start. The system
// programming interface gives the tables that the standard library compares strings with.
@_spi(_Unicode) import Swift
import System

/// One path component made from any text: what a name from the network may become on disk.
///
/// - The text is put into Unicode's composed form (NFC), so that one title has one name.
/// - `/`, `\`, control characters, line and paragraph separators and bidirectional controls become `_`.
/// - A leading dot becomes `_`; trailing white space and dots go; nothing at all becomes `_`.
/// - A name of more than `maximumBytes` of UTF-8 is cut before the character that crosses the limit.
///
/// The result never is `.` or `..`, is at most `maximumBytes` long, and is its own safe component.
/// - Precondition: `maximumBytes` is at least 4, the length of the longest scalar.
package func safeComponent(_ text: String, maximumBytes: Int = 200) -> String {
    precondition(maximumBytes >= 4, "a component must have room for one scalar")
    if isSafeASCII(text, maximumBytes: maximumBytes) { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text._nfc {
        scalars.append(isUnsafe(scalar) ? "_" : scalar)
    }
    if scalars.first == "." {
        scalars.replaceSubrange(scalars.startIndex...scalars.startIndex, with: CollectionOfOne("_"))
    }
    var name = prefix(of: String(scalars), maximumBytes: maximumBytes)
    while let last = name.unicodeScalars.last, last == "." || last.properties.isWhitespace {
        name.unicodeScalars.removeLast()
    }
    return name.isEmpty ? "_" : name
}

/// Most names need no change, and the test costs less than a copy.
private func isSafeASCII(_ text: String, maximumBytes: Int) -> Bool {
    text.withBytes { bytes in
        guard let first = bytes.first, let last = bytes.last, bytes.count <= maximumBytes else { return false }
        if first == UInt8(ascii: ".") || last == UInt8(ascii: ".") || last == UInt8(ascii: " ") { return false }
        return bytes.allSatisfy { byte in
            byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\\")
        }
    }
}

/// Characters that separate components somewhere, or change how the text around them is shown.
private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "/", "\\": true
    case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}": true
    case "\u{2028}", "\u{2029}": true
    case "\u{061C}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
    default: false
    }
}

/// The longest run of whole characters from the start that fits; of whole scalars where even the first character
/// does not fit, as with a letter under hundreds of combining marks.
private func prefix(of text: String, maximumBytes: Int) -> String {
    guard text.utf8.count > maximumBytes else { return text }
    let limit = text.utf8.index(text.startIndex, offsetBy: maximumBytes)
    var end = text.startIndex
    while end < limit {
        let next = text.index(after: end)
        if next > limit { break }
        end = next
    }
    if end > text.startIndex { return String(text[..<end]) }
    while end < limit {
        let next = text.unicodeScalars.index(after: end)
        if next > limit { break }
        end = next
    }
    return String(text.unicodeScalars[..<end])
}
