import SQLite
import TestSupport
import Testing

@testable import Catalog
@testable import Model
@testable import Run

/// How far a list is read with `stop_after_known`.
@Suite("Lists that have the newest first", .timeLimit(.minutes(1)))
struct EarlyEndTests {
    /// One item at a time; two stored items end a list.
    private func bench(_ responses: [String: [FaultyServer.Response]] = [:]) throws -> Bench {
        try Bench(
            responses, transfer: "concurrency: 1\nretries: 0", keys: "stop_after_known: 2\nrefresh: never",
            answering: { responses[$0.path] == nil ? .ok($0.path) : nil })
    }

    private func items(_ bench: Bench, _ names: String) -> [ListedItem] {
        names.map { bench.item("/\($0)") }
    }

    /// The keys of the items that a run over the list reads.
    private func read(_ bench: Bench, _ names: String) async throws -> String {
        let report = try await bench.run(items(bench, names))
        return report.items.keys.sorted().joined()
    }

    private func states(_ bench: Bench) throws -> [String: String] {
        let rows = try bench.table("SELECT key, state FROM item")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["key"]?.text ?? "", $0["state"]?.text ?? "") })
    }

    @Test("an ordinary run reads until two stored items come one after the other, night after night")
    func ordinary() async throws {
        let bench = try bench()
        #expect(try await read(bench, "defgh") == "defgh")
        #expect(try await read(bench, "defgh") == "de")
        #expect(try await read(bench, "cdefgh") == "cde")
        #expect(try await read(bench, "abcdefgh") == "abcd")
        #expect(bench.server.requests.count == 8)
    }

    @Test(
        "what a run did not come to before it was stopped is fetched by the next",
        arguments: [StopCause.signal, .deadline])
    func stopped(by cause: StopCause) async throws {
        let bench = try bench()
        bench.server.hold("/c")
        let running = try bench.begin(items(bench, "abcdefgh"))
        try await running.waitForStart("c")
        running.session.stop(cause)
        bench.server.release("/c")
        _ = try await running.report()
        #expect(try states(bench).values.filter { $0 == "stored" }.count == 3)
        #expect(try await read(bench, "abcdefgh") == "abcdefgh")
        #expect(try states(bench).values.allSatisfy { $0 == "stored" })
        #expect(try await read(bench, "abcdefgh") == "ab")
    }

    @Test("a list of which only the beginning was read is read to its end next time", arguments: [false, true])
    func listCut(afterWholeList: Bool) async throws {
        let bench = try bench()
        if afterWholeList { #expect(try await read(bench, "gh") == "gh") }
        struct Broken: Error {}
        let cut = try await bench.run(.items(items(bench, "abc"), failure: Broken()))
        #expect(cut.outcome == .failed)
        #expect(try states(bench)["c"] == "stored")
        #expect(try await read(bench, "abcdefgh") == "abcdefgh")
        #expect(try await read(bench, "abcdefgh") == "ab")
    }

    @Test("the first items alone, or some, do not make the rest known")
    func selections() async throws {
        let bench = try bench()
        _ = try await bench.run(items(bench, "abcdef")) { $0.selection.limit = 3 }
        #expect(try await read(bench, "abcdef") == "abcdef")
        _ = try await bench.run(items(bench, "uvwabcdef")) { $0.selection.only = ["[vw]"] }
        #expect(try await read(bench, "vwuabcdef") == "abcdefuvw")
        #expect(try await read(bench, "vwuabcdef") == "vw")
    }

    @Test("a list that could not be read on adds nothing, and leaves the next run as short as it was")
    func nothingNew() async throws {
        let bench = try bench()
        #expect(try await read(bench, "abcdef") == "abcdef")
        struct Broken: Error {}
        _ = try await bench.run(.items(items(bench, "a"), failure: Broken()))
        #expect(try await read(bench, "abcdef") == "ab")
    }

    @Test("an item that failed for a while is asked for again behind stored ones, and no item after it")
    func transient() async throws {
        let bench = try bench(["/d": [.status(503), .status(503), .ok("d")]])
        #expect(try await read(bench, "abcdefgh") == "abcdefgh")
        #expect(try await read(bench, "abcdefgh") == "abcdef")
        #expect(try await read(bench, "abcdefgh") == "abcdef")
        #expect(try states(bench)["d"] == "stored")
        #expect(try await read(bench, "abcdefgh") == "ab")
    }

    @Test("a permanent failure that is not asked for yet keeps no list going")
    func permanent() async throws {
        let bench = try bench(["/d": [.status(404)]])
        #expect(try await read(bench, "abcdef") == "abcdef")
        #expect(try await read(bench, "abcdef") == "ab")
        try bench.change("UPDATE item SET asked_again_at = 1 WHERE key = 'd'")
        #expect(try await read(bench, "abcdef") == "abcdef")
        #expect(bench.requests("/d").count == 2)
    }

    @Test("what a person restores, and what verify --repair found, is fetched behind stored items")
    func restored() async throws {
        var bench = try bench()
        bench.foreignFiles = ["e.bin"]
        #expect(try await read(bench, "abcdefgh") == "abcdefgh")
        let catalog = try bench.catalog()
        let removed = try #require(try ItemRows.find(key: "e", inJob: "job", on: catalog)?.id)
        let faulty = try #require(try ItemRows.find(key: "d", inJob: "job", on: catalog)?.id)
        try catalog.execute("UPDATE item SET state = 'removed' WHERE id = \(removed)")
        #expect(try await read(bench, "abcdefgh") == "ab")
        try ItemRows.restore(removed, on: catalog)
        #expect(try await read(bench, "abcdefgh") == "abcdefg")
        #expect(try states(bench)["e"] == "stored")
        try StoredFileRows.forgetFile(ofItem: faulty, keepingPath: true, on: catalog)
        catalog.close()
        #expect(try await read(bench, "abcdefgh") == "abcdef")
        #expect(try states(bench)["d"] == "stored")
        #expect(try await read(bench, "abcdefgh") == "ab")
    }

    @Test("an owed item that is no longer listed costs one whole list: then it is gone")
    func delisted() async throws {
        let bench = try bench(["/d": [.status(503)]])
        #expect(try await read(bench, "abcdef") == "abcdef")
        #expect(try await read(bench, "abcef") == "abcef")
        #expect(try states(bench)["d"] == "gone")
        #expect(try await read(bench, "abcef") == "ab")
    }

    @Test("where a list can't say what is gone, one whole list is read for an owed item that it lacks")
    func leftUnlisted() async throws {
        let bench = try bench(["/d": [.status(503), .status(503), .ok("d")]])
        func read(_ names: String) async throws -> String {
            var page = Page(listing: items(bench, names))
            page.isPartial = true
            return try await bench.run(.fixed([page])).items.keys.sorted().joined()
        }
        #expect(try await read("abcdef") == "abcdef")
        #expect(try await read("abcef") == "abcef")
        #expect(try states(bench)["d"] == "failed")
        #expect(try await read("abcef") == "ab")
        // Listed again, it is owed again.
        #expect(try await read("dabcef") == "abd")
        #expect(try await read("abcdef") == "abcdef")
        #expect(try states(bench)["d"] == "stored")
        #expect(try await read("abcdef") == "ab")
    }
}
