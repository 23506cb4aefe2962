import FoundationEssentials
import Glibc
import HTTP
import System
import TestSupport
import Testing

@Suite("Loops", .timeLimit(.minutes(1)))
struct LoopTests {
    @Test("2,000 requests at 16 in flight are all answered, over 16 connections")
    func manySmall() throws {
        let server = try FaultyServer { request in .ok(request.target) }
        let driver = try ManyRequests(server: server, count: 2_000, inFlight: 16)
        try driver.waitUntilDone()
        let outcome = driver.outcome
        driver.stop()
        #expect(outcome.failures == [])
        #expect(outcome.bodies == Set((0..<2_000).map { "/\($0)" }))
        #expect(outcome.peak == 16)
        #expect(server.connectionCount <= 16)
        #expect(server.requests.count == 2_000)
    }

    @Test("two loops run at once, each with its own connections")
    func twoLoops() throws {
        let server = try FaultyServer { request in .ok(request.target) }
        let drivers = [
            try ManyRequests(server: server, count: 300, inFlight: 4),
            try ManyRequests(server: server, count: 300, inFlight: 4),
        ]
        for driver in drivers {
            try driver.waitUntilDone()
            #expect(driver.outcome.failures == [])
            #expect(driver.outcome.bodies.count == 300)
            driver.stop()
        }
        #expect(server.connectionCount <= 8)
    }

    enum Phase: String, CaseIterable, Sendable {
        case beforeAnything, connecting, waiting, inBody, fromBegin, fromReceive, whenOver
    }

    @Test("a transfer can be cancelled in every phase, and the loop goes on", arguments: Phase.allCases)
    func cancel(_ phase: Phase) throws {
        let server = try FaultyServer { request in
            switch request.path {
            case "/stall": .ok("0123456789").cut(after: 5, .stall)
            case "/silent": .silence()
            default: .ok("x")
            }
        }
        let client = try TestClient()
        let silentTLS = try FaultyServer { _, connection in connection.stall() }
        let request = try client.request(
            phase == .connecting
                ? "https://127.0.0.1:\(silentTLS.port)/"
                : server.url(phase == .waiting ? "/silent" : phase == .whenOver ? "/x" : "/stall"))
        let ticketBox = Monitor<HTTPTicket?>(nil)
        let cancelFromCallback: @Sendable () -> Void = { [loop = client.loop] in
            ticketBox.withLock { $0 }.map { loop.cancel($0) }
        }
        let fetch = Fetch(
            onBegin: { _ in if phase == .fromBegin { cancelFromCallback() } },
            onReceive: { _ in
                if phase == .fromReceive { cancelFromCallback() }
                return true
            })
        client.run { loop in
            let ticket = loop.begin(request, fetch)
            ticketBox.withLock { $0 = ticket }
            if phase == .beforeAnything { loop.cancel(ticket) }
        }
        switch phase {
        case .waiting: try server.waitForRequests(1)
        case .inBody: try fetch.waitForBody(5)
        case .connecting: try silentTLS.waitForConnections(1)
        case .whenOver: _ = try fetch.wait()
        case .beforeAnything, .fromBegin, .fromReceive: break
        }
        if [.waiting, .inBody, .connecting, .whenOver].contains(phase) {
            let finished = try client.ask { loop in
                ticketBox.withLock { $0 }.map { loop.cancel($0) }
                return fetch.state.withLock { $0.results.count }
            }
            #expect(finished == 1)
        }
        let state = try fetch.wait()
        #expect(state.failure?.kind == (phase == .whenOver ? nil : .cancelled))
        #expect(try client.ask { $0.inFlight } == 0)
        #expect(try client.fetch(server.url("/after")).text == "x")
        #expect(fetch.state.withLock { $0.results.count } == 1)
    }

    @Test("an old ticket does not cancel the transfer that has its place now")
    func staleTicket() throws {
        let server = try FaultyServer { _ in .ok("x") }
        let client = try TestClient()
        let first = client.begin(try client.request(server.url("/first")))
        _ = try first.wait()
        server.hold("/second")
        let second = client.begin(try client.request(server.url("/second")))
        try server.waitForRequests(1, path: "/second")
        let ticket = try first.ticket()
        #expect(
            try client.ask { loop in
                loop.cancel(ticket)
                return loop.inFlight
            } == 1)
        server.release("/second")
        #expect(try second.wait().failure == nil)
    }

    @Test("stopping ends everything in flight as cancelled, exactly once, and closes the connections")
    func stop() throws {
        let server = try FaultyServer { request in
            request.path == "/silent" ? .silence() : .ok("0123456789").cut(after: 5, .stall)
        }
        let client = try TestClient()
        let fetches = try (0..<20).map { index in
            client.begin(try client.request(server.url(index % 2 == 0 ? "/silent" : "/stall")))
        }
        try server.waitForRequests(20)
        client.stop()
        for fetch in fetches {
            #expect(fetch.state.withLock { $0.results.count } == 1)
            #expect(try fetch.wait().failure?.kind == .cancelled)
        }
        try server.waitForNoConnections()
    }

    @Test("a loop that was never started can be stopped, and one that is stopped can be stopped again")
    func stopTwice() throws {
        let driver = IdleDriver()
        let idle = try HTTPLoop(driver: driver)
        idle.stop()
        let started = try HTTPLoop(driver: driver)
        started.start()
        started.stop()
        started.stop()
        started.wake()
    }

    @Test("a finished transfer may begin the next one, and a refused one finishes after begin has returned")
    func beginFromFinish() throws {
        let server = try FaultyServer { _ in .ok("x") }
        let client = try TestClient()
        let request = try client.request(server.url())
        let invalid = try client.request(server.url()) {
            $0.userAgent = "x"
        } _: {
            $0.extraHeaders = [HTTPHeader("bad name", "")]
        }
        let order = Monitor<[String]>([])
        client.run { loop in
            let first = HTTPMemoryBody(maximumBytes: 10) { result, _ in
                order.withLock { $0.append("first \(result.status)") }
                let second = HTTPMemoryBody(maximumBytes: 10) { result, _ in
                    order.withLock { $0.append("second \(result.failure?.kind.rawValue ?? "")") }
                }
                _ = loop.begin(invalid, second)
                order.withLock { $0.append("begun") }
            }
            _ = loop.begin(request, first)
        }
        #expect(order.wait { $0.count == 3 ? $0 : nil } == ["first 200", "begun", "second invalid"])
    }

    @Test("the driver gets its turn at the time it asks for")
    func timedTurn() throws {
        let driver = TimedDriver()
        let loop = try HTTPLoop(driver: driver)
        loop.start()
        let turns = try #require(driver.turns.wait { $0.count >= 3 ? $0 : nil })
        loop.stop()
        #expect(turns[1] - turns[0] >= 20_000)
        #expect(turns[2] - turns[1] >= 20_000)
        #expect(turns[2] - turns[0] < 5_000_000)
    }

    @Test("waking gives the driver a turn, from any number of threads, and none is lost")
    func wake() throws {
        let client = try TestClient()
        let count = Monitor(0)
        for _ in 0..<4 {
            spawnThread {
                for _ in 0..<500 { client.run { _ in count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.wait { $0 == 2_000 ? true : nil } == true)
    }
}

/// File descriptors are of the whole process, so only those of the test's own server are counted.
@Suite("Descriptors", .timeLimit(.minutes(1)))
struct DescriptorTests {
    @Test("a loop leaves no file descriptor behind, whatever its transfers went through")
    func noLeak() throws {
        let server = try FaultyServer { request in
            switch request.path {
            case "/reset": .ok("0123").cut(after: 2, .reset)
            case "/silent": .silence()
            default: .ok("x")
            }
        }
        let client = try TestClient()
        let fetches = try (0..<40).map { index in
            client.begin(try client.request(server.url(["/ok", "/reset", "/silent", "/ok"][index % 4])))
        }
        try server.waitForRequests(40)
        let opened = try client.ask { loop in loop.inFlight } >= 10
        #expect(opened)
        client.stop()
        for fetch in fetches { _ = try fetch.wait() }
        // The server's sockets are of this process too; it sees each connection end.
        try server.waitForNoConnections()
        #expect(Self.socketsConnected(to: server.port) == 0)
    }

    /// How many sockets of this process are connected to a port of the loopback interface.
    private static func socketsConnected(to port: Int) -> Int {
        (0..<4_096).count { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutableBytes(of: &address) { bytes in
                // A socket address of the length given.
                getpeername(Int32(descriptor), bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
            }
            return code == 0 && address.sin_family == AF_INET && Int(UInt16(bigEndian: address.sin_port)) == port
        }
    }
}

private final class IdleDriver: HTTPLoopDriver {
    func turn(on loop: HTTPLoop, now: Monotonic) -> Monotonic? { nil }
}

private final class TimedDriver: HTTPLoopDriver {
    let turns = Monitor<[Monotonic]>([])

    func turn(on loop: HTTPLoop, now: Monotonic) -> Monotonic? {
        turns.withLock { $0.append(now) }
        return now.advanced(byMicroseconds: 20_000)
    }
}
