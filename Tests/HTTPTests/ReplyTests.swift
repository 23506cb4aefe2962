import HTTP
import System
import TestSupport
import Testing

@Suite("Replies", .timeLimit(.minutes(1)))
struct ReplyTests {
    @Test("a reply comes with status, headers, version, body, sizes and address")
    func plainReply() throws {
        let server = try FaultyServer { _ in
            .ok("hello", headers: [("ETag", "\"x\""), ("Set-Cookie", "a"), ("set-cookie", " b ")])
        }
        let client = try TestClient()
        let state = try client.fetch(server.url("/x"))
        let result = state.result
        #expect(result.failure == nil)
        #expect(state.text == "hello")
        #expect(result.status == 200)
        #expect(result.version == "1.1")
        #expect(result.headers["etag"] == "\"x\"")
        #expect(result.headers["absent"] == nil)
        #expect(result.headers.all("Set-Cookie") == ["a", "b"])
        #expect(result.wireBytes == 5)
        #expect(result.bodyBytes == 5)
        #expect(result.address == "127.0.0.1")
        #expect(!result.isConnectionReused)
        #expect(state.heads.map(\.status) == [200])
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let response: FaultyServer.Response
        var status = 200
        var body = ""
        var wireBytes: Int64?

        init(
            _ testDescription: String, _ response: FaultyServer.Response, status: Int = 200, body: String = "",
            wireBytes: Int64? = nil
        ) {
            self.testDescription = testDescription
            self.response = response
            self.status = status
            self.body = body
            self.wireBytes = wireBytes
        }
    }

    /// "hello hello hello\n" by gzip, 29 bytes.
    static let gzipped: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40,
        0x90, 0x5c, 0x00, 0x3b, 0x7c, 0x8a, 0xdf, 0x12, 0x00, 0x00, 0x00,
    ]

    @Test(
        "complete replies of every form are complete",
        arguments: [
            Case("empty body", .ok("")),
            Case("chunked", .chunked(["ab", "", "c"].filter { !$0.isEmpty }), body: "abc"),
            Case("chunked and empty", .chunked([])),
            Case("until the connection closes", .untilClose("to the end"), body: "to the end"),
            Case("closing after a length", .ok("last").closing(), body: "last"),
            Case("byte by byte", .ok("slow").drippingHead(everyMilliseconds: 0), body: "slow"),
            Case(
                "not modified, with the length of what is not sent",
                .raw("HTTP/1.1 304 Not Modified\r\nContent-Length: 999\r\n\r\n"), status: 304),
            Case("no content", .status(204), status: 204),
            Case("an error with a body", .status(404, Array("gone".utf8)), status: 404, body: "gone"),
            Case("a redirect, which is not followed", .redirect(to: "/elsewhere"), status: 302),
            Case("a part", .partial(of: Array("abcdef".utf8), from: 4), status: 206, body: "ef"),
            Case(
                "interim replies first",
                .raw("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
                body: "x"),
            Case(
                "a trailer",
                .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Sum: 1\r\n\r\n"), body: "x"),
            Case(
                "chunked in spite of a length",
                .raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"),
                body: "x"),
            Case(
                "the same length twice",
                .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx"), body: "x"),
            Case(
                "coded although not asked for", .ok(gzipped, headers: [("Content-Encoding", "gzip")]),
                body: "hello hello hello\n", wireBytes: 29),
            Case("bytes after the length", .ok("exact and more").declaring(length: 5).closing(), body: "exact"),
        ])
    func complete(_ example: Case) throws {
        let server = try FaultyServer { _ in example.response }
        let client = try TestClient()
        let state = try client.fetch(server.url())
        #expect(state.failure == nil)
        #expect(state.result.status == example.status)
        #expect(state.text == example.body)
        #expect(state.result.bodyBytes == Int64(example.body.utf8.count))
        #expect(state.result.wireBytes == example.wireBytes ?? Int64(example.body.utf8.count))
        #expect(state.heads.count == 1)
    }

    @Test("headers are looked up by name, without case and without the space around their values")
    func lookup() {
        let headers = HTTPHeaders([
            HTTPHeader("Accept", "a"), HTTPHeader("ACCEPT-RANGES", "\t bytes  "), HTTPHeader("accept", "b: c"),
            HTTPHeader("Empty", ""),
        ])
        #expect(headers["accept-ranges"] == "bytes")
        #expect(headers["Accept"] == "a")
        #expect(headers.all("Accept") == ["a", "b: c"])
        #expect(headers["empty"] == "")
        #expect(headers["Accep"] == nil)
        #expect(headers["Accept-Range"] == nil)
        #expect(HTTPHeaders()["x"] == nil)
    }

    @Test("only the final header block is looked up")
    func finalBlock() throws {
        let server = try FaultyServer { _ in
            .raw(
                "HTTP/1.1 103 Early Hints\r\nX-A: early\r\n\r\nHTTP/1.1 200 OK\r\nX-A: late\r\nContent-Length: 0\r\n\r\n"
            )
        }
        let client = try TestClient()
        #expect(try client.fetch(server.url()).result.headers.all("x-a") == ["late"])
    }

    @Test("a header is whole whatever its length, and nothing of it is in the next reply's")
    func longHeader() throws {
        let values = (0..<500).map { "\($0)" + String(repeating: "x", count: 50) }
        let server = try FaultyServer { request in
            .ok("", headers: request.path == "/long" ? values.map { ("X-Long", $0) } : [("X-Short", "a")])
        }
        let client = try TestClient()
        #expect(try client.fetch(server.url("/long")).result.headers.all("X-Long") == values)
        let next = try client.fetch(server.url("/short")).result.headers
        #expect(next.all("X-Long").isEmpty)
        #expect(next["X-Short"] == "a")
    }

    @Test("a header value outside UTF-8 is read as ISO 8859-1")
    func latinHeader() throws {
        let server = try FaultyServer { _, connection in
            connection.send(
                Array("HTTP/1.1 200 OK\r\nX-Name: caf".utf8) + [0xE9] + Array("\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        let client = try TestClient()
        #expect(try client.fetch(server.url()).result.headers["X-Name"] == "café")
    }

    @Test("the request carries path, user agent, shared headers and its own, and asks for the plain form")
    func requestHeaders() throws {
        let server = try FaultyServer { _ in .ok("") }
        let client = try TestClient()
        let shared = HTTPHeaderList([HTTPHeader("X-Shared", "one"), HTTPHeader("X-Empty", "")])
        _ = try client.fetch(
            server.url("/a b?q=ü#part"),
            request: {
                $0.headers = shared
                $0.extraHeaders = [HTTPHeader("Range", "bytes=5-"), HTTPHeader("If-Range", "\"v\"")]
            })
        _ = try client.fetch(server.url("/second"), request: { $0.headers = shared })
        _ = try client.fetch(server.url("/third"))
        let requests = server.requests
        #expect(requests[0].target == "/a%20b?q=%C3%BC")
        #expect(requests[0]["user-agent"] == "test/1")
        #expect(requests[0]["accept-encoding"] == "identity")
        #expect(requests[0]["range"] == "bytes=5-")
        #expect(requests[0]["if-range"] == "\"v\"")
        #expect(requests[0]["x-shared"] == "one")
        #expect(requests[0]["x-empty"] == "")
        #expect(requests[1]["x-shared"] == "one")
        #expect(requests[1]["range"] == nil)
        #expect(requests[2]["x-shared"] == nil)
    }

    @Test("a request that brings its own user agent has no other", arguments: [true, false])
    func ownAgent(_ isShared: Bool) throws {
        let server = try FaultyServer { _ in .ok("") }
        let client = try TestClient()
        let own = HTTPHeader("user-agent", "own/1")
        _ = try client.fetch(
            server.url(),
            request: {
                if isShared { $0.headers = HTTPHeaderList([own]) } else { $0.extraHeaders = [own] }
            })
        _ = try client.fetch(server.url())
        #expect(server.requests.map(Self.agents(of:)) == [["own/1"], ["test/1"]])
    }

    private static func agents(of request: FaultyServer.Request) -> [String] {
        request.headers.filter { $0.name.lowercased() == "user-agent" }.map(\.value)
    }

    @Test("one request after another asks for exactly its own URL")
    func targets() throws {
        let server = try FaultyServer { _ in .ok("") }
        let client = try TestClient()
        let targets = ["/a", "/b/c?d=%2F", "/e", "/%C3%A9", "/f", "/", "/?g", "/h", "/h/i;j=1,2/~k"]
        for target in targets { _ = try client.fetch(server.url(target)) }
        _ = try client.fetch("http://me:secret@127.0.0.1:\(server.port)/l")
        _ = try client.fetch(server.url("/m"))
        #expect(server.requests.map(\.target) == targets + ["/l", "/m"])
        #expect(server.requests.map { $0["authorization"] != nil }.suffix(3) == [false, true, false])
    }

    @Test("user information in the URL is sent as credentials")
    func userInformation() throws {
        let server = try FaultyServer { _ in .ok("") }
        let client = try TestClient()
        _ = try client.fetch("http://me:secret@127.0.0.1:\(server.port)/")
        #expect(server.requests[0]["authorization"] == "Basic bWU6c2VjcmV0")
    }

    @Test(
        "a header that would split the request is refused, and nothing is sent",
        arguments: [
            HTTPHeader("X", "a\r\nY: b"), HTTPHeader("X", "a\nb"), HTTPHeader("X", "a\0b"), HTTPHeader("X\r\n", "a"),
            HTTPHeader("", "a"), HTTPHeader("X Y", "a"), HTTPHeader("X:", "a"),
        ])
    func invalidHeader(_ header: HTTPHeader) throws {
        let server = try FaultyServer { _ in .ok("") }
        let client = try TestClient()
        #expect(!header.isValid)
        #expect(try client.fetch(server.url(), request: { $0.extraHeaders = [header] }).failure?.kind == .invalid)
        #expect(
            try client.fetch(server.url(), request: { $0.headers = HTTPHeaderList([header]) }).failure?.kind == .invalid
        )
        #expect(server.requests.isEmpty)
    }

    @Test("the phases add up to the total exactly, and name lookup and connecting cost nothing on a reused connection")
    func phases() throws {
        let server = try FaultyServer { _ in .ok("x") }
        let client = try TestClient()
        for attempt in 0..<3 {
            let result = try client.fetch(server.url()).result
            let phases = result.phases
            #expect(result.isConnectionReused == (attempt > 0))
            #expect(phases.dns + phases.connect + phases.tls + phases.wait + phases.receive == phases.total)
            #expect(result.finishedAt - result.startedAt == phases.total)
            #expect([phases.dns, phases.connect, phases.tls, phases.wait, phases.receive].allSatisfy { $0 >= 0 })
            #expect(phases.wait > 0)
            #expect((phases.connect == 0) == (attempt > 0))
            #expect(phases.tls == 0)
        }
    }

    @Test("waiting for the first byte and receiving the rest are told apart")
    func waitAndReceive() throws {
        let server = try FaultyServer { request in
            request.path == "/late" ? .ok("x") : .ok("0123456789").dripping(everyMilliseconds: 30)
        }
        let client = try TestClient()
        server.hold("/late")
        let late = client.begin(try client.request(server.url("/late")))
        try server.waitForRequests(1)
        let slow = try client.fetch(server.url("/slow")).result.phases
        server.release("/late")
        let waited = try late.wait().result.phases
        #expect(slow.receive >= 80_000)
        #expect(slow.wait < slow.receive)
        #expect(waited.wait >= 80_000)
        #expect(waited.receive < waited.wait)
    }

    @Test("a small reply is collected for a closure, and a larger one is refused")
    func memoryBody() throws {
        let server = try FaultyServer { _ in .ok("12345") }
        let client = try TestClient()
        let request = try client.request(server.url())
        for (limit, kind, body) in [(5, nil, "12345"), (4, HTTPFailure.Kind.tooLarge, "")] {
            let answer = Monitor<(HTTPFailure.Kind?, String)?>(nil)
            client.run { loop in
                let collector = HTTPMemoryBody(maximumBytes: limit) { result, bytes in
                    let found = (result.failure?.kind, String(decoding: bytes, as: UTF8.self))
                    answer.withLock { $0 = found }
                }
                _ = loop.begin(request, collector)
            }
            let found = try #require(answer.wait { $0 })
            #expect(found.0 == kind)
            #expect(found.1 == body)
        }
    }
}
