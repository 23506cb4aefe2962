import Server
import TestSupport
import Testing

@Suite("Requests that a server takes and refuses", .timeLimit(.minutes(1)))
struct RequestTests {
    @Test("a handler sees method, decoded path, query, headers and body")
    func request() throws {
        let seen = Monitor<Request?>(nil)
        let server = try testServer { request, responder in
            seen.withLock { $0 = request }
            responder.answer(Response(status: 201))
        }
        let response = try server.ask("POST /a%20b/%C3%A4?x=1+2&y=%3D&z", ["X-Own: yes"], body: "some text")
        #expect(response.status == 201)
        let request = try #require(seen.withLock { $0 })
        #expect(request.method == .post && request.path == "/a b/ä" && request.segments == ["a b", "ä"])
        #expect(request.query["x"] == "1 2" && request.query["y"] == "=" && request.query["z"] == "")
        #expect(request.query["w"] == nil && request.headers["x-own"] == "yes")
        #expect(request.body == Array("some text".utf8))
    }

    @Test(
        "what could be read in two ways is refused",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nCookie: x=1\r\nCookie: x=2\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx", 400),
            ("GET http://evil.example/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /a%0Ab HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /a\u{01}b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /a%2fb HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /a%2 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /?x=%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
            ("PUT / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
            ("OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        ])
    func refused(request: String, status: Int) throws {
        let server = try testServer { _, _ in Issue.record("it reached the handler") }
        #expect(try server.connect().exchange(request).status == status)
    }

    @Test("an encoded dot segment is a name like any other")
    func dots() throws {
        let server = try testServer()
        #expect(try server.ask("GET /%2e%2e/x").body == "hello /../x")
    }

    @Test("a raw NUL never brings more than the path before it to a handler")
    func rawNUL() throws {
        let server = try testServer()
        let connection = try server.connect()
        connection.send("GET /a\0../b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let text = connection.readToEnd()
        #expect(text.contains("hello /a") != text.contains("400") && !text.contains("b\""))
    }

    @Test("a body of 64 KiB is taken, a longer one refused before it is sent")
    func bodies() throws {
        let server = try testServer { request, responder in
            responder.answer(Response(body: .data(Array("\(request.body.count)".utf8))))
        }
        let long = String(repeating: "x", count: 64 * 1024)
        #expect(try server.ask("POST /", body: long).body == "65536")
        let response = try server.connect().exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n")
        #expect(response.status == 413 && response["connection"] == "close")
        #expect(response["content-type"] == "application/problem+json")
        #expect(response.body.contains("\"title\": \"Body too large\""))
    }

    @Test("headers of 40 kB are refused")
    func longHeaders() throws {
        let server = try testServer()
        let response = try server.ask("GET /", ["X-Long: " + String(repeating: "x", count: 40_000)])
        #expect(response.status == 431)
    }

    @Test("several requests follow each other on one connection")
    func keepAlive() throws {
        let connection = try testServer().keptConnection()
        for name in ["a", "b", "c"] {
            #expect(try connection.1.exchange("GET /\(name) HTTP/1.1\r\nHost: a\r\n\r\n").body == "hello /\(name)")
        }
    }
}

extension HTTPServer {
    /// A connection, and the server that is to live as long.
    fileprivate func keptConnection() throws -> (HTTPServer, RawConnection) { (self, try connect()) }
}
