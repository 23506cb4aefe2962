@_spi(_Unicode) import Swift

extension Unicode.Scalar {
    /// The scalar after full case folding (Unicode's CaseFolding.txt, statuses C and F).
    ///
    /// Small, large and small again puts every pair that folding makes equal into one spelling: "ẞ", "ß" and "SS"; "ﬁ" and
    /// "FI"; "Σ", "σ" and "ς". Only the dotless i, which case mapping makes an "i", has no folding.
    package var caseFolded: String.UnicodeScalarView {
        var folded = String.UnicodeScalarView()
        guard self != "\u{131}" else {
            folded.append(self)
            return folded
        }
        for small in properties.lowercaseMapping.unicodeScalars {
            for large in small.properties.uppercaseMapping.unicodeScalars {
                folded.append(contentsOf: large.properties.lowercaseMapping.unicodeScalars)
            }
        }
        return folded
    }
}

/// A text as searches and alphabetical lists compare it: UTF-8, without case and accents.
///
/// Letters that only look like a letter with a mark, as đ and ł do, count as the letter.
package func searchable(_ text: String) -> [UInt8] {
    var text = text
    let plain: [UInt8]? = text.withUTF8 { bytes in
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
    if let plain { return plain }
    var folded = ""
    for scalar in text._nfd {
        guard !scalar.isASCII else {
            let byte = UInt8(scalar.value)
            folded.unicodeScalars.append(Unicode.Scalar((0x41...0x5A).contains(byte) ? byte | 0x20 : byte))
            continue
        }
        guard scalar.properties.generalCategory != .nonspacingMark else { continue }
        for small in scalar.caseFolded {
            folded.unicodeScalars.append(lookalikes[small] ?? small)
        }
    }
    return Array(folded.utf8)
}

private let lookalikes: [Unicode.Scalar: Unicode.Scalar] = [
    "đ": "d", "ð": "d", "ł": "l", "ø": "o", "ı": "i", "ħ": "h", "ŧ": "t",
]

/// The letter under which a text is listed alphabetically: its first one, in upper case and without accents; `#` for what
/// begins with none.
package func alphabeticalSection(_ text: String) -> String {
    let folded = String(decoding: searchable(text), as: UTF8.self)
    guard let first = folded.first, first.isLetter else { return "#" }
    return first.uppercased()
}

/// Whether every word occurs in a text; all are as ``searchable(_:)`` gives them.
package func hasWords(_ words: [[UInt8]], in text: [UInt8]) -> Bool {
    words.allSatisfy { word in
        guard let first = word.first, text.count >= word.count else { return word.isEmpty }
        return (0...text.count - word.count).contains { start in
            text[start] == first && text[start..<start + word.count].elementsEqual(word)
        }
    }
}
