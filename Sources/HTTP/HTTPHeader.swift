/// One header field of a request.
package struct HTTPHeader: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the field can be sent as it is: the name is a token, the value has no line break and no NUL
    /// (RFC 9110, 5.1 and 5.5).
    ///
    /// A field that is not valid is never sent; a request that has one finishes as `.invalid`.
    package var isValid: Bool {
        !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
            && value.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
    }

    /// Throws a failure of kind `.invalid` that names the field, unless the field is valid.
    func validate() throws(HTTPFailure) {
        guard isValid else {
            let shown = String(decoding: name.utf8.map { $0 > 0x20 && $0 < 0x7F ? $0 : 0x3F }, as: UTF8.self)
            throw HTTPFailure(.invalid, "the header '\(shown)' has a character that a header cannot have")
        }
    }

    /// Names compare without case (RFC 9110, 5.1).
    package func hasName(_ other: String) -> Bool {
        name.utf8.elementsEqual(other.utf8) { asciiLowercase($0) == asciiLowercase($1) }
    }

    /// The field as libcurl takes it: an empty value needs a semicolon, for `Name:` would remove the header.
    var line: String {
        value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)"
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}
