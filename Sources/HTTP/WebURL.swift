import Glibc

/// An absolute http or https URL in the form in which it is sent.
///
/// It takes what people and lists write: spaces, characters outside ASCII (RFC 3987) and text that is already
/// encoded, which is not encoded again. Dot segments are removed, the fragment is dropped, the default port
/// too. The host is in small letters and in its ASCII form (`xn--`); an IPv4 address in an odd spelling, such
/// as `0x7f.1`, is in the usual one, as libcurl will connect to it.
///
/// A class, though a value to its users: it is handed from the list to the row a dozen times.
package final class WebURL: Hashable, Sendable {
    /// The longest text that is accepted, in bytes.
    static let maximumLength = 8_192

    /// The whole URL, ASCII only, user information included.
    package let text: String
    /// "http" or "https".
    package let scheme: String
    /// Without the brackets and the zone of an IPv6 address.
    package let host: String
    /// The scheme's default unless given.
    package let port: Int
    /// What follows the last slash of the path, percent-decoded; empty for a path that ends in a slash.
    ///
    /// Bytes that are not UTF-8 are replaced. It is a name from the network: it may hold any character.
    package let lastPathSegment: String
    /// How many bytes of `text` are before the path: libcurl writes every URL with a slash after its authority.
    let rootLength: Int

    /// Reads a URL.
    ///
    /// - Parameter other: a URL that was read before. Where this one has the same scheme, host and port, as the URLs of
    ///   one list mostly have, what libcurl's parser said of those holds for it too.
    package init(_ text: String, reusingOriginOf other: WebURL? = nil) throws(WebURLError) {
        if let other, other.isRoot(of: text) {
            self.text = text
            scheme = other.scheme
            host = other.host
            port = other.port
            rootLength = other.rootLength
            lastPathSegment = Self.lastSegment(ofPathIn: text, after: rootLength)
            return
        }
        let ascii = try URLSpelling.ascii(text)
        let parser = try URLParser(ascii.text, hasForeignHost: ascii.hasForeignHost)
        self.text = parser.text
        scheme = parser.scheme
        host = parser.host
        port = parser.port
        let authority = parser.scheme.utf8.count + 3
        rootLength =
            parser.text.utf8.dropFirst(authority).firstIndex(of: UInt8(ascii: "/"))
            .map { parser.text.utf8.distance(from: parser.text.startIndex, to: $0) } ?? parser.text.utf8.count
        lastPathSegment = Self.lastSegment(ofPathIn: parser.text, after: rootLength)
    }

    package var origin: HTTPOrigin { HTTPOrigin(scheme: scheme, host: host, port: port) }

    /// The path as sent, with its leading slash.
    package var path: String {
        String(text[pathStart..<(queryMark ?? text.endIndex)])
    }

    /// The path without its leading slash, percent-decoded; bytes that are not UTF-8 are replaced.
    package var decodedPath: String {
        Self.withPath(in: text, after: rootLength) { URLSpelling.percentDecoded($0.dropFirst()) }
    }

    /// What follows the question mark, as sent; nil without one.
    package var query: String? {
        queryMark.map { String(text[text.index(after: $0)...]) }
    }

    private static func lastSegment(ofPathIn text: String, after rootLength: Int) -> String {
        withPath(in: text, after: rootLength) { path in
            let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
            return URLSpelling.percentDecoded(path[slash...].dropFirst())
        }
    }

    private static func withPath<Result>(
        in text: String, after rootLength: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withBytes(of: text) { text in
            let path = UnsafeRawBufferPointer(rebasing: text[rootLength...])
            return body(
                UnsafeRawBufferPointer(rebasing: path[..<(path.firstIndex(of: UInt8(ascii: "?")) ?? path.count)]))
        }
    }

    /// The URL that a reference, such as a Location header's, means when it is found in this one (RFC 3986, 5.2).
    package func resolving(_ reference: String) throws(WebURLError) -> WebURL {
        let reference = reference.trimmingSpaces()
        let withoutFragment = reference.prefix { $0 != "#" }
        if URLSpelling.hasScheme(withoutFragment) { return try WebURL(String(withoutFragment)) }
        let base =
            switch withoutFragment.utf8.first {
            case nil: text[...]
            case UInt8(ascii: "?"): text[..<(queryMark ?? text.endIndex)]
            case UInt8(ascii: "/"):
                withoutFragment.hasPrefix("//") ? "\(scheme):"[...] : text[..<pathStart]
            default: directory
            }
        return try WebURL(String(base) + withoutFragment)
    }

    package static func == (left: WebURL, right: WebURL) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Whether a URL as it is written begins with this one's scheme and authority, and goes on with a path in which
    /// neither spelling nor the parser has anything to change: no dot segments, and no escapes, which may be dots.
    func isRoot(of written: String) -> Bool {
        guard written.utf8.count <= Self.maximumLength else { return false }
        return Self.withBytes(of: written) { written in
            Self.withBytes(of: text) { text in
                guard written.count > rootLength, written[rootLength] == UInt8(ascii: "/"),
                    let start = written.baseAddress, let root = text.baseAddress,
                    memcmp(start, root, rootLength) == 0
                else { return false }
                var last = UInt8(ascii: "/")
                for byte in UnsafeRawBufferPointer(rebasing: written[(rootLength + 1)...]) {
                    let isDotSegment = byte == UInt8(ascii: ".") && last == UInt8(ascii: "/")
                    if isDotSegment || byte == UInt8(ascii: "#") || !URLSpelling.mayStay(byte) { return false }
                    last = byte
                }
                return true
            }
        }
    }

    private static func withBytes<Result>(of text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Where the path begins, with its slash.
    private var pathStart: String.Index {
        text.utf8.index(text.startIndex, offsetBy: rootLength)
    }

    private var queryMark: String.Index? {
        text.utf8.firstIndex(of: UInt8(ascii: "?"))
    }

    /// Up to and with the last slash of the path.
    private var directory: Substring {
        let end = queryMark ?? text.endIndex
        return text[...(text.utf8[..<end].lastIndex(of: UInt8(ascii: "/")) ?? pathStart)]
    }
}
