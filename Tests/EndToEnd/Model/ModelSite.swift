import CCrypto
import TestSupport

/// A file of the model's server: bytes that its version alone decides.
struct ModelBody: Hashable, Sendable {
    enum Kind: Int, CaseIterable, Sendable {
        case png, jpeg, other
    }

    var kind: Kind
    var version: Int
    var size: Int

    var bytes: [UInt8] {
        let filling = (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ version &* 7) % 250) }
        let mark = Array("version \(version) ".utf8)
        return switch kind {
        case .png: PictureFile.png(mark + filling)
        case .jpeg: PictureFile.jpeg(mark + filling)
        case .other: [0, 1, 2] + mark + filling
        }
    }

    /// What the bytes tell; `bin` where they tell nothing and no URL does.
    var `extension`: String {
        switch kind {
        case .png: "png"
        case .jpeg: "jpg"
        case .other: "bin"
        }
    }
}

/// What the model's server has and how it answers: known to the server, which does so, and to the model, which foretells it.
struct ModelSite: Sendable {
    enum Validator: Int, CaseIterable, Sendable {
        case none, etag, weak, date, both
    }

    struct Resource: Sendable {
        let path: String
        var body: ModelBody
        var validator = Validator.etag
        /// Days for which a reply is fresh; 0 says nothing of it.
        var life = 0
        /// 200, or the error that it answers.
        var status = 200

        var etag: String? {
            switch validator {
            case .etag, .both: "\"v\(body.version)\""
            case .weak: "W/\"v\(body.version)\""
            case .none, .date: nil
            }
        }

        var date: String? {
            guard validator == .date || validator == .both else { return nil }
            let digits = [body.version / 3_600 % 24, body.version / 60 % 60, body.version % 60]
                .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
            return "Wed, 01 Jan 2020 \(digits) GMT"
        }

        var headers: [(String, String)] {
            var headers: [(String, String)] = []
            if let etag { headers.append(("ETag", etag)) }
            if let date { headers.append(("Last-Modified", date)) }
            if life > 0 { headers.append(("Cache-Control", "max-age=\(life * 86_400)")) }
            return headers
        }
    }

    /// What is asked of the server.
    struct Request: Hashable, Sendable, CustomStringConvertible {
        let path: String
        var etag: String?
        var date: String?
        var range: String?

        var description: String {
            [path, etag.map { "If-None-Match: \($0)" }, date.map { "If-Modified-Since: \($0)" }, range]
                .compactMap { $0 }.joined(separator: " ")
        }
    }

    var resources: [Resource]
    /// The latest version that any file has.
    var version: Int

    init(count: Int) {
        version = count
        resources = (0..<count).map { number in
            let kind = ModelBody.Kind.allCases[number % 3]
            let name = kind == .png && number % 2 == 0 ? "r\(number).png" : "r\(number)"
            return Resource(
                path: number % 4 == 3 ? "/d/\(name)" : "/\(name)",
                body: ModelBody(kind: kind, version: number, size: 100 + number * 37))
        }
    }

    func resource(_ path: String) -> Resource? { resources.first { $0.path == path } }

    /// The status that a request gets: 200 has the whole body.
    func status(of request: Request) -> Int {
        guard let resource = resource(request.path) else { return 404 }
        guard resource.status == 200 else { return resource.status }
        if let etag = request.etag {
            func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
            return resource.etag.map(opaque) == opaque(etag) ? 304 : 200
        }
        if let date = request.date { return resource.date == date ? 304 : 200 }
        return 200
    }
}

extension ModelSite.Request {
    init(_ request: FaultyServer.Request) {
        self.init(
            path: request.path, etag: request["If-None-Match"], date: request["If-Modified-Since"],
            range: request["Range"])
    }
}

/// SHA-256 in lower-case hexadecimal digits, by OpenSSL.
func modelDigest(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
