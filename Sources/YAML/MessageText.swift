extension String {
    /// The text in single quotes as a message shows it: at most 60 characters, nothing in it that moves a cursor,
    /// breaks a line or turns the direction of writing.
    package var quotedForMessage: String {
        "'\(shownInMessage(limit: 60))'"
    }

    /// The text with control and format characters escaped, cut to `limit` scalars with `…` for the rest.
    package func shownInMessage(limit: Int) -> String {
        var shown = ""
        for (count, scalar) in unicodeScalars.enumerated() {
            if count == limit { return shown + "…" }
            switch scalar {
            case "\n": shown += "\\n"
            case "\t": shown += "\\t"
            case "\r": shown += "\\r"
            case _ where scalar.isHarmless: shown.unicodeScalars.append(scalar)
            default: shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return shown
    }
}

extension Unicode.Scalar {
    /// Whether it can be written to a terminal: no control character, no invisible or bidirectional format character
    /// (U+202E and its like, which make a text look like another), no line end.
    var isHarmless: Bool {
        if isASCII { return value >= 0x20 && value != 0x7F }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return false
        default: return true
        }
    }

    /// One column that can be written to a terminal in its place.
    var harmless: Unicode.Scalar {
        if self == "\t" { return " " }
        return isHarmless ? self : "\u{FFFD}"
    }
}
