/// HTML on its way out. Texts are escaped, attributes are written by this program alone.
struct HTMLPage {
    private(set) var bytes: [UInt8] = []

    mutating func removeBytes() { bytes.removeAll(keepingCapacity: true) }

    mutating func raw(_ markup: Markup) { bytes.append(contentsOf: markup.text.utf8) }

    /// What is no markup and needs no escapes: the script, the style, data in base64.
    mutating func raw(_ text: [UInt8]) { bytes.append(contentsOf: text) }
}

/// Markup whose texts are escaped: interpolating a string escapes it.
///
///     let cell: Markup = "<td>\(item.title)</td>"
struct Markup: ExpressibleByStringInterpolation, Sendable {
    let text: String

    /// Text, escaped; what would control a terminal or reorder its line is replaced.
    init(_ text: String) {
        self.text = Interpolation.escaped(text)
    }

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    private init(markup: String) { text = markup }

    static func + (left: Markup, right: Markup) -> Markup { Markup(markup: left.text + right.text) }

    /// A text of the catalog, kept apart from what is around it whatever its direction.
    static func name(_ text: String) -> Markup { "<bdi>\(text)</bdi>" }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate(set) var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}
        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
        mutating func appendInterpolation(_ value: String) { text += Self.escaped(value) }
        mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }

        fileprivate static func escaped(_ value: String) -> String {
            var result = ""
            for scalar in displayable(value).unicodeScalars {
                switch scalar {
                case "&": result += "&amp;"
                case "<": result += "&lt;"
                case ">": result += "&gt;"
                case "\"": result += "&quot;"
                case "'": result += "&#39;"
                default: result.unicodeScalars.append(scalar)
                }
            }
            return result
        }
    }
}

extension Sequence<Markup> {
    func joined(_ separator: Markup = "") -> Markup {
        var result: Markup = ""
        for (index, markup) in enumerated() { result = index == 0 ? markup : result + separator + markup }
        return result
    }
}
