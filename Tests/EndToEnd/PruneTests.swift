import SQLite
import TestSupport
import Testing

@Suite("End to end: prune", .wholeProgramLimit)
struct PruneTests {
    private static let day: Int64 = 86_400_000_000

    /// Three runs of three items: two of 2026-01-05, the last of now.
    private func ran(_ workplace: Workplace) throws -> FaultyServer {
        let server = try FaultyServer { request in .ok("the body of \(request.path)") }
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 3"])
        for _ in 0..<3 { #expect(try workplace.run(["job.yaml"]).ending == .exit(0)) }
        // 2026-01-05 12:00 UTC and a second for each run.
        try change(workplace, "UPDATE run SET finished_at = finished_at - started_at WHERE id < 3")
        try change(workplace, "UPDATE run SET started_at = 1767614400000000 + id * 1000000 WHERE id < 3")
        try change(workplace, "UPDATE run SET finished_at = started_at + finished_at WHERE id < 3")
        return server
    }

    private func change(_ workplace: Workplace, _ sql: String) throws {
        let connection = try Connection(path: workplace.database, mode: .readWrite)
        defer { connection.close() }
        try connection.execute(sql)
    }

    @Test("old runs go with their transfers, their sums by day stay, items keep their files and states")
    func old() throws {
        let workplace = try Workplace()
        let server = try ran(workplace)
        let items: [String] = try workplace.catalog().values("SELECT key || state || stored_at FROM item")
        let result = try workplace.run(["prune", "--runs-older-than", "1d"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.hasPrefix("2 runs with 6 transfers deleted; the catalog is now "))

        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.values("SELECT id FROM run") == [3])
        #expect(try catalog.values("SELECT DISTINCT run_id FROM transfer") == [3])
        #expect(try catalog.values("SELECT key || state || stored_at FROM item") == items)
        let sums = try catalog.rows(
            "SELECT job, day, runs, complete_runs, downloaded, unchanged, wire_bytes FROM day"
        ) { row in
            "\(try row[0] as String) \(try row[1] as String)"
                + (try (2...6).map { " \(try row[$0] as Int)" }.joined())
        }
        #expect(sums == ["list 2026-01-05 2 2 3 3 84"])

        // What is left is reported and goes on.
        for words in [["report"], ["report", "--items", "--run", "all"], ["report", "--format", "json", "--items"]] {
            #expect(try workplace.run(words).ending == .exit(0))
        }
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(server.requests.count == 12)
        // A second time there is nothing to add.
        #expect(try workplace.run(["prune", "--runs-older-than", "1d"]).errors.hasPrefix("0 runs with 0 transfers "))
        #expect(try workplace.catalog().values("SELECT runs FROM day") == [2])
    }

    @Test("an item that is unchanged keeps the time of its last download when that run goes")
    func lastDownload() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("a body", headers: [("Cache-Control", "max-age=999")]) }
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 2"])
        for _ in 0..<2 { #expect(try workplace.run(["job.yaml"]).ending == .exit(0)) }
        func times() throws -> [String] {
            try workplace.run(["report", "--items"]).output.split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix("  fresh") }
        }
        let before = try times()
        #expect(before.count == 2)
        #expect(before.allSatisfy { $0.contains("*") })
        try change(workplace, "UPDATE run SET started_at = 1767614400000000 WHERE id = 1")
        #expect(try workplace.run(["prune", "--runs-older-than", "1d"]).errors.hasPrefix("1 run with 2 transfers "))
        #expect(try times() == before)
        let json = try workplace.run(["report", "--items", "--format", "json"]).output
        #expect(json.contains(#""last_download": {"run_id": 1,"#))
        #expect(try workplace.catalog().contradictions() == [])
    }

    @Test("a run that goes on stays; once it has ended and is pruned its day's sums grow")
    func again() throws {
        let workplace = try Workplace()
        let server = try ran(workplace)
        server.hold("/0")
        let program = try workplace.start(["job.yaml"])
        try server.waitForRequests(10)
        try change(workplace, "UPDATE run SET started_at = 1767614400000000 WHERE id = 4")
        #expect(try workplace.run(["prune", "--runs-older-than", "1d"]).errors.hasPrefix("2 runs with 6 transfers "))
        #expect(try workplace.catalog().values("SELECT id FROM run") == [3, 4])
        server.release("/0")
        #expect(try program.wait().ending == .exit(0))
        try change(workplace, "UPDATE run SET outcome = 'failed' WHERE id = 4")
        #expect(try workplace.run(["prune", "--runs-older-than", "1d"]).errors.hasPrefix("1 run with 3 transfers "))
        #expect(try workplace.catalog().values("SELECT runs || ' ' || complete_runs FROM day") == ["3 2"])
    }

    @Test("space that is free is given back to the disk")
    func space() throws {
        let workplace = try Workplace()
        let server = try ran(workplace)
        withExtendedLifetime(server) {}
        // As if the old run had failed over 20,000 items, each with a long story.
        try change(
            workplace,
            """
            WITH RECURSIVE number(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM number WHERE n < 21000)
            INSERT INTO item (id, job, collection_id, key, position, url, title, stem, path_hash)
                SELECT n, 'list', 1, 'k' || n, n, 'u', 't', 's' || n, n FROM number;
            INSERT INTO transfer (run_id, item_id, outcome, detail)
                SELECT 1, id, 'failed', hex(zeroblob(100)) FROM item WHERE id >= 1000;
            """)
        let before = try size(workplace)
        #expect(try workplace.run(["prune", "--runs-older-than", "1d"]).errors.contains(" less than before\n"))
        #expect(try size(workplace) < before / 2)
        #expect(try workplace.catalog().values("PRAGMA integrity_check") == ["ok"])
    }

    private func size(_ workplace: Workplace) throws -> Int {
        try #require(workplace.read("catalog.sqlite")).count
    }

    @Test("without an age, or with none, it is a usage error", arguments: [[], ["--runs-older-than", "soon"]])
    func usage(_ words: [String]) throws {
        let result = try Workplace().run(["prune"] + words)
        #expect(result.ending == .exit(64))
        #expect(result.errors.contains("runs-older-than"))
    }
}
