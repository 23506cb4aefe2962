import Control
import Glibc
import Server
import TestSupport
import Testing

/// A run whose items a server holds back until the test releases them, and the client of its control socket.
struct ControlBench {
    let workplace: Workplace
    let server: FaultyServer
    let program: RunningProgram
    let client: ControlClient

    /// Starts a run of these items, of the collection of their first letter, all of which the server holds, and waits for
    /// its socket.
    init(
        _ items: [String], transfer: [String] = ["concurrency: 2"], environment: [String: String] = [:],
        answer: @escaping @Sendable (FaultyServer.Request) -> FaultyServer.Response = { request in
            .ok("body of \(request.path)", headers: [("ETag", "\"1\"")])
        }
    ) throws {
        let server = try FaultyServer(answering: answer)
        for item in items { server.hold("/\(item)") }
        let lines = items.map { key in
            "  - {key: \(key), collection: \(key.prefix(1)), url: '\(server.url("/\(key)"))'}"
        }
        try self.init(source: ["items:"] + lines, server, transfer: transfer, environment: environment)
    }

    init(
        source: [String], _ server: FaultyServer, transfer: [String] = [], environment: [String: String] = [:],
        workplace: Workplace? = nil
    ) throws {
        let workplace = try workplace ?? Workplace()
        try workplace.writeJob(source: source, transfer: transfer)
        self.workplace = workplace
        self.server = server
        program = try workplace.start(["job.yaml", "--progress", "json"], environment: environment)
        client = try Self.client(of: program, workplace, environment)
    }

    /// The client of a run's socket, which is there a moment after the run has begun.
    static func client(
        of program: RunningProgram, _ workplace: Workplace, _ environment: [String: String] = [:], run: Int64 = 1
    ) throws -> ControlClient {
        try program.waitForOutput { $0.contains("run-started") }
        for _ in 0..<2_000 {
            if let client = ControlClient.find(
                run: run, processID: Int64(program.processID), database: workplace.database, environment: environment)
            {
                return client
            }
            poll(nil, 0, 5)
        }
        throw TestSupportError("the run has no control socket")
    }

    func status() throws -> JSONValue {
        try JSONValue(String(decoding: try client.get("status").body, as: UTF8.self))
    }

    @discardableResult
    func post(_ verb: String, _ body: String = "{}") throws -> JSONValue {
        let answer = try client.post(verb, json: body)
        return answer.status == 204 ? .null : try JSONValue(String(decoding: answer.body, as: UTF8.self))
    }

    /// The answer to a request that is refused: its status and its detail.
    func refusal(_ verb: String, _ body: String) throws -> String {
        do {
            let answer = try client.post(verb, json: body)
            return "\(answer.status)"
        } catch ControlClient.Failure.refused(let status, let detail) {
            return "\(status) \(detail)"
        }
    }

    /// Waits until the run has told that an item has ended.
    func waitForEnd(of key: String) throws {
        try program.waitForOutput { text in
            text.split(separator: "\n").contains {
                $0.contains(#""event": "item-finished""#) && $0.contains(#""key": "\#(key)""#)
            }
        }
    }

    func release(_ items: String...) {
        for item in items { server.release("/\(item)") }
    }

    /// The row of an item.
    func id(_ key: String) throws -> Int {
        try workplace.catalog().number("SELECT id FROM item WHERE key = '\(key)'")
    }

    /// A stream's events until `isLast`.
    func events(
        after last: Int64? = nil, until isLast: (String, JSONValue) -> Bool
    ) throws -> [(name: String, data: JSONValue)] {
        var events: [(String, JSONValue)] = []
        try client.events(after: last) { name, data in
            guard let data = try? JSONValue(String(decoding: data, as: UTF8.self)) else { return false }
            events.append((name, data))
            return !isLast(name, data)
        }
        return events
    }
}
