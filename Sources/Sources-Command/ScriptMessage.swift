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
    /// Of a type that this program does not know.
    case unknown

    /// The end of a list, with counts that show whether something was lost.
    struct Done: Decodable {
        var collections: Int?
        var items: Int?
        /// Whether the list is whole; otherwise nothing counts as no longer listed.
        var complete: Bool?
    }

    /// - Throws: ``ScriptError`` with why the line is no message.
    init(_ line: [UInt8]) throws(ScriptError) {
        // JSONDecoder would repair what is not UTF-8.
        guard String(validating: line, as: UTF8.self) != nil else { throw ScriptError("is not UTF-8", line) }
        var isObject = false
        do {
            let type = try Self.decode(Kind.self, line).type
            isObject = true
            switch type {
            case "spec":
                let spec = try Self.decode(ScriptSpec.self, line)
                if let complaint = spec.complaint { throw ScriptError("\(complaint)", line) }
                self = .spec(spec)
            case "problem":
                let problem = try Self.decode(Problem.self, line)
                self = .problem(at: problem.at, message: Self.shortened(problem.message))
            case "collection":
                let collection = try Self.decode(ScriptCollection.self, line)
                self = .collection(collection.listed, faults: collection.faults)
            case "item": self = .item(try Self.decode(ScriptItem.self, line).listed)
            case "progress": self = .progress
            case "memory": self = .memory(try Self.decode(Memory.self, line).value)
            case "warning": self = .warning(Self.shortened(try Self.decode(Warning.self, line).message))
            case "request": self = .request(try Self.decode(ScriptRequest.self, line))
            case "error": self = .error(try Self.decode(ScriptFault.self, line))
            case "done": self = .done(try Self.decode(Done.self, line))
            default: self = .unknown
            }
        } catch let error as ScriptError {
            throw error
        } catch DecodingError.keyNotFound(let key, _) {
            throw ScriptError("has no '\(key.stringValue)'", line)
        } catch DecodingError.typeMismatch(let type, let context) where !context.codingPath.isEmpty {
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw ScriptError("has another type in '\(place)'\(Self.wanted(type))", line)
        } catch DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty {
            throw ScriptError("has null in '\(context.codingPath.map(\.stringValue).joined(separator: "."))'", line)
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw ScriptError(
                "has another type in '\(context.codingPath.map(\.stringValue).joined(separator: "."))'", line)
        } catch {
            throw ScriptError(isObject ? "has a value that can't be read" : "is not a JSON object", line)
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
