/// An item's metadata as the JSON object that the catalog keeps, its keys in order, secrets hidden; nil for none.
package func metadataText(_ metadata: [String: MetadataValue], hiding hide: (String) -> String) -> String? {
    guard !metadata.isEmpty else { return nil }
    let members = metadata.sorted { $0.key < $1.key }.map { "\(jsonText($0.key)):\(jsonText($0.value, hide))" }
    return "{\(members.joined(separator: ","))}"
}

extension MetadataValue {
    /// The value without quotes, as it may be in a path; several texts with commas between them.
    package var plainText: String {
        switch self {
        case .text(let text): text
        case .number(let number): "\(number)"
        case .integer(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .list(let texts): texts.joined(separator: ", ")
        }
    }
}

private func jsonText(_ value: MetadataValue, _ hide: (String) -> String) -> String {
    switch value {
    case .text(let text): jsonText(hide(text))
    case .number(let number): number.isFinite ? "\(number)" : "null"
    case .integer(let number): "\(number)"
    case .flag(let flag): flag ? "true" : "false"
    case .list(let texts): "[\(texts.map { jsonText(hide($0)) }.joined(separator: ","))]"
    }
}

/// A JSON string (RFC 8259 section 7).
package func jsonText(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
