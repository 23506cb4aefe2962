/// A character reference of HTML at the beginning of a text: `&amp;`, `&#8230;`, `&#x2026;`.
struct HTMLEntity {
    let text: String
    let end: String.Index

    /// Nil where there is none that is known, or its semicolon is missing.
    init?(_ source: Substring) {
        guard source.first == "&", let semicolon = source.prefix(12).firstIndex(of: ";") else { return nil }
        let name = source[source.index(after: source.startIndex)..<semicolon]
        guard let text = Self.text(of: name) else { return nil }
        self.text = text
        end = source.index(after: semicolon)
    }

    private static func text(of name: Substring) -> String? {
        guard name.first == "#" else { return named[String(name)] }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let value = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let scalar = value.flatMap(Unicode.Scalar.init) else { return nil }
        // No control character comes in by its number, but what white space is.
        if scalar.value == 0xA0 { return " " }
        return scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t" ? nil : String(scalar)
    }

    /// Those of markup and typography, and of ISO 8859-1. A no-break space is a space in plain text.
    private static let named: [String: String] = {
        var table = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "hellip": "…", "ndash": "–", "mdash": "—",
            "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "bull": "•",
            "euro": "€",
            "trade": "™", "prime": "′", "Prime": "″", "OElig": "Œ", "oelig": "œ", "Scaron": "Š", "scaron": "š",
            "Yuml": "Ÿ",
            "ensp": " ", "emsp": " ", "thinsp": " ", "larr": "←", "rarr": "→", "hearts": "♥",
        ]
        for (offset, name) in latin1.split(separator: " ").enumerated() {
            table[String(name)] = String(Unicode.Scalar(UInt8(0xA0 + offset)))
        }
        table["nbsp"] = " "
        return table
    }()

    /// The names of U+00A0 to U+00FF in their order.
    private static let latin1 = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro \
        para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil \
        Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave \
        Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml \
        igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute \
        thorn yuml
        """
}
