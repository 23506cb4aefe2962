/// The methods that the server knows; requests with any other are answered with 501.
package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case delete = "DELETE"

    /// Whether it only reads (RFC 9110, section 9.2.1).
    package var isSafe: Bool { self == .get || self == .head }
}

/// A request that obeys the server's rules: one Host, a decoded path without control characters, a body within the limit.
package struct Request: Sendable {
    package let method: Method
    /// Decoded, and begins with a slash. An encoded slash is refused, so that segments are what they seem.
    package let path: String
    package let query: Query
    package let headers: Headers
    package let body: [UInt8]

    init(method: Method, path: String, query: Query, headers: Headers, body: [UInt8]) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The parts of the path between slashes; none for `/`.
    package var segments: [Substring] {
        path == "/" ? [] : path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }
}

/// The fields of a request in the order in which they came.
package struct Headers: Sendable {
    private let fields: [(name: String, value: String)]

    init(_ fields: [(name: String, value: String)]) {
        self.fields = fields.map { ($0.name.lowercased(), $0.value) }
    }

    /// The values of a field, `name` in small letters.
    package func all(_ name: String) -> [String] {
        fields.compactMap { $0.name == name ? $0.value : nil }
    }

    /// The value of a field, `name` in small letters; the first one, where a field may occur more than once.
    package subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }
}
