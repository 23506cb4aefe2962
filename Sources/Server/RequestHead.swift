/// The head of a request, checked against the rules that libmicrohttpd leaves to its user.
struct RequestHead: Sendable {
    let method: Method
    let target: Target
    let headers: Headers
    /// Bytes of the body; 0 where none is announced, since a body without a length is refused.
    let contentLength: Int

    /// A body may have so many bytes.
    static let longestBody = 64 * 1024

    /// Fields of which a second one would make two readers of a request see two requests.
    private static let singleFields = [
        "host", "cookie", "content-length", "content-type", "authorization", "origin", "sec-fetch-site", "range",
        "if-range",
        "last-event-id",
    ]

    init(method: String, target: [UInt8], headers: Headers) throws(Problem) {
        guard let known = Method(rawValue: method) else {
            throw Problem(501, "Unknown method", "known are \(Method.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        if let field = Self.singleFields.first(where: { headers.all($0).count > 1 }) {
            throw Problem(400, "Repeated header", "there is more than one \(field)")
        }
        guard headers["host"] != nil else { throw Problem(400, "No Host header", "HTTP/1.1 needs one") }
        guard headers["transfer-encoding"] == nil else {
            throw Problem(400, "Transfer-Encoding refused", "send the body with a Content-Length")
        }
        guard let parts = Target(target) else {
            throw Problem(400, "Bad request target", "it has to be a path with sound escapes and no control characters")
        }
        contentLength = try Self.contentLength(headers["content-length"])
        self.method = known
        self.target = parts
        self.headers = headers
    }

    private static func contentLength(_ text: String?) throws(Problem) -> Int {
        guard let text else { return 0 }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw Problem(400, "Bad Content-Length", "it has to be a whole number")
        }
        guard let length = Int(text), length <= longestBody else {
            throw Problem(413, "Body too large", "at most \(longestBody) bytes")
        }
        return length
    }
}
