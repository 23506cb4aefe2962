/// What an unquoted text means by the core schema of YAML 1.2 (YAML 1.2.2, section 10.3.2): `no`, `on`, `1:30` and
/// `0b1` are text, `017` is seventeen.
enum CoreSchema {
    /// The kind of a plain text.
    static func kind(of text: String) -> Scalar.Kind {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE", "false", "False", "FALSE": return .bool
        default: break
        }
        var rest = Array(text.utf8)[...]
        if isRadixInteger(rest) { return .int }
        if let first = rest.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") { rest.removeFirst() }
        switch String(decoding: rest, as: UTF8.self) {
        case ".inf", ".Inf", ".INF": return .float
        case ".nan", ".NaN", ".NAN": return rest.count == text.utf8.count ? .float : .string
        default: return numberKind(rest)
        }
    }

    /// The value of a text of kind `bool`; nil for any other.
    static func bool(_ text: String) -> Bool? {
        switch text {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    /// The value of a text of kind `int`; nil where it does not fit 64 bits.
    static func integer(_ text: String) -> Int64? {
        if text.hasPrefix("0o") { return Int64(text.dropFirst(2), radix: 8) }
        if text.hasPrefix("0x") { return Int64(text.dropFirst(2), radix: 16) }
        return Int64(text)
    }

    /// `0o[0-7]+` or `0x[0-9a-fA-F]+`; neither takes a sign.
    private static func isRadixInteger(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count > 2, text.first == UInt8(ascii: "0") else { return false }
        let digits = text.dropFirst(2)
        return switch text.dropFirst().first {
        case UInt8(ascii: "o"): digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        case UInt8(ascii: "x"): digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        default: false
        }
    }

    /// `[0-9]+` is an integer; `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?` is a float; all else is text.
    private static func numberKind(_ text: ArraySlice<UInt8>) -> Scalar.Kind {
        var rest = text
        let whole = removeDigits(&rest)
        if rest.isEmpty { return whole > 0 ? .int : .string }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard removeDigits(&rest) + whole > 0 else { return .string }
        } else if whole == 0 {
            return .string
        }
        if let first = rest.first, first == UInt8(ascii: "e") || first == UInt8(ascii: "E") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest.removeFirst() }
            guard removeDigits(&rest) > 0 else { return .string }
        }
        return rest.isEmpty ? .float : .string
    }

    private static func removeDigits(_ text: inout ArraySlice<UInt8>) -> Int {
        let rest = text.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        defer { text = rest }
        return text.count - rest.count
    }
}
