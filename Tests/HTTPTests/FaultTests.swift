import HTTP
import TestSupport
import Testing

@Suite("Faults of servers", .timeLimit(.minutes(1)))
struct FaultTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let kind: HTTPFailure.Kind
        let response: FaultyServer.Response

        init(_ testDescription: String, _ kind: HTTPFailure.Kind, _ response: FaultyServer.Response) {
            self.testDescription = testDescription
            self.kind = kind
            self.response = response
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\n"

    @Test(
        "each fault has its word",
        arguments: [
            Case("a body shorter than its length", .truncated, .ok("short").declaring(length: 99)),
            Case("a body that ends cleanly in the middle", .truncated, .ok("0123456789").cut(after: 5, .close)),
            Case("a reset in the body", .reset, .ok("0123456789").cut(after: 5, .reset)),
            Case("chunks without an end", .truncated, .chunked(["abc", "def"]).cut(after: 16, .close)),
            Case("a chunk that breaks off", .truncated, .chunked(["abcdef"]).cut(after: 5, .close)),
            Case("a reset between chunks", .reset, .chunked(["abcdef"]).cut(after: 11, .reset)),
            Case("a broken chunk size", .protocolError, .raw(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n")),
            Case("no reply at all", .reset, .steps([.close])),
            Case("a reset instead of a reply", .reset, .steps([.reset])),
            Case("an end within the header", .truncated, .raw(head + "Content-Len")),
            Case("an end within the status line", .reset, .raw("HTTP/1.1 2")),
            Case("no HTTP", .protocolError, .raw("SSH-2.0-OpenSSH_9.2\r\n\r\n")),
            Case("the body alone, as in HTTP/0.9", .protocolError, .raw("<html>hello</html>")),
            Case(
                "100,000 header lines", .protocolError,
                .raw(head + String(repeating: "X-A: b\r\n", count: 100_000) + "\r\n")),
            Case(
                "a header of 300,000 bytes", .protocolError,
                .raw(
                    head + String(repeating: "X: " + String(repeating: "a", count: 30_000) + "\r\n", count: 10) + "\r\n"
                )),
            Case(
                "a trailer of 100,000 lines", .protocolError,
                .raw(
                    head + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "X-A: b\r\n", count: 100_000)
                        + "\r\n")),
            Case(
                "endless interim replies", .protocolError,
                .steps([.endless(Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8))])),
            Case(
                "two lengths that differ", .protocolError,
                .raw(head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy")),
            Case("a length that is no number", .protocolError, .raw(head + "Content-Length: -5\r\n\r\nxy")),
            Case(
                "a length beyond all numbers", .protocolError,
                .raw(head + "Content-Length: 99999999999999999999999\r\n\r\nxy")),
            Case("an unknown coding", .encoding, .ok("x", headers: [("Content-Encoding", "sdch")])),
            Case("a broken coding", .encoding, .ok("no gzip", headers: [("Content-Encoding", "gzip")])),
            Case(
                "a coded body that breaks off", .truncated,
                .ok(ReplyTests.gzipped, headers: [("Content-Encoding", "gzip")]).cut(after: 15, .close)),
        ])
    func fault(_ example: Case) throws {
        let server = try FaultyServer { _ in example.response }
        let client = try TestClient()
        let state = try client.fetch(server.url())
        let failure = try #require(state.failure)
        #expect(failure.kind == example.kind, "\(failure)")
        #expect(!failure.detail.isEmpty)
        let isTransient = [HTTPFailure.Kind.truncated, .reset].contains(example.kind)
        #expect(failure.isTransient == isTransient)
    }

    @Test("what came before the end is handed over and counted")
    func partialBody() throws {
        let server = try FaultyServer { _ in .ok("0123456789").cut(after: 4, .close) }
        let client = try TestClient()
        let state = try client.fetch(server.url())
        #expect(state.text == "0123")
        #expect(state.result.wireBytes == 4)
        #expect(state.result.status == 200)
        #expect(state.failure?.detail.contains("10") == true)
    }

    @Test("a port where nothing listens is a failure to connect")
    func refused() throws {
        let port = try { try FaultyServer { _ in .ok("") }.port }()
        let client = try TestClient()
        let result = try client.fetch("http://127.0.0.1:\(port)/").result
        #expect(result.failure?.kind == .connect)
        #expect(result.failure?.isTransient == true)
        #expect(result.status == 0)
        #expect(result.phases.total == result.phases.dns + result.phases.connect)
    }

    @Test("a name that does not exist is a failure of name lookup")
    func unknownName() throws {
        let client = try TestClient()
        let result = try client.fetch("http://no-such-host.invalid/").result
        #expect(result.failure?.kind == .dns)
        #expect(result.failure?.isTransient == true)
        #expect(result.phases.total == result.phases.dns)
    }

    @Test("a server that closes a kept connection meanwhile costs no failure")
    func closedKeptConnection() throws {
        let server = try FaultyServer { request, connection in
            connection.send(.ok("x"))
            connection.end()
        }
        let client = try TestClient()
        for _ in 0..<5 { #expect(try client.fetch(server.url()).failure == nil) }
        #expect(server.connectionCount == 5)
    }

    @Test("the libcurl in use tells its version and what it can do")
    func features() {
        #expect(curlVersionText.split(separator: ".").count == 3)
        #expect(curlFeatures().version == curlVersionText)
        #expect(curlFeatures().tlsLibrary?.isEmpty == false)
    }

    @Test("the code table names every kind that libcurl's codes can mean, each code once")
    func codeTable() {
        let table = curlFailureTable
        #expect(Set(table.map(\.code)).count == table.count)
        #expect(table.allSatisfy { $0.name.hasPrefix("CURLE_") })
        func entry(_ code: Int) -> (HTTPFailure.Kind, Bool)? {
            table.first { $0.code == code }.map { ($0.kind, $0.isTransient) }
        }
        #expect(entry(6)?.0 == .dns)
        #expect(entry(18)?.0 == .truncated)
        #expect(entry(60).map { $0 == (.tls, false) } == true)
        #expect(entry(35).map { $0 == (.tls, true) } == true)
    }
}

@Suite("Clocks and limits", .timeLimit(.minutes(1)))
struct LimitTests {
    @Test(
        "a server that goes quiet is a stall, before its reply, within its header and within its body",
        arguments: [
            FaultyServer.Response.silence(), .steps([.send(Array("HTTP/1.1 200".utf8)), .stall]),
            .ok("0123456789").cut(after: 5, .stall), .chunked(["abc"]).cut(after: 8, .stall),
        ])
    func stall(_ response: FaultyServer.Response) throws {
        let server = try FaultyServer { _ in response }
        let client = try TestClient()
        let result = try client.fetch(server.url()) { $0.stallTimeout = 100_000 }.result
        #expect(result.failure?.kind == .stalled)
        #expect(result.failure?.isTransient == true)
        #expect(result.failure?.detail.contains("100 ms") == true)
        #expect(result.phases.total >= 100_000)
        #expect(result.phases.total < 10_000_000)
    }

    @Test("a body that drips slower than 1,000 bytes in the stall time is a stall")
    func drip() throws {
        let server = try FaultyServer { _ in
            .ok([UInt8](repeating: 0x61, count: 500)).dripping(everyMilliseconds: 2)
        }
        let client = try TestClient()
        #expect(try client.fetch(server.url()) { $0.stallTimeout = 200_000 }.failure?.kind == .stalled)
    }

    @Test("a slow body that is fast enough is no stall, however long it takes")
    func slowButMoving() throws {
        let server = try FaultyServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n")
            for _ in 0..<10 {
                connection.drip([UInt8](repeating: 0x61, count: 1), everyMilliseconds: 40)
                connection.send([UInt8](repeating: 0x61, count: 1_999))
            }
        }
        let client = try TestClient()
        let state = try client.fetch(server.url()) { $0.stallTimeout = 200_000 }
        #expect(state.failure == nil)
        #expect(state.result.phases.total > 300_000)
    }

    @Test("the total clock ends a transfer that moves, and says so")
    func totalTimeout() throws {
        let server = try FaultyServer { _ in .endless() }
        let client = try TestClient()
        let failure = try client.fetch(server.url()) { $0.totalTimeout = 150_000 }.failure
        #expect(failure?.kind == .timeout)
        #expect(failure?.isTransient == true)
        #expect(failure?.detail == "not complete within the total timeout of 150 ms")
    }

    @Test("the connect clock ends an attempt that gets no answer, and says so")
    func connectTimeout() throws {
        // TLS to a server that accepts and is silent: no connection in the sense of the clock.
        let silent = try FaultyServer { _, connection in connection.stall() }
        let client = try TestClient()
        let failure = try client.fetch("https://127.0.0.1:\(silent.port)/") { $0.connectTimeout = 100_000 }.failure
        #expect(failure?.kind == .timeout)
        #expect(failure?.detail == "no connection within the connect timeout of 100 ms")
    }

    struct SizeCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let limit: Int64
        let response: FaultyServer.Response
        let isTooLarge: Bool
        let handedOver: ClosedRange<Int>
    }

    /// Some 6 kB that decode to a megabyte: one letter, then 4,000 times "the last byte 258 times" (RFC 1951, 3.2.6).
    static let bomb: [UInt8] = {
        // Header, a final block with fixed codes, and the letter a.
        var bits: [UInt8] = [1, 1, 0] + [1, 0, 0, 1, 0, 0, 0, 1]
        for _ in 0..<4_000 { bits += [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0] }
        var bytes: [UInt8] = [0x78, 0x9C]
        for start in stride(from: 0, to: bits.count, by: 8) {
            bytes.append(
                bits[start..<min(start + 8, bits.count)].enumerated().reduce(0) { $0 | $1.element << $1.offset })
        }
        return bytes
    }()

    @Test(
        "the limit on a body's size holds, whatever the server declares",
        arguments: [
            SizeCase(
                testDescription: "exactly the limit", limit: 5, response: .ok("12345"), isTooLarge: false,
                handedOver: 5...5),
            SizeCase(
                testDescription: "declared: before the body", limit: 4, response: .ok("12345"), isTooLarge: true,
                handedOver: 0...0),
            SizeCase(
                testDescription: "chunked", limit: 4, response: .chunked(["123", "456"]), isTooLarge: true,
                handedOver: 0...4),
            SizeCase(
                testDescription: "endless", limit: 100_000, response: .endless(), isTooLarge: true,
                handedOver: 0...100_000),
            SizeCase(
                testDescription: "coded: the decoded size counts", limit: 100_000,
                response: .ok(bomb, headers: [("Content-Encoding", "deflate")]), isTooLarge: true,
                handedOver: 0...100_000),
            SizeCase(
                testDescription: "none: a body of no bytes", limit: 0, response: .ok(""), isTooLarge: false,
                handedOver: 0...0),
        ])
    func size(_ example: SizeCase) throws {
        let server = try FaultyServer { _ in example.response }
        let client = try TestClient()
        let state = try client.fetch(server.url(), request: { $0.maximumBytes = example.limit })
        #expect(state.failure?.kind == (example.isTooLarge ? .tooLarge : nil))
        #expect(example.handedOver.contains(state.body.count))
    }

    @Test("an exchange that refuses the head or the body ends the transfer")
    func rejected() throws {
        let server = try FaultyServer { _ in .endless() }
        let client = try TestClient()
        #expect(try client.fetch(server.url(), action: .reject).failure?.kind == .rejected)
        let fetch = client.begin(try client.request(server.url()), onReceive: { $0 < 1_000 })
        #expect(try fetch.wait().failure?.kind == .rejected)
    }

    @Test("a small body that is not wanted is read, so that its connection is used again")
    func discardSmall() throws {
        let server = try FaultyServer { _ in .status(404, [UInt8](repeating: 0x61, count: 60_000)) }
        let client = try TestClient()
        let first = try client.fetch(server.url(), action: .discard)
        let second = try client.fetch(server.url(), action: .discard)
        #expect(first.failure == nil)
        #expect(first.body.isEmpty)
        #expect(first.result.bodyBytes == 0)
        #expect(second.result.isConnectionReused)
    }

    @Test(
        "a large, endless, broken or stalled body that is not wanted is no failure",
        arguments: [
            FaultyServer.Response.endless(), .ok([UInt8](repeating: 0x61, count: 1_000_000)),
            .ok("0123").cut(after: 2, .reset), .ok("0123").declaring(length: 9), .ok("0123").cut(after: 2, .stall),
        ])
    func discardLarge(_ response: FaultyServer.Response) throws {
        let server = try FaultyServer { _ in response }
        let client = try TestClient()
        let state = try client.fetch(server.url(), { $0.stallTimeout = 100_000 }, action: .discard)
        #expect(state.failure == nil)
        #expect(state.result.status == 200)
        #expect(state.result.wireBytes < 400_000)
    }
}
