import FoundationEssentials
import JSON
import Model
import SourceKit

/// What a script writes: one JSON object a line, distinguished by `type`. Members that are not known are ignored, so that a
/// script may be newer than this program.
enum ScriptMessage {
    case spec(ScriptSpec)
    case problem(at: String?, message: String)
    /// With what of it can't be taken; an empty key makes it none.
    case collection(ListedCollection, faults: [String])
    case item(ListedItem)
    case progress
    case memory(JSONValue)
    case warning(String)
    case request(ScriptRequest)
    case error(ScriptFault)
    case done(Done)
    /// A line that says nothing of the list, and why it can't be taken: it costs only itself.
    case unreadable(ScriptError)
    /// Of a type that this program does not know.
    case unknown

    /// The end of a list, with counts that show whether something was lost.
    struct Done: Decodable {
        private let counts: [String: Int]
        /// Whether the list is whole; otherwise nothing counts as no longer listed.
        let complete: Bool?

        var collections: Int? { counts["collections"] }
        var items: Int? { counts["items"] }

        private enum CodingKeys: String, CodingKey {
            case collections, items, complete
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            var counts: [String: Int] = [:]
            for key in [CodingKeys.collections, .items] {
                counts[key.stringValue] = try members.decodeIfPresent(WholeNumber.self, forKey: key)?.value
            }
            self.counts = counts
            complete = try members.decodeIfPresent(Bool.self, forKey: .complete)
        }
    }

    /// A number whose fault names its member, also where a fraction or its size is the fault.
    struct WholeNumber: Decodable {
        let value: Int

        init(from decoder: any Decoder) throws {
            guard let value = try? decoder.singleValueContainer().decode(Int.self) else {
                throw ScriptError(
                    "has something else than a whole number in '\(decoder.codingPath.last?.stringValue ?? "")'")
            }
            self.value = value
        }
    }

    /// - Throws: ``ScriptError`` with why the line is no message.
    init(_ line: [UInt8]) throws(ScriptError) {
        // JSONDecoder would repair what is not UTF-8.
        guard String(validating: line, as: UTF8.self) != nil else { throw ScriptError("is not UTF-8", line) }
        var type: String?
        do {
            type = try Self.decode(Kind.self, line).type
            self = try Self.message(type ?? "", line)
        } catch {
            let fault = ScriptError(Self.words(for: error, line, isObject: type != nil), line)
            guard let type, Self.remarks.contains(type) else { throw fault }
            self = .unreadable(fault)
        }
    }

    /// What stands for a type of a member, to follow a fault; empty for one that has no plain name.
    private static func wanted(_ type: any Any.Type) -> String {
        let name =
            switch type {
            case is String.Type: "a text"
            case is Int.Type: "a whole number"
            case is Double.Type: "a number"
            case is Bool.Type: "true or false"
            case is any Sequenced.Type: "a list"
            case is any Mapped.Type: "a mapping"
            default: ""
            }
        return name.isEmpty ? "" : "; it must be \(name)"
    }

    /// Types of lines whose loss costs the list nothing.
    private static let remarks: Set<String> = ["memory", "warning"]

    private static func message(_ type: String, _ line: [UInt8]) throws -> ScriptMessage {
        switch type {
        case "spec":
            let spec = try decode(ScriptSpec.self, line)
            if let complaint = spec.complaint { throw ScriptError("\(complaint)") }
            return .spec(spec)
        case "problem":
            let problem = try decode(Problem.self, line)
            return .problem(at: problem.at, message: shortened(problem.message))
        case "collection":
            let collection = try decode(ScriptCollection.self, line)
            return .collection(collection.listed, faults: collection.faults)
        case "item": return .item(try decode(ScriptItem.self, line).listed)
        case "progress": return .progress
        case "memory": return .memory(try decode(Memory.self, line).value)
        case "warning": return .warning(shortened(try decode(Warning.self, line).message))
        case "request": return .request(try decode(ScriptRequest.self, line))
        case "error": return .error(try decode(ScriptFault.self, line))
        case "done": return .done(try decode(Done.self, line))
        default: return .unknown
        }
    }

    /// Why a line is no message, in words that follow what it is.
    private static func words(for error: any Error, _ line: [UInt8], isObject: Bool) -> String {
        switch error {
        case let error as ScriptError: return error.description
        case DecodingError.keyNotFound(let key, _): return "has no '\(key.stringValue)'"
        case DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty:
            return "has null in '\(path(context))'"
        case DecodingError.typeMismatch(let type, let context) where !context.codingPath.isEmpty:
            return "has another type in '\(path(context))'\(wanted(type))"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "has another type in '\(path(context))'"
        default:
            if isObject { return "has a value that can't be read" }
            return depth(of: line) > deepest ? "has over \(deepest) levels of nesting" : "is not a JSON object"
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map(\.stringValue).joined(separator: ".")
    }

    /// Levels that JSON may have: what `JSONDecoder` takes.
    private static let deepest = 512

    /// How deep the brackets of a line are nested, those in its texts aside.
    private static func depth(of line: [UInt8]) -> Int {
        var (depth, most, isText, isEscaped) = (0, 0, false, false)
        for byte in line {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isText: isEscaped = true
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "{") where !isText, UInt8(ascii: "[") where !isText:
                depth += 1
                most = max(most, depth)
            case UInt8(ascii: "}") where !isText, UInt8(ascii: "]") where !isText: depth -= 1
            default: break
            }
        }
        return most
    }

    /// A message as people read it: more of it nobody reads.
    static func shortened(_ message: String) -> String {
        let longest = 2_000
        return message.utf8.count <= longest ? message : "\(message.prefix(longest))…"
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ line: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(line))
    }

    /// Whether the title of what the line lists is cut.
    static func hasLongTitle(_ line: [UInt8]) -> Bool {
        struct Titled: Decodable { let title: String? }
        guard line.count > ScriptItem.longestTitle else { return false }
        return (try? decode(Titled.self, line))?.title.map { $0.utf8.count > ScriptItem.longestTitle } == true
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
}

/// What a script asks for by way of the fetch service.
struct ScriptRequest: Decodable, Sendable {
    let id: Int
    let url: String
    let headers: [String: String]?

    private enum CodingKeys: String, CodingKey {
        case id, url, headers
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(ScriptMessage.WholeNumber.self, forKey: .id).value
        url = try members.decode(String.self, forKey: .url)
        headers = try members.decodeIfPresent([String: String].self, forKey: .headers)
    }
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
        self.description = ScriptMessage.shortened(description)
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

/// What a decoder wants where a list or a mapping should be, whatever its elements.
private protocol Sequenced {}
private protocol Mapped {}
extension Array: Sequenced {}
extension Dictionary: Mapped {}
