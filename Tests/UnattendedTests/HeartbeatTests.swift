import HTTP
import Model
import TestSupport
import Testing

@testable import Unattended

@Suite("Heartbeats")
struct HeartbeatTests {
    private func heartbeat(_ server: FaultyServer, time: Int64, tries: Int) throws -> Heartbeat {
        var configuration = HTTPProfile.Configuration(userAgent: "test")
        configuration.totalTimeout = 900_000_000
        configuration.stallTimeout = 30_000_000
        var patience = Heartbeat.Patience()
        patience.time = time
        patience.tries = tries
        patience.pause = 1_000
        return try Heartbeat(
            server.url("/ping"), try HTTPProfile(configuration), hiding: Secrets([]), patience: patience)
    }

    @Test("a service that does not answer is named with the time that it had")
    func slow() throws {
        let server = try FaultyServer { _ in .ok("OK") }
        server.hold("/ping/0")
        defer { server.release("/ping/0") }
        let problem = try heartbeat(server, time: 200_000, tries: 2).send(.exit(0), run: "r", summary: "s")
        #expect(problem == "no answer within 200 ms, 2 times")
    }

    @Test("a signal that was overtaken ends at once, and is no problem")
    func abandoned() throws {
        let server = try FaultyServer { _ in .ok("OK") }
        server.hold("/ping/start")
        defer { server.release("/ping/start") }
        let heartbeat = try heartbeat(server, time: 600_000_000, tries: 3)
        let end = Monitor<(isOver: Bool, problem: String?)>((false, nil))
        spawnThread {
            let result = heartbeat.send(.start, run: "r", summary: "s")
            end.withLock { $0 = (true, result) }
        }
        try server.waitForRequests(1)
        heartbeat.abandon()
        let problem = try #require(end.wait { $0.isOver ? .some($0.problem) : nil })
        #expect(problem == nil)
        #expect(server.requests.count == 1)
        #expect(heartbeat.send(.start, run: "r", summary: "s") == nil)
        #expect(server.requests.count == 1)
    }
}
