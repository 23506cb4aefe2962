/// How the bytes of a URL are spelled: what is encoded, what is refused.
enum URLSpelling {
    /// The text with every byte outside the host that a URL cannot have percent-encoded, the host in small
    /// letters, and without spaces around it and without its fragment.
    ///
    /// A percent sign that begins no escape becomes `%25`, since servers refuse a bare one. A host outside
    /// ASCII is kept for the parser.
    static func ascii(_ text: String) throws(WebURLError) -> (text: String, hasForeignHost: Bool) {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(WebURLError) in try spell(bytes) }
        }
        return try result.get()
    }

    /// Whether a reference begins with a scheme (RFC 3986, 3.1): then it is complete.
    static func hasScheme(_ reference: Substring) -> Bool {
        let scheme = reference.utf8.prefix(while: mayBeInScheme)
        guard let first = scheme.first, isLetter(first) else { return false }
        return reference.utf8[scheme.endIndex...].first == UInt8(ascii: ":")
    }

    private static func mayBeInScheme(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }

    static func percentDecoded(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        guard bytes.contains(UInt8(ascii: "%")) else { return String(decoding: bytes, as: UTF8.self) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexValue),
                let low = rest.dropFirst().first.flatMap(hexValue)
            {
                decoded.append(high << 4 | low)
                rest.removeFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func spell(_ all: UnsafeBufferPointer<UInt8>) throws(WebURLError) -> (String, Bool) {
        var bytes = all[...]
        while bytes.first == 0x20 { bytes.removeFirst() }
        while bytes.last == 0x20 { bytes.removeLast() }
        if bytes.isEmpty { throw WebURLError(reason: "the URL is empty") }
        if bytes.count > WebURL.maximumLength { throw tooLong }
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw WebURLError(reason: "the URL has a control character")
        }
        bytes = bytes.prefix { $0 != UInt8(ascii: "#") }

        let scheme = bytes.prefix { $0 != UInt8(ascii: ":") }
        let authorityStart = scheme.endIndex + 3
        guard let first = scheme.first, isLetter(first), scheme.allSatisfy(mayBeInScheme),
            authorityStart <= bytes.endIndex, bytes[authorityStart - 2] == UInt8(ascii: "/"),
            bytes[authorityStart - 1] == UInt8(ascii: "/")
        else { throw WebURLError(reason: "the URL does not begin with http:// or https://") }
        guard isSmall("http", scheme) || isSmall("https", scheme) else {
            let name = String(decoding: scheme.map(asciiLowercase), as: UTF8.self)
            throw WebURLError(reason: "only http and https are fetched, not \(name)")
        }
        let authority = bytes[authorityStart...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        // Some programs take it for a slash, so that `http://a\@b/` would have two hosts.
        if authority.contains(UInt8(ascii: "\\")) { throw WebURLError(reason: "the URL's host has a backslash") }
        let userEnd = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        let host = authority[userEnd...]
        if host.isEmpty || host.first == UInt8(ascii: ":") { throw WebURLError(reason: "the URL has no host") }

        let hasForeignHost = host.contains { $0 >= 0x80 }
        // At most each byte is encoded.
        let spelled = String(unsafeUninitializedCapacity: 3 * bytes.count) { buffer in
            var writer = Writer(buffer: buffer)
            for byte in bytes[..<authorityStart] { writer.put(asciiLowercase(byte)) }
            // An at sign within the user information would end it.
            writer.encode(authority[..<userEnd].dropLast(), besides: UInt8(ascii: "@"))
            if userEnd > authority.startIndex { writer.put(UInt8(ascii: "@")) }
            for byte in host { writer.put(asciiLowercase(byte)) }
            writer.encode(bytes[authority.endIndex...])
            return writer.count
        }
        return (spelled, hasForeignHost)
    }

    /// Whether bytes are a word of small letters in any case.
    private static func isSmall(_ word: StaticString, _ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        for (offset, byte) in bytes.enumerated() where asciiLowercase(byte) != word.utf8Start[offset] { return false }
        return true
    }

    static let tooLong = WebURLError(reason: "the URL is longer than \(WebURL.maximumLength) bytes")

    /// Fills a string's storage.
    private struct Writer {
        let buffer: UnsafeMutableBufferPointer<UInt8>
        var count = 0

        mutating func put(_ byte: UInt8) {
            buffer[count] = byte
            count += 1
        }

        mutating func encode(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, besides other: UInt8? = nil) {
            var index = bytes.startIndex
            while index < bytes.endIndex {
                let byte = bytes[index]
                index += 1
                if byte == UInt8(ascii: "%") {
                    let isEscape =
                        index + 1 < bytes.endIndex && hexValue(bytes[index]) != nil && hexValue(bytes[index + 1]) != nil
                    isEscape ? put(byte) : putEscape(byte)
                } else if mayStay(byte), byte != other {
                    put(byte)
                } else {
                    putEscape(byte)
                }
            }
        }

        private mutating func putEscape(_ byte: UInt8) {
            let digits: StaticString = "0123456789ABCDEF"
            put(UInt8(ascii: "%"))
            put(digits.utf8Start[Int(byte >> 4)])
            put(digits.utf8Start[Int(byte & 15)])
        }
    }

    /// Whether a byte is allowed in a path or query. Besides RFC 3986, `[ ] |` stay, as browsers send them.
    static func mayStay(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...0xFF, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
            UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "%"):
            false
        default:
            true
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension String {
    /// The string without the spaces and tabs around it.
    func trimmingSpaces() -> Substring {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
