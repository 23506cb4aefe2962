import FoundationEssentials
import Model

/// One element of a list, as it is written.
struct ListElement: Hashable {
    var url: String
    var title: String?
    var path: String?
    var size: Int64?
    var sha256: String?
    var headers: [String: String] = [:]
    /// What else it says, by name.
    var metadata: [String: MetadataValue] = [:]

    init(url: String) {
        self.url = url
    }

    /// Reads a JSON string or object.
    init(json: [UInt8]) throws(ElementFault) {
        switch json.first {
        case UInt8(ascii: "\""):
            self.init(url: try Self.string(json))
        case UInt8(ascii: "{"):
            let object: Object
            do throws(ElementFault) {
                object = try Self.decode(json)
            } catch {
                var fault = error
                fault.url = (try? Self.decode(json) as Located)?.url
                throw fault
            }
            self.init(url: object.url)
            title = object.title
            path = object.path
            size = object.size?.value
            sha256 = object.sha256
            headers = object.headers ?? [:]
            let known = [true, title != nil, path != nil, size != nil, sha256 != nil, object.headers != nil]
            // Most objects have no other members, and are read once.
            if OtherMembers.count(of: json) > known.count(where: { $0 }) {
                metadata = (try Self.decode(json) as OtherMembers).values
            }
        default:
            _ = try Self.decode(json) as AnyValue
            throw ElementFault("it is neither a URL nor an object")
        }
    }

    private struct Object: Decodable {
        let url: String
        let title: String?
        let path: String?
        let size: WholeNumber?
        let sha256: String?
        let headers: [String: String]?
    }

    /// What is left of an object whose other members can't be read.
    private struct Located: Decodable {
        let url: String
    }

    private struct WholeNumber: Decodable {
        let value: Int64

        init(from decoder: any Decoder) throws {
            guard let value = try? decoder.singleValueContainer().decode(Int64.self) else {
                throw ElementFault(ElementFault.size)
            }
            self.value = value
        }
    }

    /// Any JSON value.
    private struct AnyValue: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// Most strings are as they are: without an escape the bytes between the quotes are the text.
    private static func string(_ json: [UInt8]) throws(ElementFault) -> String {
        let text = json.dropFirst().dropLast()
        let isPlain =
            json.count >= 2 && json.last == UInt8(ascii: "\"")
            && text.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if isPlain, let text = String(validating: text, as: UTF8.self) { return text }
        return try decode(json)
    }

    private static func decode<Value: Decodable>(_ json: [UInt8]) throws(ElementFault) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(json))
        } catch let fault as ElementFault {
            throw fault
        } catch DecodingError.keyNotFound(let key, _) {
            throw ElementFault("it has no '\(key.stringValue)'", isForeign: true)
        } catch DecodingError.valueNotFound(_, let context) {
            throw ElementFault("its '\(Self.path(context))' is null")
        } catch DecodingError.typeMismatch(_, let context) {
            throw ElementFault("its '\(Self.path(context))' is of another type than it should be")
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw ElementFault("its '\(Self.path(context))' is of another type than it should be")
        } catch {
            throw ElementFault("it is not valid JSON", isForeign: true)
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}
