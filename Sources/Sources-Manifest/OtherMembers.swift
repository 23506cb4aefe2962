import FoundationEssentials
import Model

/// The members of an object that mean nothing to this module: texts, numbers, flags, and lists of these.
struct OtherMembers: Decodable {
    let values: [String: MetadataValue]

    /// More members are passed over.
    static let most = 100
    /// Bytes of a text, and of a name.
    private static let longestText = 4_096
    private static let longestName = 128

    private static let known: Set<String> = ["url", "title", "path", "size", "sha256", "headers"]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        var values: [String: MetadataValue] = [:]
        let names = container.allKeys.filter { !Self.known.contains($0.stringValue) && Self.isName($0.stringValue) }
        for name in names.sorted(by: { $0.stringValue < $1.stringValue }).prefix(Self.most) {
            if let texts = try? container.decode([Scalar].self, forKey: name) {
                values[name.stringValue] = .list(texts.prefix(Self.most).map { $0.value.plainText })
            } else {
                values[name.stringValue] = (try? container.decode(Scalar.self, forKey: name))?.value
            }
        }
        self.values = values
    }

    private struct Scalar: Decodable {
        let value: MetadataValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                value = .flag(flag)
            } else if let number = try? container.decode(Int64.self) {
                value = .integer(number)
            } else if let number = try? container.decode(Double.self) {
                value = .number(number)
            } else {
                value = .text(OtherMembers.cut(try container.decode(String.self)))
            }
        }
    }

    static func isName(_ text: String) -> Bool { (1...longestName).contains(text.utf8.count) }

    static func cut(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        var result = text.prefix(longestText)
        while result.utf8.count > longestText { result.removeLast() }
        return String(result)
    }

    /// How many members a JSON object has, without decoding it; for what is no object, any number.
    static func count(of json: [UInt8]) -> Int {
        var (count, depth, isText, isEscaped) = (0, 0, false, false)
        for byte in json {
            if isEscaped {
                isEscaped = false
            } else if isText {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isText = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ":") where depth == 1: count += 1
                default: break
                }
            }
        }
        return count
    }
}
