/// A member of a JSON object, by whatever name.
struct FieldName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }

    init(stringLiteral text: String) { self.init(stringValue: text) }
}

/// Fields as Flickr writes them: the same one is a number here and a text there, or an object around a text, within one
/// reply. What is not there or can't be read is nil; one odd field costs no more than itself.
extension KeyedDecodingContainer<FieldName> {
    /// A text, a number as text, or the `_content` of an object; without white space around it, nil if nothing is left.
    func text(_ name: FieldName) -> String? {
        guard contains(name), let text = looseText(name) else { return nil }
        let trimmed = trimmed(text)
        return trimmed.isEmpty ? nil : trimmed
    }

    private func looseText(_ name: FieldName) -> String? {
        if let text = try? decode(String.self, forKey: name) { return text }
        if let number = try? decode(Int64.self, forKey: name) { return String(number) }
        if let number = try? decode(Double.self, forKey: name) { return String(number) }
        let object = try? nestedContainer(keyedBy: FieldName.self, forKey: name)
        return try? object?.decode(String.self, forKey: "_content")
    }

    /// A whole number, or a text of one. What is further from 0 than 2^53, more than there is of anything, counts as that:
    /// sums and units of it must not overflow.
    func integer(_ name: FieldName) -> Int? {
        guard contains(name) else { return nil }
        let number = (try? decode(Int.self, forKey: name)) ?? text(name).flatMap { Int($0) }
        return number.map { max(-largestCount, min($0, largestCount)) }
    }

    /// A number, or a text of one.
    func number(_ name: FieldName) -> Double? {
        guard contains(name) else { return nil }
        let number = (try? decode(Double.self, forKey: name)) ?? text(name).flatMap { Double($0) }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The words of a text; none where there is none.
    func words(_ name: FieldName) -> [String] {
        text(name).map { $0.split(separator: " ").map(String.init) } ?? []
    }

    /// The elements of a list that can be read; none where there is no list.
    func list<Element: Decodable>(_ name: FieldName, of type: Element.Type = Element.self) -> [Element] {
        ((try? decode([Readable<Element>].self, forKey: name)) ?? []).compactMap(\.value)
    }
}

private let largestCount = 1 << 53

/// An element of a list, or nil for one that can't be read.
private struct Readable<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        value = try? Value(from: decoder)
    }
}

/// The text without white space at its ends.
func trimmed(_ text: some StringProtocol) -> String {
    var rest = text[...]
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest.drop(while: \.isWhitespace))
}
