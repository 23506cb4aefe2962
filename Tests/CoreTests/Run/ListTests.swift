import Jobs
import TestSupport
import Testing

@testable import Model
@testable import SourceKit

/// What a list says, and what it no longer says.
@Suite("Lists", .timeLimit(.minutes(1)))
struct ListTests {
    @Test("what leaves the list is gone, its file stays; back again it is what it was")
    func gone() async throws {
        let bench = try Bench([
            "/a": [.ok(picture(), headers: [("Cache-Control", "max-age=99")])], "/b": [.ok(picture(seed: 2))],
        ])
        _ = try await bench.run("/a", "/b", "/missing")
        let report = try await bench.run("/b")
        #expect(report.items.keys.sorted() == ["b"])
        #expect(try states(bench) == ["a": "gone", "b": "stored", "missing": "gone"])
        #expect(bench.files == ["a.png", "b.png"])
        let back = try await bench.run("/a", "/b", "/missing")
        #expect(try back["a"].outcome == "fresh")
        #expect(try states(bench) == ["a": "stored", "b": "stored", "missing": "failed"])
    }

    private func states(_ bench: Bench) throws -> [String: String] {
        try bench.table("SELECT key, state FROM item").reduce(into: [:]) {
            $0[$1["key"]?.text ?? ""] = $1["state"]?.text
        }
    }

    /// Orders of a list that was of 0 to 99 at first.
    private static let orders: [(String, [Int])] = [
        ("the same", Array(0..<100)), ("backwards", (0..<100).reversed()),
        ("some left out", (0..<100).filter { $0 % 7 != 3 }),
        ("two halves, the second one first", Array(50..<100) + Array(0..<50)),
        ("new ones between", (0..<100).flatMap { $0 % 20 == 9 ? [$0, 100 + $0] : [$0] }),
    ]

    @Test("items are those of the run before in whichever order they are listed", arguments: orders)
    func order(_ name: String, _ order: [Int]) async throws {
        let bench = try Bench(answering: { .ok($0.path, headers: [("Cache-Control", "max-age=99")]) })
        _ = try await bench.run((0..<100).map { bench.item("/\($0)") })
        let rows = try bench.table("SELECT id, key, path FROM item WHERE CAST(key AS INTEGER) < 100 ORDER BY id")
        let report = try await bench.run(order.map { bench.item("/\($0)") })
        #expect(report.items.keys.sorted() == order.map(String.init).sorted())
        for number in order {
            #expect(try report["\(number)"].outcome == (number < 100 ? "fresh" : "downloaded"), "\(number)")
        }
        #expect(
            try bench.table("SELECT id, key, path FROM item WHERE CAST(key AS INTEGER) < 100 ORDER BY id") == rows)
        #expect(bench.server.requests.count == 100 + order.count { $0 >= 100 })
        let counts = try bench.table(
            "SELECT fresh, (SELECT count(*) FROM transfer WHERE run_id = run.id AND outcome = 'fresh') AS n FROM run")
        #expect(counts.last?["fresh"] == counts.last?["n"])
    }

    @Test("a key of other bytes is another item, though it is the same text")
    func bytesOfKeys() async throws {
        let bench = try Bench(answering: { .ok($0.path, headers: [("Cache-Control", "max-age=99")]) })
        func items(_ last: String) -> [ListedItem] {
            ["/a", "/b", "/c"].map { bench.item($0) } + [bench.item("/d", key: last, title: "d")]
        }
        _ = try await bench.run(items("\u{E9}"))
        let report = try await bench.run(items("e\u{301}"))
        #expect(report.items.count == 4)
        #expect(try bench.table("SELECT key FROM item").count == 5)
        #expect(try bench.table("SELECT key FROM item WHERE state = 'gone'").count == 1)
    }

    @Test("what follows an item in the list is as it was left when a path changes before it")
    func pathsThatChange() async throws {
        let bench = try Bench(answering: { .ok($0.path, headers: [("Cache-Control", "max-age=99")]) })
        func items(_ titles: [String]) -> [ListedItem] {
            titles.enumerated().map { bench.item("/\($0)", title: $1) }
        }
        let letters = "abcdefghijklmnop".map(String.init)
        _ = try await bench.run(items(letters))
        // Each takes the title that another one further on had.
        let shifted = Array(letters[3...] + letters[..<3])
        let report = try await bench.run(items(shifted))
        #expect(report.items.values.allSatisfy { $0.outcome == "fresh" })
        let paths = try bench.table("SELECT path FROM item").map { $0["path"]?.text ?? "" }
        #expect(Set(paths).count == letters.count)
        #expect(bench.files == Set(paths))
        #expect(bench.server.requests.count == letters.count)
    }

    @Test("a list of nothing where there was something marks nothing and warns")
    func empty() async throws {
        let bench = try Bench(["/a": [.ok(picture())]])
        #expect(try await bench.run([]).warnings == [])
        _ = try await bench.run("/a")
        let report = try await bench.run([])
        #expect(report.outcome == .complete)
        #expect(report.warnings == ["the list is empty; the item listed before stays as it is"])
        #expect(try states(bench) == ["a": "stored"])
    }

    @Test("what a collection has not listed to its end is not gone; what the others no longer have is")
    func incomplete() async throws {
        let bench = try Bench(answering: { request in .ok(request.path) })
        let before = ["a1", "a2", "b1", "b2"].map { bench.item("/\($0)", collection: String($0.prefix(1))) }
        _ = try await bench.run(before)
        var page = Page(listing: [before[0], before[2]])
        page.incomplete = ["a"]
        #expect(try await bench.run(.fixed([page])).outcome == .complete)
        #expect(try states(bench) == ["a1": "stored", "a2": "stored", "b1": "stored", "b2": "gone"])
        _ = try await bench.run([before[0], before[2]])
        #expect(try states(bench)["a2"] == "gone")
    }

    @Test("a digest or size that is none makes an item invalid, whatever the source")
    func malformedPromise() async throws {
        let bench = try Bench(["/a": [.ok("x")], "/b": [.ok("x")]])
        var items = [bench.item("/a"), bench.item("/b")]
        items[0] = items[0].with(sha256: "abc")
        items[1] = items[1].with(size: -1)
        let report = try await bench.run(items)
        #expect(try report["a"].failure == "invalid")
        #expect(try report["a"].transfer["detail"] == "its sha256 is not of 64 hexadecimal digits")
        #expect(try report["b"].failure == "invalid")
        #expect(bench.server.requests.isEmpty)
    }

    @Test("an item that a person removed is not fetched again")
    func removed() async throws {
        let bench = try Bench(["/a": [.ok(picture())], "/b": [.ok(picture(seed: 2))]])
        _ = try await bench.run("/a", "/b")
        try bench.change("UPDATE item SET state = 'removed' WHERE key = 'a'")
        try bench.directory.remove("\(bench.outputFolder)/a.png")
        #expect(try await bench.run("/a", "/b").items.keys.sorted() == ["b"])
        #expect(try states(bench)["a"] == "removed")
    }

    @Test("a list that breaks off fails the run; its items still finish, and none is gone")
    func breaksOff() async throws {
        let bench = try Bench(["/a": [.ok(picture())], "/b": [.ok(picture(seed: 2))]])
        _ = try await bench.run("/a", "/b")
        let report = try await bench.run(.items([bench.item("/a")], failure: TestSupportError("page 2 is no JSON")))
        #expect(report.outcome == .failed)
        #expect(report.finished?.detail == "the list failed: page 2 is no JSON")
        #expect(try report["a"].outcome == "unchanged")
        #expect(try states(bench)["b"] == "stored")
    }

    @Test("a source that can't begin fails the run")
    func cannotBegin() async throws {
        let bench = try Bench()
        let report = try await bench.run(SourcePlan(type: "none") { _ in throw TestSupportError("no key") })
        #expect(report.outcome == .failed)
        #expect(report.items.isEmpty)
    }

    @Test("a key that is listed twice and a collection that was not listed are warned about")
    func faultyList() async throws {
        let bench = try Bench(["/a": [.ok("x")]])
        let page = Page(
            collections: [ListedCollection(key: "all", title: "All")],
            items: [bench.item("/a"), bench.item("/a"), bench.item("/a", key: "b", collection: "other")],
            warnings: ["the source's own"])
        let report = try await bench.run(.fixed([page]))
        #expect(report.items.keys.sorted() == ["a"])
        #expect(report.warnings.count == 3)
        #expect(report.warnings.first == "the source's own")
        #expect(report.warnings.contains { $0.contains("'a' is listed twice") })
        #expect(report.warnings.contains { $0.contains("'other', which was not listed") })
    }

    @Test("collections and items keep what the list tells of them")
    func metadata() async throws {
        let bench = try Bench(["/a": [.ok("x")]])
        let item = bench.item("/a", collection: "berlin").with(
            description: "a tower", section: "Mitte",
            metadata: [
                "views": .integer(7), "tags": .list(["a\"b", "c"]), "owner": .text("Eva"), "free": .flag(true),
            ], thumbnailURL: "http://example.org/t.jpg")
        let collection = ListedCollection(
            key: "berlin", title: "Berlin", subtitle: "Germany", section: "Europe", latitude: 52.5, longitude: 13.25,
            expected: 3)
        let report = try await bench.run(.fixed([Page(collections: [collection]), Page(items: [item])]))
        let row = try report["a"].item
        #expect(row["metadata"] == "{\"free\":true,\"owner\":\"Eva\",\"tags\":[\"a\\\"b\",\"c\"],\"views\":7}")
        #expect(row["description"] == "a tower")
        #expect(row["section"] == "Mitte")
        #expect(row["thumbnail_url"] == "http://example.org/t.jpg")
        #expect(row["position"] == 1)
        let stored = try #require(try bench.table("SELECT * FROM collection").first)
        #expect(stored["title"] == "Berlin")
        #expect(stored["subtitle"] == "Germany")
        #expect(stored["section"] == "Europe")
        #expect(stored["latitude"] == .real(52.5))
        #expect(stored["longitude"] == .real(13.25))
        #expect(stored["expected"] == 3)
        // A later list may tell otherwise; the row stays the same one.
        _ = try await bench.run(
            .fixed([Page(collections: [ListedCollection(key: "berlin", title: "Bärlin")], items: [item])]))
        let again = try bench.table("SELECT * FROM collection")
        #expect(again.count == 1)
        #expect(again[0]["id"] == stored["id"])
        #expect(again[0]["title"] == "Bärlin")
    }

    @Test("what the source asks for itself is counted apart, tries again included")
    func listRequests() async throws {
        let bench = try Bench([
            "/": [.status(503, Array("later".utf8)), .redirect(to: "/list"), .ok("never")], "/list": [.ok("the list")],
        ])
        let report = try await bench.run(bench.job.source)
        #expect(report.outcome == .complete)
        #expect(report.run["list_requests"] == 3)
        #expect(report.run["list_bytes"] == 13)
        #expect(report.run["wire_bytes"] == 0)
    }

    @Test("a source's request that gets no reply ends the list", arguments: [503, 404])
    func listFails(_ status: Int) async throws {
        let bench = try Bench(["/": [.status(status)]])
        let report = try await bench.run(bench.job.source)
        #expect(report.outcome == .failed)
        #expect(report.finished?.detail?.contains("\(status)") == true)
        #expect(report.run["list_requests"] == (status == 503 ? 3 : 1))
    }

    @Test("1,000 items over many pages end once each, in several batches")
    func many() async throws {
        let bench = try Bench(answering: { request in request.path == "/" ? nil : .ok(request.path) })
        var pages = [Page(collections: [ListedCollection(key: "all", title: "All")])]
        for start in stride(from: 0, to: 1_000, by: 100) {
            pages.append(Page(items: (start..<start + 100).map { bench.item("/\($0)") }))
        }
        let report = try await bench.run(.fixed(pages))
        #expect(report.outcome == .complete)
        #expect(report.run["downloaded"] == 1_000)
        #expect(bench.server.requests.count == 1_000)
        #expect(bench.file("934.bin") == Array("/934".utf8))
    }
}
