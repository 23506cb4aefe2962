internal import JSON

/// `text` as it may be shown on a terminal: what would control the terminal or reorder its line becomes U+FFFD.
///
/// These are the control characters (C0, C1, DEL), line and paragraph separators, and the directional formatting
/// characters (UAX #9). Letters of every script stay, as do joiners, which emoji need.
package func displayable(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        result.unicodeScalars.append(isUnsafeToDisplay(scalar) ? "\u{fffd}" : scalar)
    }
    return result
}

/// `text` in at most `width` columns: cut between characters, with … at the end when something is missing.
package func cut(_ text: String, toWidth width: Int) -> String {
    guard displayWidth(of: text) > width else { return text }
    var result = ""
    var used = 0
    for character in text {
        let next = displayWidth(of: character)
        guard used + next < width else { break }
        result.append(character)
        used += next
    }
    return result + "…"
}

/// A word as a shell takes it.
package func shellWord(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "/._-+:,@%=".unicodeScalars.contains(scalar)
    }
    let quoted = text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    return isPlain && !text.isEmpty ? text : "'\(quoted)'"
}

extension String {
    /// Where the first `text` in it begins.
    func firstPlace(of text: String) -> Index? {
        indices.first { self[$0...].hasPrefix(text) }
    }

    /// With spaces before it, up to `width` columns.
    func rightAligned(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - displayWidth(of: self))) + self
    }

    /// With spaces after it, up to `width` columns.
    func leftAligned(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth(of: self)))
    }
}

/// The text in at most so many columns, with an ellipsis in place of what is in the middle of a longer one.
package func cutInside(_ text: String, toWidth width: Int) -> String {
    guard displayWidth(of: text) > width else { return text }
    guard width >= 8 else { return cut(text, toWidth: width) }
    var (tail, tailWidth): ([Character], Int) = ([], 0)
    for character in text.reversed() {
        let next = displayWidth(of: character)
        guard tailWidth + next <= (width - 1) / 2 else { break }
        tail.append(character)
        tailWidth += next
    }
    var (head, headWidth) = ("", 0)
    for character in text {
        let next = displayWidth(of: character)
        guard headWidth + next < width - tailWidth else { break }
        head.append(character)
        headWidth += next
    }
    return head + "…" + String(tail.reversed())
}
