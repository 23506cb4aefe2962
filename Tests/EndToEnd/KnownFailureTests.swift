import SQLite
import TestSupport
import Testing

@Suite("End to end: failures that are known", .wholeProgramLimit)
struct KnownFailureTests {
    /// Three items, of which the server lacks two, and an entry that is no URL.
    private func job(_ workplace: Workplace, rest: [String] = []) throws -> FaultyServer {
        let server = try FaultyServer { request in
            request.path == "/a" ? .ok("body", headers: [("Cache-Control", "max-age=3600")]) : .status(404)
        }
        let items = ["a", "b", "c"].map { "  - {key: \($0), url: '\(server.url("/\($0)"))'}" }
        try workplace.writeJob(source: ["items:"] + items + ["  - {key: d, url: 'nothing'}"], rest: rest)
        return server
    }

    @Test("the second night tells of them in one line, and asks nothing")
    func secondRun() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml", "--quiet"]).ending == .exit(1))
        let asked = server.requests.count

        let second = try workplace.run(["job.yaml", "--quiet"])
        #expect(second.ending == .exit(1))
        #expect(server.requests.count == asked)
        let lines = second.errors.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("failed  list: 3 known failures, not asked: 404 (2), invalid (1), since 20"))
        #expect(lines[0].contains(", next attempt 20"))
        #expect(lines[1].contains("3 failed (3 known)"))

        let report = try workplace.run(["report", "list", "--failures"]).output
        #expect(report.contains("       2  http 404\n          Known since 20"))
        #expect(report.contains(", next attempt 20"))
        #expect(!report.contains("compare the URL"))
        let json = try JSONValue(try workplace.run(["report", "list", "--failures", "--format", "json"]).output)
        let run = try #require(json["runs"]?.elements.first)
        #expect(run["known_failed"]?.number == 3 && run["failed"]?.number == 3 && run["new_failures"]?.number == 0)
        let failures = try #require(run["failures"]?.elements)
        #expect(failures.map { $0["status"]?.number } == [404, 404, nil])
        #expect(failures.allSatisfy { $0["detail"]?.text?.hasPrefix("not asked again before 20") == true })
        #expect(failures.allSatisfy { $0["attempts"]?.number == 0 })
        #expect(try workplace.catalog().contradictions() == [])
    }

    @Test("a job may ignore them: neither a word nor a code, until something else fails")
    func ignored() throws {
        let workplace = try Workplace()
        let server = try job(workplace, rest: ["known_failures: ignore"])
        #expect(try workplace.run(["job.yaml", "--quiet"]).ending == .exit(1))
        let second = try workplace.run(["job.yaml", "--quiet"])
        #expect(second.ending == .exit(0) && second.errors.isEmpty)
        #expect(try workplace.catalog().value("SELECT outcome FROM run WHERE id = 2") == "complete")
        #expect(try workplace.catalog().number("SELECT failed FROM run WHERE id = 2") == 3)

        // A new one is news, alone.
        let items = ["a", "b", "c", "e"].map { "  - {key: \($0), url: '\(server.url("/\($0)"))'}" }
        try workplace.writeJob(source: ["items:"] + items, rest: ["known_failures: ignore"])
        let third = try workplace.run(["job.yaml", "--quiet"])
        #expect(third.ending == .exit(1))
        #expect(third.errors.hasPrefix("failed  list e: http: the server answered 404 Not Found"))
        #expect(!third.errors.contains("known failure"))
        let report = try workplace.run(["report", "list"]).output
        #expect(report.contains("  new        1 item, 1 failure since run 2\n"))
    }

    @Test("since when is what the first of them was, however often it was asked since")
    func since() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        withExtendedLifetime(server) {}
        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        let connection = try Connection(path: workplace.database, mode: .readWrite)
        try connection.execute("UPDATE item SET failed_since = 1000000000000000, asked_again_at = 0 WHERE key = 'b'")
        connection.close()
        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        let detail = try workplace.catalog().value(
            "SELECT detail FROM transfer JOIN item ON id = item_id WHERE run_id = 3 AND key = 'b'", as: String.self)
        #expect(detail?.hasSuffix("; 404 since 2001-09-09") == true)
    }
}
