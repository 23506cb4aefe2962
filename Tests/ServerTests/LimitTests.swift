import Server
import TestSupport
import Testing

@Suite("Limits of a server", .timeLimit(.minutes(1)))
struct LimitTests {
    private var strict: ServerLimits {
        var limits = ServerLimits()
        limits.requestTime = 300_000
        limits.keepAlive = 300_000
        return limits
    }

    /// Whether the server ends a connection over which a byte comes every 20 ms.
    private func isEnded(_ connection: RawConnection, after head: String) -> Bool {
        connection.send(head)
        for _ in 0..<500 {
            if connection.ends(within: 20) || !connection.send("x") { return true }
        }
        return false
    }

    @Test("a silent connection is closed")
    func silent() throws {
        let server = try testServer(limits: strict)
        #expect(try server.connect().readToEnd() == "")
    }

    @Test("a request that comes byte by byte is cut, in its line, its head and its body")
    func slowRequests() throws {
        let server = try testServer(limits: strict)
        #expect(isEnded(try server.connect(), after: "GET /"))
        #expect(isEnded(try server.connect(), after: "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "))
        #expect(isEnded(try server.connect(), after: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"))
    }

    @Test("so is the second request of a connection")
    func slowSecondRequest() throws {
        let server = try testServer(limits: strict)
        let connection = try server.connect()
        _ = try connection.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(isEnded(connection, after: "GET /"))
    }

    @Test("connections over the limit wait until one ends")
    func connections() throws {
        var limits = ServerLimits()
        limits.connections = 4
        let server = try testServer(limits: limits)
        var held: [RawConnection] = []
        for _ in 0..<4 {
            let connection = try server.connect()
            #expect(try connection.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
            held.append(connection)
        }
        let answered = Monitor(false)
        let fifth = try server.connect()
        spawnThread {
            let response = try? fifth.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            answered.withLock { $0 = response?.status == 200 }
        }
        #expect(answered.wait(seconds: 1) { $0 ? true : nil } == nil)
        held.removeFirst()
        #expect(answered.wait { $0 ? true : nil } == true)
    }
}
