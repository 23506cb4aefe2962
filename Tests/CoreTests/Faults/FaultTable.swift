import TestSupport

/// The faults of a plain server, by what they are about.
enum FaultTable {
    private typealias Response = FaultyServer.Response

    static let all = bodies + ranges + conditions + statuses + codings + digests + heads + places

    /// What the server of the matrix answers, by path.
    static let responses = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0.responses) })

    private static let body = Fault.body
    private static let other = Fault.other
    private static let strong = Fault.strong
    private static let head = "HTTP/1.1 200 OK\r\n"
    private static let whole = Response.ok(body, headers: strong)

    private static func rest(
        from start: Int = 100_000, range: String? = nil, _ headers: [(String, String)] = strong
    ) -> Response {
        .partial(of: body, from: start, contentRange: range, headers: headers)
    }

    // MARK: The body and its length

    private static let bodies: [Fault] = [
        Fault(
            name: "short-body", responses: [.ok(body).declaring(length: 300_000)], failure: "truncated", attempts: 3,
            status: 200, detail: "200000 of 300000 bytes came"),
        .downloaded("short-body-once", [.ok(body).declaring(length: 300_000), .ok(body)], attempts: 2),
        .downloaded("long-body", [.ok(body + other).declaring(length: body.count).closing()], attempts: 1),
        Fault(
            name: "two-content-lengths", responses: [.raw(head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy")],
            failure: "protocol", status: 200),
        Fault(
            name: "negative-content-length", responses: [.raw(head + "Content-Length: -5\r\n\r\nxy")],
            failure: "protocol"),
        Fault(
            name: "content-length-over-max-size", responses: [.ok(body)], transfer: "max_size: 100kB",
            failure: "too-large", status: 200),
        Fault(
            name: "missing-last-chunk", responses: [.chunked(["abc", "def"]).cut(after: 16, .close)],
            failure: "truncated", attempts: 3, status: 200),
        Fault(
            name: "broken-chunk-size", responses: [.raw(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n")],
            failure: "protocol", status: 200),
        Fault(
            name: "reset-at-byte-0", responses: [.ok(body).cut(after: 0, .reset)], failure: "reset", attempts: 3,
            status: 200),
        Fault(
            name: "reset-at-byte-1", responses: [.ok(body).cut(after: 1, .reset)], failure: "reset", attempts: 3,
            status: 200),
        .downloaded("reset-at-byte-100000", [.ok(body).cut(after: 100_000, .reset), .ok(body)], attempts: 2),
        .downloaded(
            "reset-and-resumed", [whole.cut(after: 100_000, .close), rest()], attempts: 2, status: 206),
        Fault(
            name: "reset-kept-for-the-next-run", responses: [whole.cut(after: 100_000, .close)],
            transfer: "retries: 0", failure: "truncated", status: 200, leavesPart: true),
        Fault(
            name: "stall-before-the-reply", responses: [.silence()], transfer: "stall_timeout: 100ms\nretries: 1",
            failure: "stalled", attempts: 2),
        Fault(
            name: "stall-at-byte-10", responses: [.ok(body).cut(after: 10, .stall)],
            transfer: "stall_timeout: 100ms\nretries: 1", failure: "stalled", attempts: 2, status: 200),
        Fault(
            name: "one-byte-a-second", responses: [.ok(body).dripping(everyMilliseconds: 1_000)],
            transfer: "stall_timeout: 300ms\nretries: 0", failure: "stalled", status: 200),
        Fault(
            name: "endless-body", responses: [.endless()], transfer: "max_size: 100kB", failure: "too-large",
            status: 200),
        Fault(
            name: "never-done", responses: [.endless()],
            transfer: "total_timeout: 150ms\nretries: 0\nbandwidth: 100kB/s",
            failure: "timeout", status: 200, detail: "total timeout"),
        Fault(
            name: "html-instead-of-a-picture",
            responses: [.ok("<!DOCTYPE html><html>Log in", headers: [("Content-Type", "text/html")])],
            keys: "expect: image", failure: "wrong-type", status: 200, detail: "got text/html"),
        Fault(
            name: "nothing-instead-of-a-picture", responses: [.ok("")], keys: "expect: image", failure: "wrong-type",
            status: 200),
    ]

    // MARK: Ranges

    private static let broken = whole.cut(after: 100_000, .close)

    private static let ranges: [Fault] = [
        .downloaded(
            "200-to-a-range", [broken, .ok(other, headers: [("ETag", "\"v2\"")])], other, attempts: 2),
        .downloaded(
            "206-with-the-wrong-start", [broken, rest(from: 99_999), whole], attempts: 3),
        .downloaded(
            "206-of-another-length", [broken, rest(range: "bytes 100000-199999/200001"), whole], attempts: 3),
        .downloaded(
            "206-without-content-range",
            [broken, .status(206, Array(body[100_000...]), headers: strong), whole], attempts: 3),
        .downloaded(
            "206-multipart",
            [
                broken,
                .status(
                    206, Array("--b\r\nContent-Range: bytes 100000-199999/200000\r\n\r\nx\r\n--b--\r\n".utf8),
                    headers: strong + [("Content-Type", "multipart/byteranges; boundary=b")]),
                whole,
            ], attempts: 3),
        .downloaded(
            "206-of-another-version",
            [broken, rest([("ETag", "\"v2\"")]), .ok(other, headers: [("ETag", "\"v2\"")])], other, attempts: 3),
        .downloaded("206-without-its-entity-tag", [broken, rest([]), whole], attempts: 3),
        .downloaded("206-that-is-coded", [broken, rest(strong + [("Content-Encoding", "gzip")]), whole], attempts: 3),
        .downloaded(
            "206-that-ends-early", [broken, rest().cut(after: 50_000, .close), rest(from: 150_000)], attempts: 3,
            status: 206),
        Fault(
            name: "206-unasked", responses: [.partial(of: body, from: 10)], failure: "protocol", status: 206,
            detail: "206 to a request for the whole"),
        .downloaded(
            "416-with-all-there",
            [
                .brokenChunks(prefix: 200_000, of: body),
                .status(416, headers: [("Content-Range", "bytes */200000")] + strong),
            ], attempts: 2, status: 416),
        .downloaded(
            "416-of-another-length",
            [broken, .status(416, headers: [("Content-Range", "bytes */99")] + strong), whole],
            attempts: 2),
        .downloaded("416-without-content-range", [broken, .status(416, headers: strong), whole], attempts: 2),
        .downloaded(
            "416-of-another-version",
            [
                .brokenChunks(prefix: 200_000, of: body),
                .status(416, Array("error".utf8), headers: [("Content-Range", "bytes */200000"), ("ETag", "\"v2\"")]),
                .ok(other),
            ], other, attempts: 2),
        Fault(name: "416-unasked", responses: [.status(416)], failure: "http", status: 416),
        .downloaded("412-to-a-range", [broken, .status(412), whole], attempts: 3),
        .downloaded(
            "weak-entity-tag", [.ok(body, headers: [("ETag", "W/\"v1\"")]).cut(after: 100_000, .close), whole],
            attempts: 2),
        .downloaded(
            "half-an-entity-tag", [.ok(body, headers: [("ETag", "\"v1")]).cut(after: 100_000, .close), whole],
            attempts: 2),
    ]

    // MARK: Conditions

    private static let conditions: [Fault] = [
        Fault(
            name: "304-with-the-file-gone", responses: [whole, .status(304)], isSecondRun: true, deletesFile: true,
            failure: "protocol", status: 304),
        Fault(
            name: "304-unasked", responses: [.status(304)], failure: "protocol", status: 304,
            detail: "without a condition"),
        .downloaded(
            "304-of-another-version",
            [whole, .status(304, headers: [("ETag", "\"v2\"")]), .ok(other, headers: [("ETag", "\"v2\"")])], other,
            attempts: 2, isSecondRun: true),
        Fault(
            name: "403-for-what-is-stored", responses: [whole, .status(403)], isSecondRun: true, failure: "http",
            status: 403, file: .bytes(body)),
        Fault(
            name: "truncated-for-what-is-stored", responses: [whole, .ok(other).cut(after: 10, .close)],
            isSecondRun: true, failure: "truncated", attempts: 3, status: 200, file: .bytes(body)),
    ]

    // MARK: Statuses

    private static let statuses: [Fault] = [
        .downloaded("429-with-retry-after", [.status(429, headers: [("Retry-After", "0")]), .ok(body)], attempts: 2),
        Fault(
            name: "429-without-retry-after", responses: [.status(429)], failure: "http", attempts: 3, status: 429,
            detail: "429 Too Many Requests"),
        .downloaded(
            "503-with-a-date-that-is-past",
            [.status(503, headers: [("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT")]), .ok(body)], attempts: 2),
        .downloaded(
            "503-with-no-sense-in-retry-after", [.status(503, headers: [("Retry-After", "soon")]), .ok(body)],
            attempts: 2),
        Fault(
            name: "503-with-an-absurd-retry-after",
            responses: [.status(503, headers: [("Retry-After", "999999999999")])], transfer: "retries: 0",
            failure: "http", status: 503, detail: "Retry-After 999999999999 s"),
        Fault(name: "503-without-retry-after", responses: [.status(503)], failure: "http", attempts: 3, status: 503),
        Fault(
            name: "500-then-404", responses: [.status(500), .status(404)], failure: "http", attempts: 2, status: 404),
        Fault(name: "204", responses: [.status(204)], failure: "http", status: 204),
    ]

    // MARK: Content codings

    private static let codings: [Fault] = [
        .downloaded(
            "coded-unasked", [.ok(gzipped, headers: [("Content-Encoding", "gzip")])],
            Array("hello hello hello\n".utf8), attempts: 1),
        .downloaded(
            "coded-and-broken-off",
            [
                .ok(gzipped, headers: strong + [("Content-Encoding", "gzip")]).cut(after: 20, .close),
                .ok(gzipped, headers: strong + [("Content-Encoding", "gzip")]),
            ], Array("hello hello hello\n".utf8), attempts: 2),
        Fault(
            name: "coded-and-cut", responses: [.ok(Array(gzipped.prefix(20)), headers: [("Content-Encoding", "gzip")])],
            failure: "encoding", status: 200, detail: "the body ends before its gzip stream does"),
        Fault(
            name: "gzip-bomb", responses: [.ok(bomb, headers: [("Content-Encoding", "deflate")])],
            transfer: "max_size: 100kB", failure: "too-large", status: 200),
        Fault(
            name: "unknown-coding", responses: [.ok("x", headers: [("Content-Encoding", "sdch")])],
            failure: "encoding", status: 200),
        Fault(
            name: "no-gzip-in-spite-of-its-name", responses: [.ok("no gzip", headers: [("Content-Encoding", "gzip")])],
            failure: "encoding", status: 200),
    ]

    // MARK: Digests

    private static func digest(_ field: String, _ algorithm: TestDigest, of bytes: [UInt8]) -> (String, String) {
        (field, algorithm.member(of: bytes))
    }

    private static func trailed(_ bytes: [UInt8], _ fields: [(String, String)]) -> Response {
        let size = String(bytes.count, radix: 16)
        let trailer = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        return .steps([
            .send(Array((head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n").utf8) + bytes),
            .send(Array("\r\n0\r\n\(trailer)\r\n".utf8)),
        ])
    }

    private static let digests: [Fault] = [
        .downloaded(
            "repr-digest-wrong-once",
            [
                .ok(body, headers: [digest("Repr-Digest", .sha256, of: other)]),
                .ok(body, headers: [digest("repr-digest", .sha256, of: body)]),
            ], attempts: 2),
        Fault(
            name: "repr-digest-wrong", responses: [.ok(body, headers: [digest("Repr-Digest", .sha256, of: other)])],
            failure: "checksum", attempts: 3, status: 200, detail: "the server promises SHA-256 "),
        Fault(
            name: "content-digest-wrong",
            responses: [.ok(body, headers: [digest("Content-Digest", .sha512, of: other)])],
            failure: "checksum", attempts: 3, status: 200, detail: "the server promises SHA-512 "),
        .downloaded(
            "repr-digest-of-a-resumed-body",
            [broken, rest(strong + [digest("Repr-Digest", .sha256, of: other)]), whole], attempts: 3),
        .downloaded(
            "content-digest-of-the-rest",
            [broken, rest(strong + [digest("Content-Digest", .sha512, of: Array(body[100_000...]))])], attempts: 2,
            status: 206),
        .downloaded(
            "content-digest-of-the-rest-wrong",
            [broken, rest(strong + [digest("Content-Digest", .sha256, of: body)]), whole], attempts: 3),
        .downloaded(
            "sha-512-of-a-resumed-body",
            [broken, rest(strong + [digest("Repr-Digest", .sha512, of: body)])], attempts: 2, status: 206),
        .downloaded(
            "sha-512-of-a-resumed-body-wrong",
            [broken, rest(strong + [digest("Repr-Digest", .sha512, of: other)]), whole], attempts: 3),
        .downloaded(
            "digests-in-the-trailer",
            [
                trailed(body, [digest("Repr-Digest", .sha512, of: body), digest("Content-Digest", .sha256, of: body)])
            ], attempts: 1),
        Fault(
            name: "repr-digest-in-the-trailer-wrong",
            responses: [trailed(body, [digest("Repr-Digest", .sha512, of: other)])], failure: "checksum", attempts: 3,
            status: 200, detail: "the server promises SHA-512 "),
        Fault(
            name: "content-digest-in-the-trailer-wrong",
            responses: [trailed(Array(body.prefix(5_000)), [digest("Content-Digest", .sha256, of: other)])],
            failure: "checksum", attempts: 3, status: 200, detail: "the server promises SHA-256 "),
        .downloaded(
            "digests-that-are-none",
            [
                .ok(
                    body,
                    headers: [
                        ("Repr-Digest", "md5=:AAAA:, sha-256=:AAAA:"), ("Content-Digest", "sha-512=xyz"),
                        ("Repr-Digest", "sha-256"),
                    ])
            ], attempts: 1),
        .downloaded(
            "digest-of-a-coded-body",
            [
                .ok(
                    gzipped, headers: [("Content-Encoding", "gzip"), digest("Repr-Digest", .sha256, of: gzipped)])
            ], Array("hello hello hello\n".utf8), attempts: 1),
    ]

    // MARK: Heads

    private static let heads: [Fault] = [
        Fault(name: "no-reply", responses: [.steps([.close])], failure: "reset", attempts: 3),
        Fault(name: "no-http", responses: [.raw("SSH-2.0-OpenSSH_9.2\r\n\r\n")], failure: "protocol"),
        Fault(name: "the-body-alone", responses: [.raw("<html>hello</html>")], failure: "protocol"),
        Fault(
            name: "garbage-headers", responses: [.raw(head + "\u{1}\u{2}garbage\u{7F}\r\nA: b\r\n\r\n")],
            failure: "protocol"),
        Fault(
            name: "nul-in-a-header", responses: [.raw(head + "A: b\u{0}c\r\nContent-Length: 1\r\n\r\nx")],
            failure: "protocol"),
        Fault(
            name: "100000-headers",
            responses: [.raw(head + String(repeating: "X-A: b\r\n", count: 100_000) + "\r\n")], failure: "protocol",
            detail: "exceeds 1000 lines"),
        Fault(
            name: "endless-interim-replies",
            responses: [.steps([.endless(Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8))])],
            failure: "protocol"),
        Fault(
            name: "slow-headers", responses: [.ok(body).drippingHead(everyMilliseconds: 50)],
            transfer: "stall_timeout: 200ms\nretries: 0", failure: "stalled"),
        Fault(
            name: "end-within-the-head", responses: [.raw(head + "Content-Len")], failure: "truncated", attempts: 3),
    ]

    // MARK: Where a request leads

    private static let places: [Fault] = [
        Fault(
            name: "slow-redirects", responses: [.redirect(to: "/slow-redirects").drippingHead(everyMilliseconds: 5)],
            transfer: "total_timeout: 1s\nretries: 0", failure: "timeout", detail: "the total timeout of 1 s"),
        Fault(
            name: "redirect-loop", responses: [.redirect(to: "/redirect-loop")], failure: "redirect", status: 302,
            detail: "more than 10 redirects"),
        Fault(
            name: "redirect-to-a-file", responses: [.redirect(to: "file:///etc/passwd")], failure: "redirect",
            status: 302),
        Fault(name: "redirect-to-nowhere", responses: [.status(301)], failure: "redirect", status: 301),
        Fault(
            name: "redirect-to-a-private-address", responses: [.redirect(to: "http://10.0.0.1/x")],
            failure: "blocked-address", detail: "10.0.0.1"),
        Fault(
            name: "redirect-to-the-metadata-service", responses: [.redirect(to: "http://169.254.169.254/latest/")],
            failure: "blocked-address"),
        Fault(
            name: "redirect-to-a-mapped-address", responses: [.redirect(to: "http://[::ffff:127.0.0.1]/x")],
            failure: "blocked-address"),
        Fault(
            name: "redirect-to-a-number", responses: [.redirect(to: "http://2130706433/x")],
            failure: "blocked-address", detail: "127.0.0.1"),
        Fault(
            name: "a-name-that-resolves-to-nothing", responses: [], url: "http://no-such-host.invalid/x",
            failure: "dns", attempts: 3),
        Fault(
            name: "a-name-that-resolves-to-loopback", responses: [], url: "http://localhost:{port}/x",
            failure: "blocked-address"),
        Fault(
            name: "a-port-where-nothing-listens", responses: [], transfer: "allow_private_addresses: true",
            url: "http://127.0.0.1:1/x", failure: "connect", attempts: 3),
    ]

    /// "hello hello hello\n" by gzip.
    private static let gzipped: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40,
        0x90, 0x5c, 0x00, 0x3b, 0x7c, 0x8a, 0xdf, 0x12, 0x00, 0x00, 0x00,
    ]

    /// Some 6 kB that decode to a megabyte: one letter, then 4,000 times "the last byte 258 times" (RFC 1951, 3.2.6).
    private static let bomb: [UInt8] = {
        var bits: [UInt8] = [1, 1, 0] + [1, 0, 0, 1, 0, 0, 0, 1]
        for _ in 0..<4_000 { bits += [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0] }
        var bytes: [UInt8] = [0x78, 0x9C]
        for start in stride(from: 0, to: bits.count, by: 8) {
            bytes.append(
                bits[start..<min(start + 8, bits.count)].enumerated().reduce(0) { $0 | $1.element << $1.offset })
        }
        return bytes
    }()
}
