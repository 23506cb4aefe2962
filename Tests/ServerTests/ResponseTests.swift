import Glibc
import Server
import TestSupport
import Testing

@Suite("Responses of a server", .timeLimit(.minutes(1)))
struct ResponseTests {
    private func fileServer(_ text: String, entityTag: String? = nil, in folder: TemporaryDirectory) throws
        -> HTTPServer
    {
        let path = try folder.write(text, to: "file")
        return try testServer { _, responder in
            let file = FileBody(owning: open(path, O_RDONLY | O_CLOEXEC), size: Int64(text.utf8.count))
            responder.answer(Response(body: .file(file), entityTag: entityTag))
        }
    }

    @Test("an answer may come later, from another thread")
    func later() throws {
        let waiting = Monitor<Responder?>(nil)
        let server = try testServer { _, responder in waiting.withLock { $0 = responder } }
        spawnThread {
            waiting.wait { $0 }?.answer(Response(status: 202, body: .data(Array("late".utf8))))
        }
        let response = try server.ask("GET /")
        #expect(response.status == 202 && response.body == "late")
    }

    @Test("a handler that lets its responder go without an answer answers with an error")
    func noAnswer() throws {
        let server = try testServer { _, _ in }
        #expect(try server.ask("GET /").status == 500)
    }

    @Test("an answer may take longer than a silent connection is kept")
    func slowAnswer() throws {
        var limits = ServerLimits()
        limits.keepAlive = 100_000
        limits.requestTime = 100_000
        let silent = Monitor<RawConnection?>(nil)
        let server = try testServer(limits: limits) { _, responder in
            spawnThread {
                // A connection that was opened after this request is closed before this answer comes.
                let connection = silent.wait { $0 }
                let isClosed = connection?.ends(within: 20_000) == true
                responder.answer(Response(body: .data(Array((isClosed ? "late" : "not closed").utf8))))
            }
        }
        let asking = try server.connect()
        asking.send("GET / HTTP/1.1\r\nHost: \(server.listener.name)\r\n\r\n")
        let later = try server.connect()
        silent.withLock { $0 = later }
        #expect(try asking.exchange("").body == "late")
    }

    @Test("a response is not to be sniffed, and HEAD gets its head alone")
    func head() throws {
        let server = try testServer()
        #expect(try server.ask("GET /")["x-content-type-options"] == "nosniff")
        let connection = try server.connect()
        connection.send("HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let text = connection.readToEnd()
        #expect(text.contains("Content-Length: 8\r\n") && !text.contains("hello"))
    }

    @Test("a header that would break the head is an error, and is not sent")
    func brokenHeader() throws {
        let server = try testServer { _, responder in
            responder.answer(Response(headers: [("X-A", "b\r\nSet-Cookie: c")]))
        }
        let connection = try server.connect()
        connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(!connection.readToEnd().contains("Set-Cookie"))
    }

    @Test(
        "a file is sent whole or in the part that was asked for",
        arguments: [
            (nil, 200, nil, "0123456789"),
            ("bytes=2-4", 206, "bytes 2-4/10", "234"),
            ("bytes=7-", 206, "bytes 7-9/10", "789"),
            ("bytes=-3", 206, "bytes 7-9/10", "789"),
            ("bytes=-99", 206, "bytes 0-9/10", "0123456789"),
            ("bytes=8-99999999999999999999", 206, "bytes 8-9/10", "89"),
            ("bytes=0-0", 206, "bytes 0-0/10", "0"),
            ("bytes=10-", 416, "bytes */10", nil),
            ("bytes=-0", 416, "bytes */10", nil),
            ("bytes=4-2", 200, nil, "0123456789"),
            ("bytes=1-2,4-5", 200, nil, "0123456789"),
            ("bytes=x-2", 200, nil, "0123456789"),
            ("lines=1-2", 200, nil, "0123456789"),
        ] as [(String?, Int, String?, String?)])
    func ranges(range: String?, status: Int, contentRange: String?, body: String?) throws {
        let folder = try TemporaryDirectory()
        let server = try fileServer("0123456789", in: folder)
        let response = try server.ask("GET /", range.map { ["Range: \($0)"] } ?? [])
        #expect(response.status == status && response["content-range"] == contentRange)
        if let body { #expect(response.body == body) }
    }

    @Test("a range of other bytes than the client has is the whole file")
    func ifRange() throws {
        let folder = try TemporaryDirectory()
        let server = try fileServer("0123456789", entityTag: "abc", in: folder)
        func status(_ tag: String) throws -> Int {
            try server.ask("GET /", ["Range: bytes=1-2", "If-Range: \(tag)"]).status
        }
        #expect(try status("\"abc\"") == 206)
        #expect(try status("\"other\"") == 200)
        #expect(try status("W/\"abc\"") == 200)
    }

    @Test("who has the same bytes gets no body")
    func entityTags() throws {
        let folder = try TemporaryDirectory()
        let server = try fileServer("0123456789", entityTag: "abc", in: folder)
        #expect(try server.ask("GET /")["etag"] == "\"abc\"")
        for tag in ["\"abc\"", "\"x\", W/\"abc\"", "*"] {
            let response = try server.ask("GET /", ["If-None-Match: \(tag)"])
            #expect(response.status == 304 && response.body == "" && response["etag"] == "\"abc\"")
        }
        #expect(try server.ask("GET /", ["If-None-Match: \"x\""]).status == 200)
    }

    @Test("a large file comes whole")
    func largeFile() throws {
        let folder = try TemporaryDirectory()
        let text = String(repeating: "0123456789", count: 500_000)
        let server = try fileServer(text, in: folder)
        #expect(try server.ask("GET /").body == text)
    }
}
