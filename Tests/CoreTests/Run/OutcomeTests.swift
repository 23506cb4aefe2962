import Files
import Model
import TestSupport
import Testing

/// What one answer of a server comes to: the row, the item's state and the files.
@Suite("Outcomes", .timeLimit(.minutes(1)))
struct OutcomeTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var responses: [FaultyServer.Response]
        var transfer = ""
        var keys = ""
        var outcome = "failed"
        var failure: String?
        var attempts: Int64 = 1
        var status: Int64?
        /// Part of what a person is told.
        var detail = ""
    }

    /// A GIF of one pixel.
    private static let wholePicture: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
        + [2, 2, 0x44, 1, 0, 0x3B]

    private static let page = "<!DOCTYPE html><html><body>Please log in</body></html>"

    @Test("the row of each of many tells of its own item")
    func manyRows() async throws {
        let lengths = Dictionary(uniqueKeysWithValues: (0..<45).map { ("/\($0)", 100 + $0) })
        var responses = lengths.mapValues { [FaultyServer.Response.ok(String(repeating: "x", count: $0))] }
        let missing = ["/3", "/20", "/44"]
        for path in missing { responses[path] = [.status(404)] }
        let bench = try Bench(responses)
        let report = try await bench.run(lengths.keys.map { bench.item($0) })
        for (path, length) in lengths {
            let row = try report[String(path.dropFirst())]
            let isMissing = missing.contains(path)
            #expect(row.outcome == .text(isMissing ? "failed" : "downloaded"))
            #expect(row.status == (isMissing ? 404 : 200))
            #expect(row.transfer["body_bytes"] == .integer(isMissing ? 0 : Int64(length)))
        }
    }

    @Test(
        "an answer has its outcome, its word and its attempts",
        arguments: [
            Case(testDescription: "200", responses: [.ok(picture())], outcome: "downloaded", status: 200),
            Case(testDescription: "an empty body", responses: [.ok("")], outcome: "downloaded", status: 200),
            Case(
                testDescription: "chunks", responses: [.chunked(["abc", "def"])], outcome: "downloaded", status: 200),
            Case(
                testDescription: "404", responses: [.status(404)], failure: "http", status: 404,
                detail: "the server answered 404 Not Found"),
            Case(testDescription: "410", responses: [.status(410)], failure: "http", status: 410, detail: "Gone"),
            Case(testDescription: "403", responses: [.status(403)], failure: "http", status: 403),
            Case(testDescription: "204", responses: [.status(204)], failure: "http", status: 204),
            Case(
                testDescription: "429 with Retry-After, then 200",
                responses: [.status(429, headers: [("Retry-After", "0")]), .ok(picture())], outcome: "downloaded",
                attempts: 2, status: 200),
            Case(
                testDescription: "503 until the retries are used up", responses: [.status(503)], failure: "http",
                attempts: 3, status: 503, detail: "503 Service Unavailable"),
            Case(
                testDescription: "a transient failure, then a lasting one", responses: [.status(500), .status(404)],
                failure: "http", attempts: 2, status: 404),
            Case(
                testDescription: "no retries", responses: [.status(503)], transfer: "retries: 0", failure: "http",
                status: 503),
            Case(
                testDescription: "a reset, then 200",
                responses: [.ok(picture()).cut(after: 10, .reset), .ok(picture())], outcome: "downloaded", attempts: 2,
                status: 200),
            Case(
                testDescription: "a body that ends early, then 200",
                responses: [.ok(picture()).cut(after: 10, .close), .ok(picture())], outcome: "downloaded", attempts: 2,
                status: 200),
            Case(
                testDescription: "a body that always ends early", responses: [.ok(picture()).cut(after: 10, .close)],
                failure: "truncated", attempts: 3, status: 200),
            Case(
                testDescription: "a stall", responses: [.ok(picture()).cut(after: 10, .stall)],
                transfer: "stall_timeout: 100ms\nretries: 0", failure: "stalled", status: 200),
            Case(
                testDescription: "a reply that never comes", responses: [.silence()],
                transfer: "total_timeout: 100ms\nretries: 0", failure: "timeout"),
            Case(
                testDescription: "no HTTP", responses: [.raw("SSH-2.0-OpenSSH_9.2\r\n\r\n")], failure: "protocol"),
            Case(
                testDescription: "a broken coding",
                responses: [.ok("no gzip", headers: [("Content-Encoding", "gzip")])],
                failure: "encoding", status: 200),
            Case(
                testDescription: "a length over max_size", responses: [.ok(picture(200))], transfer: "max_size: 200",
                failure: "too-large", status: 200),
            Case(
                testDescription: "a body over max_size without a length", responses: [.endless()],
                transfer: "max_size: 100kB", failure: "too-large", status: 200),
            Case(
                testDescription: "a body of just max_size", responses: [.ok(picture(192))], transfer: "max_size: 200",
                outcome: "downloaded", status: 200),
            Case(
                testDescription: "a page instead of a picture",
                responses: [.ok(page, headers: [("Content-Type", "text/html; charset=utf-8")])], keys: "expect: image",
                failure: "wrong-type", status: 200, detail: "expected an image, got text/html (Content-Type text/html)"),
            Case(
                testDescription: "nothing instead of a picture", responses: [.ok("")], keys: "expect: image",
                failure: "wrong-type", status: 200, detail: "expected an image, got an empty body"),
            Case(
                testDescription: "a picture for one of several types", responses: [.ok(wholePicture)],
                keys: "expect: [pdf, image]", outcome: "downloaded", status: 200),
            Case(
                testDescription: "a picture that is cut", responses: [.ok(Array(wholePicture.dropLast(4)))],
                keys: "expect: image", failure: "corrupt", status: 200, detail: "the GIF ends within a picture"),
            Case(
                testDescription: "a large picture that is cut",
                responses: [.ok(picture(300_000))], keys: "expect: image", failure: "corrupt", status: 200,
                detail: "the PNG"),
            Case(
                testDescription: "a picture that is cut, where anything is welcome",
                responses: [.ok(Array(wholePicture.dropLast(4)))], outcome: "downloaded", status: 200),
            Case(
                testDescription: "304 that was not asked for", responses: [.status(304)], failure: "protocol",
                status: 304, detail: "without a condition"),
            Case(
                testDescription: "206 that was not asked for", responses: [.partial(of: picture(), from: 10)],
                failure: "protocol", status: 206, detail: "206 to a request for the whole"),
            Case(
                testDescription: "a redirect to a file", responses: [.redirect(to: "file:///etc/passwd")],
                failure: "redirect", status: 302, detail: "file"),
            Case(
                testDescription: "a redirect without a place", responses: [.status(301)], failure: "redirect",
                status: 301, detail: "without a Location"),
            Case(
                testDescription: "a redirect to itself", responses: [.redirect(to: "/a")], failure: "redirect",
                status: 302, detail: "more than 10 redirects"),
        ])
    func answer(_ example: Case) async throws {
        let bench = try Bench(["/a": example.responses], transfer: example.transfer, keys: example.keys)
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == .text(example.outcome))
        #expect(row.failure == example.failure.map(Cell.text) ?? .null)
        #expect(row.attempts == .integer(example.attempts))
        #expect(row.status == example.status.map(Cell.integer) ?? .null)
        #expect(row.detail.contains(example.detail), "\(row.detail)")
        #expect(row.state == (example.outcome == "failed" ? "failed" : "stored"))
        #expect(bench.files.count == (example.outcome == "failed" ? 0 : 1))
    }

    @Test("a stored item has its file, its type and its sums")
    func stored() async throws {
        let body = picture(1_000)
        let headers = [
            ("ETag", "\"v1\""), ("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT"), ("Content-Type", "image/png"),
        ]
        let bench = try Bench(["/a": [.ok(body, headers: headers)]])
        let report = try await bench.run("/a")
        let row = try report["a"]
        #expect(report.outcome == .complete)
        #expect(bench.file("a.png") == body)
        #expect(row.path == "a.png")
        #expect(row.item["media_type"] == "image/png")
        #expect(row.item["size"] == .integer(Int64(body.count)))
        #expect(row.item["etag"] == "\"v1\"")
        #expect(row.item["last_modified"] == "Wed, 21 Oct 2015 07:28:00 GMT")
        #expect(row.transfer["wire_bytes"] == .integer(Int64(body.count)))
        #expect(row.transfer["body_bytes"] == .integer(Int64(body.count)))
        #expect(row.transfer["http_version"] == "1.1")
        #expect(row.transfer["address"]?.text?.hasPrefix("127.0.0.1") == true)
        #expect(report.run["selection"] == .null)
        #expect(report.run["runner_version"] == "0-test")
    }

    @Test("bytes of all attempts and hops count as received")
    func wireBytes() async throws {
        let body = picture(92)
        let bench = try Bench([
            "/a": [.redirect(to: "/b")], "/b": [.ok(body).cut(after: 10, .close), .ok(body)],
        ])
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(row.transfer["wire_bytes"] == 110)
        #expect(row.transfer["body_bytes"] == 100)
        #expect(row.attempts == 2)
        #expect(bench.requests("/a").count == 2, "a try begins at home again")
    }

    @Test("a digest and a length that the list promises are checked", arguments: ["right", "digest", "length"])
    func promises(_ what: String) async throws {
        let body = picture()
        var bench = try Bench(["/a": [.ok(body)]])
        var hasher = SHA256()
        body.withUnsafeBytes { hasher.update($0) }
        let item = bench.item("/a").with(
            size: what == "length" ? 7 : Int64(body.count),
            sha256: what == "digest" ? String(repeating: "a", count: 64) : hasher.finalize().hex.uppercased())
        let row = try await bench.run([item])["a"]
        #expect(row.outcome == (what == "right" ? "downloaded" : "failed"))
        #expect(row.failure == (what == "right" ? .null : "checksum"))
        #expect(row.attempts == 1)
        bench.foreignFiles = []
    }

    @Test("a large body that the list has another length for leaves no part")
    func noPartOfWrongBody() async throws {
        let body = picture(200_000)
        let bench = try Bench(["/a": [.ok(body, headers: [("ETag", "\"v1\"")])]])
        let item = bench.item("/a").with(size: 7)
        #expect(try await bench.run([item])["a"].failure == "checksum")
        #expect(try await bench.run([item])["a"].failure == "checksum")
        #expect(bench.requests("/a").allSatisfy { $0["Range"] == nil })
    }

    @Test(
        "an entry that can't be asked for is invalid, and says why",
        arguments: [
            ("ftp://example.org/a", "only http and https"), ("", ""), ("http://", ""), ("no url", ""),
            ("http://127.0.0.1:0/a", "0 is not a port"),
        ])
    func invalid(_ url: String, _ reason: String) async throws {
        let bench = try Bench()
        let item = bench.item("/a").with(url: url)
        let report = try await bench.run([item])
        let row = try report["a"]
        #expect(row.failure == "invalid")
        #expect(row.attempts == 0)
        #expect(row.detail.contains(reason), "\(row.detail)")
        #expect(!row.detail.contains("WebURLError"), "\(row.detail)")
        #expect(report.outcome == .partial)
    }

    @Test("an entry that the source calls invalid is not asked for")
    func invalidByList() async throws {
        let bench = try Bench(["/a": [.ok("x")]])
        let item = bench.item("/a").with(invalid: "element 3 is no URL")
        let row = try await bench.run([item])["a"]
        #expect(row.failure == "invalid")
        #expect(row.detail == "element 3 is no URL")
        #expect(bench.server.requests.isEmpty)
    }

    @Test("a place that the job file does not name must have a public address")
    func blockedAddress() async throws {
        let other = try FaultyServer { _ in .ok("secret") }
        let bench = try Bench(["/a": [.redirect(to: other.url("/x"))]])
        var listed = bench.item("/b")
        listed = listed.with(url: other.url("/y"))
        let report = try await bench.run([bench.item("/a"), listed])
        #expect(try report["a"].failure == "blocked-address")
        #expect(try report["b"].failure == "blocked-address")
        #expect(other.requests.isEmpty)
        #expect(try report["a"].attempts == 1)
    }

    @Test("the job file may allow addresses that are not public")
    func allowedAddress() async throws {
        let other = try FaultyServer { _ in .ok("public enough") }
        let bench = try Bench(["/a": [.redirect(to: other.url("/x"))]], transfer: "allow_private_addresses: true")
        #expect(try await bench.run("/a")["a"].outcome == "downloaded")
    }

    @Test(
        "failures within allow_failed are acceptable, more are not",
        arguments: [("1", true), ("50%", true), ("0", false)])
    func allowance(_ allowed: String, _ isAcceptable: Bool) async throws {
        let bench = try Bench(["/a": [.ok("x")]], keys: "allow_failed: \(allowed)")
        let report = try await bench.run("/a", "/missing")
        #expect(report.outcome == .partial)
        #expect(report.finished?.isAcceptable == isAcceptable)
    }
}
