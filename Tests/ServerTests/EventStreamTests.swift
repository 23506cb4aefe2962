import Dispatch
import Glibc
import Server
import TestSupport
import Testing

@Suite("Event streams", .timeLimit(.minutes(1)))
struct EventStreamTests {
    /// A server that answers each request with a stream, and the streams.
    private func streamServer(
        limits: ServerLimits = ServerLimits(), ended: Monitor<Int> = Monitor(0)
    ) throws -> (HTTPServer, Monitor<[EventStream]>) {
        let streams = Monitor<[EventStream]>([])
        let server = try testServer(limits: limits) { _, responder in
            let stream = EventStream { ended.withLock { $0 += 1 } }
            streams.withLock { $0.append(stream) }
            responder.answer(.events(stream))
        }
        return (server, streams)
    }

    private static let request = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("events arrive when they are pushed, and the end ends the response")
    func events() throws {
        let (server, streams) = try streamServer()
        let connection = try server.connect()
        connection.send(Self.request)
        let stream = try #require(streams.wait { $0.first })
        let head = connection.read { $0.contains("\r\n\r\n") }
        #expect(head.contains("Content-Type: text/event-stream"))
        for number in 1...3 {
            stream.push(ServerEvent("count", id: "\(number)", data: Array("a\nb\(number)".utf8)))
            let text = connection.read { $0.contains("\n\n") }
            #expect(text.contains("id: \(number)\nevent: count\ndata: a\ndata: b\(number)\n\n"))
        }
        stream.finish()
        #expect(connection.read { $0.contains("0\r\n\r\n") }.contains("0\r\n\r\n"))
        #expect(!stream.push(Array("late".utf8)))
    }

    @Test("what is pushed before the response is sent is not lost")
    func early() throws {
        let server = try testServer { _, responder in
            let stream = EventStream()
            stream.push(Array("first".utf8))
            stream.finish()
            responder.answer(.events(stream))
        }
        let connection = try server.connect()
        connection.send(Self.request)
        #expect(connection.read { $0.hasSuffix("0\r\n\r\n") }.contains("first"))
    }

    @Test("a quiet stream has a heartbeat, by which a client that went away is noticed")
    func heartbeat() throws {
        var limits = ServerLimits()
        limits.heartbeat = 50_000
        let ended = Monitor(0)
        let (server, streams) = try streamServer(limits: limits, ended: ended)
        var connection: RawConnection? = try server.connect()
        connection?.send(Self.request)
        let stream = try #require(streams.wait { $0.first })
        #expect(connection?.read { $0.contains(": heartbeat\n\n") }.contains(": heartbeat\n\n") == true)
        connection = nil
        #expect(ended.wait { $0 == 1 ? true : nil } == true)
        #expect(stream.isOver)
    }

    @Test("a client that takes nothing is let go")
    func slowClient() throws {
        var limits = ServerLimits()
        limits.patience = 200_000
        let ended = Monitor(0)
        let (server, streams) = try streamServer(limits: limits, ended: ended)
        let connection = try server.connect()
        connection.send(Self.request)
        let stream = try #require(streams.wait { $0.first })
        // More than the system buffers for both ends.
        stream.push([UInt8](repeating: 0x20, count: 7 << 20))
        #expect(ended.wait { $0 == 1 ? true : nil } == true)
        #expect(!stream.push([0x20]))
    }

    @Test("a stream whose client is more than 8 MiB behind is ended")
    func backlog() throws {
        let ended = Monitor(0)
        let (server, streams) = try streamServer(ended: ended)
        let connection = try server.connect()
        connection.send(Self.request)
        let stream = try #require(streams.wait { $0.first })
        let part = [UInt8](repeating: 0x20, count: 1 << 20)
        var pushed = 0
        while pushed < 100, stream.push(part) { pushed += 1 }
        #expect((8..<100).contains(pushed))
        #expect(ended.wait { $0 == 1 ? true : nil } == true)
    }

    @Test("who waits for a slow client goes on when it has caught up, and when it is gone", arguments: [true, false])
    func waiting(_ catchesUp: Bool) throws {
        let ended = Monitor(0)
        let (server, streams) = try streamServer(ended: ended)
        let connection = try server.connect()
        connection.send(Self.request)
        let stream = try #require(streams.wait { $0.first })
        // More than the system buffers for both ends.
        stream.push([UInt8](repeating: 0x20, count: 7 << 20))
        let goesOn = Monitor(false)
        DispatchQueue(label: "waiter").async {
            stream.waitForBacklog(atMost: 1 << 20)
            goesOn.withLock { $0 = true }
        }
        // Time enough for the one that would not wait.
        stream.waitForEnd(atMost: 50_000)
        #expect(!goesOn.withLock { $0 })
        if catchesUp {
            DispatchQueue(label: "reader").async { _ = connection.readToEnd() }
        } else {
            stream.close()
        }
        #expect(goesOn.wait { $0 ? true : nil } == true)
        #expect(stream.isOver == !catchesUp)
        stream.finish()
        stream.waitForEnd(atMost: .max)
    }

    @Test("a server stops under open streams and waiting requests, and tells both")
    func stop() throws {
        let streams = Monitor<[EventStream]>([])
        let waiting = Monitor<[Responder]>([])
        let server = try testServer { request, responder in
            if request.path == "/wait" {
                waiting.withLock { $0.append(responder) }
            } else {
                let stream = EventStream()
                streams.withLock { $0.append(stream) }
                responder.answer(.events(stream))
            }
        }
        let connections = try (0..<20).map { _ in try server.connect() }
        for connection in connections { connection.send(Self.request) }
        let other = try server.connect()
        other.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = streams.wait { $0.count == 20 ? true : nil }
        _ = waiting.wait { $0.count == 1 ? true : nil }
        server.stop()
        #expect(other.readToEnd().contains("503"))
        for connection in connections { #expect(connection.readToEnd().hasSuffix("0\r\n\r\n")) }
        #expect(throws: TestSupportError.self) { try server.connect() }
    }

    @Test("a thousand clients that come and go leave nothing behind")
    func manyClients() throws {
        var limits = ServerLimits()
        limits.heartbeat = 20_000
        let ended = Monitor(0)
        let (server, _) = try streamServer(limits: limits, ended: ended)
        for _ in 0..<1_000 {
            let connection = try server.connect()
            connection.send(Self.request)
            _ = connection.read { $0.contains("\r\n\r\n") }
        }
        #expect(ended.wait { $0 == 1_000 ? true : nil } == true)
    }
}
