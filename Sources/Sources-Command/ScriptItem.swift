import JSON
import Model

/// An item as a script lists it. What is wrong with a member makes it an item that is not fetched: the list goes on.
struct ScriptItem: Decodable {
    /// The protocol's limits, in bytes.
    static let longestKey = 512
    static let longestTitle = 4_096
    /// What the keys begin with that items without a valid one get: no item has one of these for its own.
    static let numberMark = "#@"

    private enum Member: String, CodingKey {
        case collection, key, url, title, description, section, size, sha256, headers, thumbnail, metadata, fields
    }

    let listed: ListedItem

    init(from decoder: any Decoder) throws {
        var members = try LooseMembers<Member>(decoder)
        let collection = members.text(.collection)
        let count = members.faults.count
        let key = members.text(.key)
        let keyFault = members.faults.count > count ? members.faults.last : Self.complaint(key: key)
        let url = members.text(.url)
        let title = members.text(.title)
        let description = members.text(.description)
        let section = members.text(.section)
        let thumbnail = members.text(.thumbnail)
        let size = members.value(Int64.self, .size, "a whole number from 0 to 2^53") { (0...1 << 53).contains($0) }
        let sha256 = members.value(String.self, .sha256, "of 64 hexadecimal digits") { digest in
            digest.utf8.count == 64 && digest.allSatisfy { $0.isASCII && $0.isHexDigit }
        }
        let headers = members.value([String: String].self, .headers, "a mapping of texts") ?? [:]
        let fields = members.value([String: String].self, .fields, "a mapping of texts") ?? [:]
        let metadata = members.value([String: JSONValue].self, .metadata, "a mapping of what JSON can tell") ?? [:]
        listed = ListedItem(
            // A key that can't be taken is not to be compared with those of other items.
            collection: collection ?? "", key: keyFault == nil ? key ?? "" : "", url: url ?? "",
            title: cut(title ?? key ?? ""), description: description, section: section.map(cut),
            metadata: metadata.compactMapValues(\.metadata), thumbnailURL: thumbnail, fields: fields, size: size,
            sha256: sha256,
            headers: headers.sorted { $0.key < $1.key }.map { ListedHeader(name: $0.key, value: $0.value) },
            invalid: keyFault ?? members.faults.first ?? (url == nil ? "it has no url" : nil)
                ?? HeaderRules.complaint(ofListed: headers))
    }

    private static func complaint(key: String?) -> String? {
        guard let key, !key.isEmpty else { return "it has no key" }
        if key.hasPrefix(numberMark) {
            return "its key begins with '\(numberMark)', as those of items without a key do"
        }
        return key.utf8.count > longestKey ? "its key is over \(longestKey) bytes" : nil
    }
}

/// A collection as a script lists it. A member that can't be taken is left out.
struct ScriptCollection: Decodable {
    private enum Member: String, CodingKey {
        case key, title, subtitle, section, expected, latitude, longitude
    }

    let listed: ListedCollection
    /// What is wrong with its members.
    let faults: [String]

    init(from decoder: any Decoder) throws {
        var members = try LooseMembers<Member>(decoder)
        let key = members.text(.key) ?? ""
        listed = ListedCollection(
            key: key, title: cut(members.text(.title) ?? key), subtitle: members.text(.subtitle).map(cut),
            section: members.text(.section).map(cut),
            latitude: members.value(Double.self, .latitude, "a number"),
            longitude: members.value(Double.self, .longitude, "a number"),
            expected: members.value(Int.self, .expected, "a whole number from 0") { $0 >= 0 })
        faults = members.faults
    }
}

/// The members of an object, each taken for itself.
private struct LooseMembers<Member: CodingKey> {
    private let container: KeyedDecodingContainer<Member>
    /// What is wrong with some of them, in the order in which they were asked for.
    private(set) var faults: [String] = []

    /// - Throws: `DecodingError` for what is no object.
    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: Member.self)
    }

    /// nil where there is none, or one that is not as it must be.
    mutating func value<Value: Decodable>(
        _ type: Value.Type, _ member: Member, _ wanted: String, where isRight: (Value) -> Bool = { _ in true }
    ) -> Value? {
        guard container.contains(member), (try? container.decodeNil(forKey: member)) != true else { return nil }
        if let value = try? container.decode(type, forKey: member), isRight(value) { return value }
        faults.append("its '\(member.stringValue)' is not \(wanted)")
        return nil
    }

    /// A number is a fault, too, and its digits are taken, so that people see which one is meant.
    mutating func text(_ member: Member) -> String? {
        value(String.self, member, "text") ?? (try? container.decode(Int64.self, forKey: member)).map { "\($0)" }
    }
}

/// Cut to what the catalog takes for a title.
private func cut(_ text: String) -> String {
    guard text.utf8.count > ScriptItem.longestTitle else { return text }
    var result = text.prefix(ScriptItem.longestTitle)
    while result.utf8.count > ScriptItem.longestTitle { result.removeLast() }
    return String(result)
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
