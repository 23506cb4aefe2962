import Run
import TestSupport
import Testing

@testable import Model

/// Which items come first, over runs that are cut short.
@Suite("Turns of items over several runs", .timeLimit(.minutes(1)))
struct TurnTests {
    /// One at a time, so that the order of the requests is that of the items.
    private func bench(_ responses: [String: [FaultyServer.Response]] = [:]) throws -> Bench {
        try Bench(
            responses, transfer: "concurrency: 1\nretries: 0",
            answering: { responses[$0.path] == nil ? .ok($0.path) : nil })
    }

    private func items(_ bench: Bench, _ names: String) -> [ListedItem] {
        names.map { bench.item("/\($0)") }
    }

    /// Runs the job until the item is under way, which still ends; what was asked for.
    private func run(_ bench: Bench, _ names: String, until last: String) async throws -> String {
        let before = bench.server.requests.count
        bench.server.hold("/\(last)")
        let running = try bench.begin(items(bench, names))
        try await running.waitForStart(last)
        running.session.stop(.deadline)
        bench.server.release("/\(last)")
        _ = try await running.report()
        return asked(bench, before)
    }

    private func asked(_ bench: Bench, _ before: Int) -> String {
        bench.server.requests.dropFirst(before).map { $0.path.dropFirst() }.joined()
    }

    private func run(_ bench: Bench, _ names: String) async throws -> String {
        let before = bench.server.requests.count
        _ = try await bench.run(items(bench, names))
        return asked(bench, before)
    }

    @Test("runs that are cut short store what is missing, then ask for what was asked longest ago")
    func cut() async throws {
        let bench = try bench()
        #expect(try await run(bench, "abcdefgh", until: "c") == "abc")
        #expect(try await run(bench, "abcdefgh", until: "f") == "def")
        #expect(bench.files.count == 6)
        #expect(try await run(bench, "abcdefgh", until: "a") == "gha")
        #expect(bench.files.count == 8)
        #expect(try await run(bench, "abcdefgh", until: "d") == "bcd")
        #expect(try await run(bench, "abcdefgh", until: "g") == "efag")
        #expect(try await run(bench, "abcdefgh") == "hbcdaefg")
    }

    @Test("what was killed counts as far as it was recorded")
    func newItems() async throws {
        let bench = try bench()
        #expect(try await run(bench, "bd") == "bd")
        #expect(try await run(bench, "abcde") == "acebd")
    }

    @Test("what failed comes before what is stored, and behind what is new")
    func failed() async throws {
        let bench = try bench(["/b": [.status(403)], "/d": [.ok("d"), .status(403)]])
        #expect(try await run(bench, "abcd") == "abcd")
        #expect(try await run(bench, "abcd") == "bacd")
        #expect(try await run(bench, "abcde") == "ebdac")
    }

    @Test("what fails on and on does not take the turns of others")
    func failsOnAndOn() async throws {
        let bench = try bench(["/a": [.status(403)], "/b": [.status(403)]])
        #expect(try await run(bench, "abcdef") == "abcdef")
        var asked = ""
        for last in "bbcf" { asked += " " + (try await run(bench, "abcdef", until: String(last))) }
        #expect(asked == " ab ab c def")
    }

    @Test("one that is cut off each time lets the others have their turn")
    func cutOff() async throws {
        let bench = try bench()
        var asked: [String] = []
        for last in ["a", "c", "d"] {
            bench.server.hold("/a")
            bench.server.hold("/\(last)")
            let before = bench.server.requests.count
            let running = try bench.begin(items(bench, "abcd"))
            try await running.waitForStart(last)
            running.session.stop(.deadline)
            if last == "a" { running.session.abort(.deadline) } else { bench.server.release("/\(last)") }
            _ = try await running.report()
            asked.append(self.asked(bench, before))
        }
        #expect(asked == ["a", "bc", "d"])
    }

    @Test("what was not asked since its host was given up comes first in the next run")
    func givenUp() async throws {
        let bench = try bench()
        _ = try await bench.run(items(bench, "a"))
        try bench.change(
            """
            INSERT INTO item (job, collection_id, key, position, url, title, stem, path_hash, state, failure)
            SELECT job, collection_id, 'c', 3, '\(bench.server.url("/c"))', 'c', 'c', 77, 'failed', 'connect' FROM item
            """)
        try bench.change(
            """
            INSERT INTO item (job, collection_id, key, position, url, title, stem, path_hash, state, failure, asked_run)
            SELECT job, collection_id, 'b', 2, '\(bench.server.url("/b"))', 'b', 'b', 78, 'failed', 'stalled', 1 FROM item
            WHERE key = 'a'
            """)
        #expect(try await run(bench, "abc") == "cba")
    }
}
