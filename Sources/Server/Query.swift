/// The parameters of a request's target, decoded; `+` is a space, as forms write it.
package struct Query: Sendable {
    package let parameters: [(name: String, value: String)]

    init(_ parameters: [(name: String, value: String)] = []) {
        self.parameters = parameters
    }

    /// The value of a parameter that is there once or, by the last of them, more than once.
    package subscript(name: String) -> String? {
        parameters.last { $0.name == name }?.value
    }
}

/// What a client asks for, taken apart: the path and the query of an origin-form target (RFC 9112, section 3.2.1).
struct Target {
    let path: String
    let query: Query

    /// Nil where the target is no such thing: an absolute URL, a broken escape, an encoded slash, a control character,
    /// bytes that are no UTF-8.
    init?(_ text: some Collection<UInt8>) {
        guard text.first == UInt8(ascii: "/") else { return nil }
        let mark = text.firstIndex(of: UInt8(ascii: "?"))
        guard let path = Self.decoded(text[..<(mark ?? text.endIndex)], isPath: true) else { return nil }
        self.path = path
        guard let mark else {
            query = Query()
            return
        }
        var parameters: [(name: String, value: String)] = []
        for part in text[text.index(after: mark)...].split(separator: UInt8(ascii: "&")) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(halves[0], isPath: false) else { return nil }
            guard let value = halves.count == 2 ? Self.decoded(halves[1], isPath: false) : "" else { return nil }
            parameters.append((name, value))
        }
        query = Query(parameters)
    }

    private static func decoded(_ text: some Collection<UInt8>, isPath: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            var decoded = byte
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                    return nil
                }
                decoded = high << 4 | low
                if isPath, decoded == UInt8(ascii: "/") { return nil }
            } else if byte == UInt8(ascii: "+"), !isPath {
                decoded = UInt8(ascii: " ")
            }
            guard decoded >= 0x20, decoded != 0x7F else { return nil }
            bytes.append(decoded)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
