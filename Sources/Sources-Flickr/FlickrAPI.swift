import FoundationEssentials
import Model
import SourceKit

/// Asks Flickr's API: each request within the hourly budget of its key, each reply either what was asked for or an error.
struct FlickrAPI: Sendable {
    /// Requests in an hour that a key may make in all (flickr.com/services/developer/api).
    private static let hourlyRequests = 3_600
    private static let hour: Int64 = 3_600_000_000

    private let endpoint: String
    private let key: String
    private let context: SourceContext

    init(options: FlickrOptions, context: SourceContext) {
        endpoint = options.endpoint
        key = options.apiKey
        self.context = context
    }

    /// The pins that people have set for the job.
    func pins() async throws -> [SourcePin] { try await context.pins() }

    /// Whether items may be selected whose keys begin with a text.
    func mayTake(keysBelow prefix: String) -> Bool { context.mayTake(keysBelow: prefix) }

    /// Microseconds since 1970 UTC.
    func now() -> Int64 { context.now() }

    /// What the reply to a method holds.
    ///
    /// - Throws: ``FlickrRefusal`` when the method refuses its arguments, ``FlickrError`` for everything that would
    ///   befall other requests too.
    func call<Content: Decodable>(
        _ method: FlickrMethod, _ arguments: [(name: String, value: String)], _ content: Content.Type = Content.self
    ) async throws -> Content {
        try await spend(1)
        let reply = try await ask(method, arguments)
        guard (200...299).contains(reply.status) else { throw FlickrError.status(method, reply.status) }
        switch FlickrReply<Content>(reply.body) {
        case .content(let content): return content
        case .unreadable(let beginning): throw FlickrError.unreadable(method, context.excerpt(beginning, 60))
        case .fault(let fault):
            throw FlickrError(fault, method) ?? FlickrRefusal(method: method, fault: fault)
        }
    }

    private func ask(
        _ method: FlickrMethod, _ arguments: [(name: String, value: String)]
    ) async throws -> FetchedReply {
        do {
            let reply = try await context.fetch(
                url(method, arguments), headers: [ListedHeader(name: "Accept-Language", value: "en")]
            ) { [context] in Self.transientFailure(of: $0, method, context) }
            try await spend(reply.attempts - 1)
            return reply
        } catch let error as FetchError {
            // A run that ends counts nothing more.
            if error.failure != .cancelled { try await spend(error.attempts - 1) }
            throw FlickrError(error, method)
        }
    }

    /// Tries count like requests; how many there were is known only afterwards.
    private func spend(_ requests: Int) async throws {
        for _ in 0..<max(0, requests) {
            try await context.budget("\(endpoint) \(key)", limit: Self.hourlyRequests, per: Self.hour)
        }
    }

    private func url(_ method: FlickrMethod, _ arguments: [(name: String, value: String)]) -> String {
        let common = [("method", method.rawValue), ("api_key", key), ("format", "json"), ("nojsoncallback", "1")]
        let query = (common + arguments.map { ($0.name, $0.value) }).map { "\($0.0)=\(queryEncoded($0.1))" }
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query.joined(separator: "&")
    }

    /// Why a reply that came is none: Flickr puts passing failures into replies with status 200.
    private static func transientFailure(of reply: FetchedReply, _ method: FlickrMethod, _ context: SourceContext)
        -> String?
    {
        guard (200...299).contains(reply.status) else { return nil }
        // A list: only what is short, or is cut off, can be an error.
        if reply.body.count > 16_384, reply.body.last(where: { $0 > 0x20 }) == UInt8(ascii: "}") { return nil }
        switch FlickrReply<NoContent>(reply.body) {
        case .content: return nil
        case .unreadable(let beginning):
            return FlickrError.unreadable(method, context.excerpt(beginning, 60)).description
        case .fault(let fault):
            return method.isTransient(fault.code) ? fault.message : nil
        }
    }

    private struct NoContent: Decodable {}
}

// MARK: Memory

extension FlickrAPI {
    /// Places keep their names; what is remembered is asked again after so long.
    private static let memoryAge: Int64 = 180 * 86_400_000_000

    /// What was remembered under a key; nil where nothing was, or nothing that this version reads.
    func recall<Value: Decodable>(_ key: String, _ type: Value.Type = Value.self) async throws -> Value? {
        guard let text = try await context.recall([key], youngerThan: Self.memoryAge)[key] else { return nil }
        return try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    /// Remembers a value for later runs.
    func remember(_ value: some Encodable, as key: String) async throws {
        let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        try await context.remember([key: text])
    }
}

/// A value of a query (RFC 3986 section 3.4): everything but unreserved characters as `%XX`.
private func queryEncoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            result.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            let digits = String(byte, radix: 16, uppercase: true)
            result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
        }
    }
    return result
}
