internal import CCurl
import Glibc

/// Takes a URL apart with libcurl's own parser, so that what is judged is what libcurl connects to.
struct URLParser {
    let text: String
    let scheme: String
    let host: String
    let port: Int

    /// Parses an encoded URL; `hasForeignHost` when its host is not ASCII.
    init(_ spelled: String, hasForeignHost: Bool) throws(WebURLError) {
        let handle = try Handle()
        try handle.set(spelled)
        if hasForeignHost {
            // Parsed again: the ASCII form may be an IPv4 address written in other digits.
            try handle.set(Self.asciiHostForm(handle))
        }
        text = try handle.part(CURLUPART_URL, UInt32(CURLU_NO_DEFAULT_PORT)) ?? ""
        if text.utf8.count > WebURL.maximumLength { throw URLSpelling.tooLong }
        scheme = text.utf8.dropFirst(4).first == UInt8(ascii: "s") ? "https" : "http"
        let host = try handle.part(CURLUPART_HOST, 0) ?? ""
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = try handle.part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) } ?? 0
        if self.host.isEmpty { throw WebURLError(reason: "the URL has no host") }
        if port == 0 { throw WebURLError(reason: "0 is not a port that can be connected to") }
    }

    /// The whole URL with its host in the form of IDNA.
    ///
    /// libcurl 7.88 has the name converted from the character set of the thread's locale, which under cron is
    /// ASCII; the thread is given UTF-8 for the time of the call.
    private static func asciiHostForm(_ handle: borrowing Handle) throws(WebURLError) -> String {
        let previous = utf8Locale.map { uselocale($0) }
        defer { if let previous { uselocale(previous) } }
        return try handle.part(CURLUPART_URL, UInt32(CURLU_PUNYCODE)) ?? ""
    }

    // Reason for `nonisolated(unsafe)`: an immutable handle that is made once and lives as long as the process.
    nonisolated(unsafe) private static let utf8Locale: locale_t? = newlocale(Int32(LC_CTYPE_MASK), "C.UTF-8", nil)

    private struct Handle: ~Copyable {
        private let raw: OpaquePointer

        init() throws(WebURLError) {
            guard let raw = curl_url() else { throw WebURLError(reason: "out of memory") }
            self.raw = raw
        }

        deinit { curl_url_cleanup(raw) }

        func set(_ text: String) throws(WebURLError) {
            try Self.check(text.withCString { curl_url_set(raw, CURLUPART_URL, $0, 0) })
        }

        func part(_ part: CURLUPart, _ flags: UInt32) throws(WebURLError) -> String? {
            var value: UnsafeMutablePointer<CChar>?
            try Self.check(curl_url_get(raw, part, &value, flags))
            defer { curl_free(value) }
            return value.map { String(cString: $0) }
        }

        private static func check(_ code: CURLUcode) throws(WebURLError) {
            switch code {
            case CURLUE_OK: return
            case CURLUE_BAD_PORT_NUMBER: throw WebURLError(reason: "the URL's port is not a number from 1 to 65535")
            case CURLUE_NO_HOST: throw WebURLError(reason: "the URL has no host")
            case CURLUE_BAD_HOSTNAME: throw WebURLError(reason: "the URL's host is not a host name")
            case CURLUE_BAD_IPV6: throw WebURLError(reason: "the URL's host is not an IPv6 address")
            case CURLUE_LACKS_IDN: throw WebURLError(reason: "this libcurl takes host names in ASCII only")
            default: throw WebURLError(reason: String(cString: curl_url_strerror(code)))
            }
        }
    }
}
