internal import CCurl

/// An absolute http or https URL in the form in which it is sent.
///
/// It takes what people and lists write: spaces, characters outside ASCII (RFC 3987) and text that is already
/// encoded, which is not encoded again. Dot segments are removed, the fragment is dropped, the default port
/// too. The host is in small letters and in its ASCII form (`xn--`); an IPv4 address in an odd spelling, such
/// as `0x7f.1`, is in the usual one, as libcurl will connect to it.
package struct WebURL: Hashable, Sendable {
    /// The longest text that is accepted, in bytes.
    package static let maximumLength = 8_192

    /// The whole URL, ASCII only, user information included.
    // Reason for the `!` below: libcurl writes every URL with a slash after its authority.
    package let text: String
    /// "http" or "https".
    package let scheme: String
    /// Without the brackets and the zone of an IPv6 address.
    package let host: String
    /// The scheme's default unless given.
    package let port: Int

    /// Reads a URL.
    package init(_ text: String) throws(WebURLError) {
        let ascii = try URLSpelling.ascii(text)
        let parser = try URLParser(ascii.text, hasForeignHost: ascii.hasForeignHost)
        self.text = parser.text
        scheme = parser.scheme
        host = parser.host
        port = parser.port
    }

    package var origin: HTTPOrigin { HTTPOrigin(scheme: scheme, host: host, port: port) }

    /// The path as sent, with its leading slash.
    package var path: String {
        String(text[pathStart..<(queryMark ?? text.endIndex)])
    }

    /// The path without its leading slash, percent-decoded; bytes that are not UTF-8 are replaced.
    package var decodedPath: String {
        URLSpelling.percentDecoded(text.utf8[pathStart..<(queryMark ?? text.endIndex)].dropFirst())
    }

    /// What follows the question mark, as sent; nil without one.
    package var query: String? {
        queryMark.map { String(text[text.index(after: $0)...]) }
    }

    /// What follows the last slash of the path, percent-decoded; empty for a path that ends in a slash.
    ///
    /// Bytes that are not UTF-8 are replaced. It is a name from the network: it may hold any character.
    package var lastPathSegment: String {
        let path = text.utf8[pathStart..<(queryMark ?? text.endIndex)]
        return URLSpelling.percentDecoded(path.suffix(from: path.lastIndex(of: UInt8(ascii: "/"))!).dropFirst())
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

    /// Where the path begins: the first slash after the authority, which every `text` has.
    private var pathStart: String.Index {
        let authority = text.utf8.index(text.startIndex, offsetBy: scheme.utf8.count + 3)
        return text.utf8[authority...].firstIndex(of: UInt8(ascii: "/"))!
    }

    private var queryMark: String.Index? {
        text.utf8.firstIndex(of: UInt8(ascii: "?"))
    }

    /// Up to and with the last slash of the path.
    private var directory: Substring {
        let end = queryMark ?? text.endIndex
        return text[...text.utf8[..<end].lastIndex(of: UInt8(ascii: "/"))!]
    }
}
