import Core
import JSON
import Server
import YAML

/// The JSON object of a request, whose members are taken one by one; what nobody takes is refused.
struct RequestBody {
    private let members: [String: JSONValue]

    /// A thousand terabytes a second: no line carries as much, and what is counted with it stays a number.
    private static let mostBytes: Int64 = 1_000_000_000_000_000

    /// - Parameter known: the members that there may be.
    /// - Throws: ``Problem`` for what is not a JSON object, or has another member.
    init(_ bytes: [UInt8], known: [String]) throws(Problem) {
        // As a verb without arguments is sent by hand.
        if bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
            members = [:]
            return
        }
        guard let value = JSONValue(parsing: bytes) else { throw Self.refusal("the body is not JSON") }
        guard case .object(let members) = value else { throw Self.refusal("the body is not a JSON object") }
        for name in members.keys.sorted() where !known.contains(name) {
            let hint =
                closestMatch(to: name, in: known).map { "; did you mean '\($0)'?" }
                ?? (known.isEmpty ? "; there is none here" : "; there are \(known.joined(separator: ", "))")
            throw Self.refusal("unknown key '\(name.prefix(64))'\(hint)", name)
        }
        self.members = members
    }

    static func refusal(_ detail: String, _ field: String? = nil) -> Problem {
        Problem(400, "Invalid request", detail, field: field.map { String($0.prefix(64)) })
    }

    var isEmpty: Bool { members.isEmpty }

    func has(_ name: String) -> Bool { members[name] != nil }

    /// A whole number; nil where the member is not there.
    func count(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = members[name] else { return nil }
        guard case .integer(let number) = value, let count = Int(exactly: number), range.contains(count) else {
            throw Self.refusal("\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)", name)
        }
        return count
    }

    func flag(_ name: String) throws(Problem) -> Bool? {
        guard let value = members[name] else { return nil }
        guard case .flag(let flag) = value else { throw Self.refusal("\(name) is true or false", name) }
        return flag
    }

    /// Bytes a second; nil in it for no limit.
    func bandwidth(_ name: String) throws(Problem) -> Int64?? {
        switch members[name] {
        case nil: return nil
        case .null?, .text("none")?: return .some(nil)
        case .text(let text)?:
            if let rate = ByteRate(text) { return rate.bytesPerSecond }
        case .integer(let number)?:
            if (1...Self.mostBytes).contains(number) { return number }
        default: break
        }
        throw Self.refusal(
            "\(name) is a rate such as 5MB/s or 512KiB/s, a number of bytes a second, or none", name)
    }

    /// Ids of items; nil where the member is not there.
    func items(_ name: String, atMost limit: Int) throws(Problem) -> Set<Int64>? {
        guard let value = members[name] else { return nil }
        guard case .list(let list) = value else { throw Self.refusal("\(name) is a list of item ids", name) }
        guard list.count <= limit else { throw Self.refusal("\(name) has more than \(limit) ids", name) }
        var items: Set<Int64> = []
        for element in list {
            guard case .integer(let id) = element, id > 0 else {
                throw Self.refusal("\(name) is a list of item ids: whole numbers above 0", name)
            }
            items.insert(id)
        }
        return items
    }

    /// Keys of collections; nil where the member is not there.
    func keys(_ name: String, atMost limit: Int = 500) throws(Problem) -> [String]? {
        guard let value = members[name] else { return nil }
        guard case .list(let list) = value else { throw Self.refusal("\(name) is a list of keys", name) }
        guard list.count <= limit else { throw Self.refusal("\(name) has more than \(limit) keys", name) }
        var keys: [String] = []
        for element in list {
            guard case .text(let key) = element else { throw Self.refusal("\(name) is a list of keys", name) }
            keys.append(key)
        }
        return keys
    }
}
