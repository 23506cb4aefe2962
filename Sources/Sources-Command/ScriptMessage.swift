import FoundationEssentials
import JSON
import Model
import SourceKit

/// What a script writes: one JSON object a line, distinguished by `type`. Members that are not known are ignored, so that a
/// script may be newer than this program.
enum ScriptMessage {
    case spec(ScriptSpec)
    case problem(at: String?, message: String)
    case collection(ListedCollection)
    case item(ListedItem)
    case progress
    case memory(JSONValue)
    case warning(String)
    case request(ScriptRequest)
    case error(ScriptFault)
    case done(Done)
    /// Of a type that this program does not know.
    case unknown

    /// The end of a list, with counts that show whether something was lost.
    struct Done: Decodable {
        var collections: Int?
        var items: Int?
        /// Whether the list is whole; otherwise nothing counts as no longer listed.
        var complete: Bool?
    }

    /// The protocol's limits on what is listed.
    private static let longestKey = 512
    private static let longestTitle = 4_096

    /// - Throws: ``ScriptError`` with why the line is no message.
    init(_ line: [UInt8]) throws(ScriptError) {
        // JSONDecoder would repair what is not UTF-8.
        guard String(validating: line, as: UTF8.self) != nil else { throw ScriptError("is not UTF-8", line) }
        do {
            switch try Self.decode(Kind.self, line).type {
            case "spec":
                let spec = try Self.decode(ScriptSpec.self, line)
                if let complaint = spec.complaint { throw ScriptError("\(complaint)", line) }
                self = .spec(spec)
            case "problem":
                let problem = try Self.decode(Problem.self, line)
                self = .problem(at: problem.at, message: problem.message)
            case "collection": self = .collection(try Self.decode(Collection.self, line).listed)
            case "item": self = .item(try Self.decode(Item.self, line).listed)
            case "progress": self = .progress
            case "memory": self = .memory(try Self.decode(Memory.self, line).value)
            case "warning": self = .warning(try Self.decode(Warning.self, line).message)
            case "request": self = .request(try Self.decode(ScriptRequest.self, line))
            case "error": self = .error(try Self.decode(ScriptFault.self, line))
            case "done": self = .done(try Self.decode(Done.self, line))
            default: self = .unknown
            }
        } catch let error as ScriptError {
            throw error
        } catch DecodingError.keyNotFound(let key, _) {
            throw ScriptError("has no '\(key.stringValue)'", line)
        } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
            throw ScriptError(
                "has another type in '\(context.codingPath.map(\.stringValue).joined(separator: "."))'", line)
        } catch DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty {
            throw ScriptError("has null in '\(context.codingPath.map(\.stringValue).joined(separator: "."))'", line)
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw ScriptError(
                "has another type in '\(context.codingPath.map(\.stringValue).joined(separator: "."))'", line)
        } catch {
            throw ScriptError("is not a JSON object", line)
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ line: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(line))
    }

    /// Whether the title of what the line lists is cut.
    static func hasLongTitle(_ line: [UInt8]) -> Bool {
        struct Titled: Decodable { let title: String? }
        guard line.count > longestTitle else { return false }
        return (try? decode(Titled.self, line))?.title.map { $0.utf8.count > longestTitle } == true
    }

    private struct Kind: Decodable {
        let type: String
    }

    private struct Problem: Decodable {
        let at: String?
        let message: String
    }

    private struct Warning: Decodable {
        let message: String
    }

    private struct Memory: Decodable {
        let value: JSONValue
    }

    private struct Collection: Decodable {
        let key: String
        let title: String?
        let subtitle: String?
        let section: String?
        let expected: Int?
        let latitude: Double?
        let longitude: Double?

        var listed: ListedCollection {
            ListedCollection(
                key: key, title: cut(title ?? key), subtitle: subtitle.map(cut), section: section.map(cut),
                latitude: latitude, longitude: longitude, expected: expected.flatMap { $0 >= 0 ? $0 : nil })
        }
    }

    private struct Item: Decodable {
        let collection: String
        let key: String
        let url: String
        let title: String?
        let description: String?
        let section: String?
        let size: Int64?
        let sha256: String?
        let headers: [String: String]?
        let thumbnail: String?
        let metadata: [String: JSONValue]?
        let fields: [String: String]?

        var listed: ListedItem {
            let headers = (headers ?? [:]).sorted { $0.key < $1.key }
            return ListedItem(
                collection: collection, key: String(key.prefix(longestKey)), url: url, title: cut(title ?? key),
                description: description, section: section.map(cut),
                metadata: (metadata ?? [:]).compactMapValues(\.metadata), thumbnailURL: thumbnail,
                fields: fields ?? [:],
                size: size, sha256: sha256, headers: headers.map { ListedHeader(name: $0.key, value: $0.value) },
                invalid: complaint)
        }

        /// What makes it an item that is not fetched.
        private var complaint: String? {
            if key.isEmpty { return "its key is empty" }
            if key.utf8.count > longestKey { return "its key is over \(longestKey) bytes" }
            if let size, size < 0 || size > 1 << 53 { return "its size is not from 0 to 2^53" }
            if let sha256, sha256.utf8.count != 64 || !sha256.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
                return "its sha256 is not of 64 hexadecimal digits"
            }
            return nil
        }
    }

    /// Cut to what the catalog takes for a title.
    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longestTitle else { return text }
        var result = text.prefix(longestTitle)
        while result.utf8.count > longestTitle { result.removeLast() }
        return String(result)
    }
}

/// What a script asks for by way of the fetch service.
struct ScriptRequest: Decodable, Sendable {
    let id: Int
    let url: String
    let headers: [String: String]?
}

/// Why a script cannot list.
struct ScriptFault: Decodable, Sendable {
    let kind: String
    let message: String
    /// Seconds after which it may be started again.
    let retryAfter: Double?

    enum CodingKeys: String, CodingKey {
        case kind, message
        case retryAfter = "retry_after"
    }

    /// Whether another start may succeed.
    var isTransient: Bool { kind == "rate" || kind == "transient" }
}

/// Why a script's list ended early.
struct ScriptError: Error, CustomStringConvertible {
    let description: String
    /// The line that is at fault.
    private let line: [UInt8]?

    init(_ description: String) {
        self.description = description
        line = nil
    }

    /// Of a line that it wrote, which ``quoting(in:)`` adds.
    init(_ fault: String, _ line: [UInt8]) {
        description = "a line of the script \(fault)"
        self.line = line
    }

    /// The same with the beginning of the line, secrets hidden.
    func quoting(in context: SourceContext) -> ScriptError {
        guard let line else { return self }
        let text = context.excerpt(String(decoding: line.prefix(4_096), as: UTF8.self), 100)
        return ScriptError("\(description): \(text)\(line.count > 100 ? "…" : "")")
    }
}

extension JSONValue {
    /// As an item's metadata; nil for null.
    fileprivate var metadata: MetadataValue? {
        switch self {
        case .null: nil
        case .flag(let flag): .flag(flag)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        case .list(let values): .list(values.map { if case .text(let text) = $0 { text } else { $0.text } })
        case .object: .text(text)
        }
    }

    private var text: String { String(decoding: line, as: UTF8.self) }
}
