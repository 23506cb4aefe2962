import Files
import Glibc
import Jobs
import Run
import SQLite
import System
import TestSupport
import Testing

@testable import Catalog
@testable import Model

@Suite("output.max_bytes", .timeLimit(.minutes(1)))
struct CacheLimitTests {
    /// Of every file but where a test says otherwise: its signature and 32 bytes.
    private static let size: Int64 = 40

    /// A server of pictures a, b, c and d of forty bytes, and a job that keeps a hundred bytes of them.
    private func bench(maximum: Int64 = 100, big: Int = 32) throws -> Bench {
        var bench = try Bench([
            "/a": [.ok(picture(32, seed: 1), headers: [("ETag", "\"a\"")])], "/b": [.ok(picture(32, seed: 2))],
            "/c": [.ok(picture(32, seed: 3))], "/d": [.ok(picture(big, seed: 4))],
        ])
        bench.job.output.maximumBytes = maximum
        bench.job.refresh = .never
        return bench
    }

    private func states(_ bench: Bench) throws -> [String: String] {
        let rows = try bench.table("SELECT key, state FROM item")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["key"]?.text ?? "", $0["state"]?.text ?? "") })
    }

    @Test("what was stored first goes first, and is not fetched again")
    func leastRecentlyStored() async throws {
        let bench = try bench()
        _ = try await bench.run("/a")
        let full = try await bench.run("/a", "/b")
        #expect(full.run["freed_files"] == 0)
        let over = try await bench.run("/a", "/b", "/c")
        #expect(bench.files == ["b.png", "c.png"])
        #expect(over.run["freed_files"] == 1)
        #expect(over.run["freed_bytes"] == .integer(Self.size))
        #expect(try over["a"].outcome == "fresh")
        #expect(over.outcome == .complete)

        let next = try await bench.run("/a", "/b", "/c")
        #expect(try next["a"].outcome == "evicted")
        #expect(try next["a"].attempts == 0)
        #expect(next.run["evicted"] == 1)
        #expect(next.run["freed_files"] == 0)
        #expect(next.outcome == .complete)
        #expect(bench.requests("/a").count == 1)
    }

    @Test("an evicted row keeps what is known of the file, and claims nothing")
    func row() async throws {
        let bench = try bench()
        _ = try await bench.run("/a")
        _ = try await bench.run("/a", "/b", "/c")
        let row = try #require(try bench.table("SELECT * FROM item WHERE key = 'a'").first)
        #expect(row["state"] == "evicted")
        #expect(row["size"] == .integer(Self.size))
        #expect(row["sha256"]?.isNull == false)
        #expect(row["media_type"]?.isNull == false)
        for column in ["path", "stored_url", "etag", "last_modified", "expires_at"] {
            #expect(row[column] == .null, "\(column)")
        }
    }

    @Test("what was viewed goes after what was stored later")
    func viewed() async throws {
        let bench = try bench()
        _ = try await bench.run("/a")
        _ = try await bench.run("/a", "/b")
        try ViewMark.set(job: "job", key: "a", database: bench.options.database, now: wallClockMicroseconds())
        _ = try await bench.run("/a", "/b", "/c")
        #expect(bench.files == ["a.png", "c.png"])
    }

    @Test("--refresh brings an evicted file back, and another one goes")
    func refreshed() async throws {
        let bench = try bench()
        _ = try await bench.run("/a")
        _ = try await bench.run("/a", "/b", "/c")
        let items = ["/a", "/b", "/c"].map { bench.item($0) }
        let report = try await bench.run(items) { options in
            options.selection.only = ["a"]
            options.selection.isRefreshing = true
        }
        #expect(try report["a"].outcome == "downloaded")
        #expect(bench.files == ["a.png", "c.png"])
        #expect(try states(bench) == ["a": "stored", "b": "evicted", "c": "stored"])
    }

    @Test("an evicted item is none that failed")
    func failed() async throws {
        let bench = try bench()
        _ = try await bench.run("/a")
        _ = try await bench.run("/a", "/b", "/c")
        let report = try await bench.run([]) { $0.selection.isFailedOnly = true }
        #expect(report.items.isEmpty)
    }

    @Test("an evicted item that fails when it is asked for is fetched by the next run")
    func failedRefresh() async throws {
        let bench = try bench()
        _ = try await bench.run("/a")
        _ = try await bench.run("/a", "/b", "/c")
        bench.script.set("/a", .status(403), .ok(picture(32)))
        let items = ["/a", "/b", "/c"].map { bench.item($0) }
        let report = try await bench.run(items) { options in
            options.selection.only = ["a"]
            options.selection.isRefreshing = true
        }
        #expect(try report["a"].state == "failed")
        #expect(try await bench.run(items)["a"].outcome == "downloaded")
    }

    @Test("a file that is larger than the limit is fetched once, goes alone, and comes back only when asked for")
    func oversized() async throws {
        let bench = try bench(big: 1_000)
        let report = try await bench.run("/a", "/b", "/d")
        #expect(try report["d"].outcome == "downloaded")
        #expect(bench.files == ["a.png", "b.png"])
        #expect(report.run["freed_bytes"] == 1_008)
        #expect(try await bench.run("/a", "/b", "/d")["d"].outcome == "evicted")
        #expect(bench.requests("/d").count == 1)
    }

    @Test("a file that becomes larger than the limit is counted once among those that went")
    func grown() async throws {
        var bench = try bench(maximum: 1_000)
        _ = try await bench.run("/a", "/b", "/c")
        bench.job.output.maximumBytes = 60
        bench.job.refresh = .always
        bench.script.set("/b", .ok(picture(100, seed: 5)))
        let report = try await bench.run("/a", "/b", "/c")
        #expect(bench.files == ["c.png"])
        #expect(report.run["freed_files"] == 2)
        #expect(report.run["freed_bytes"] == 148)
    }

    @Test("a list that is larger than the limit is fetched once, and the last of it stay")
    func longList() async throws {
        let paths = (0..<20).map { "/\($0)" }
        let responses = paths.enumerated().map { ($1, [FaultyServer.Response.ok(picture(32, seed: UInt8($0)))]) }
        var bench = try Bench(
            Dictionary(uniqueKeysWithValues: responses), transfer: "concurrency: 1\nper_host: 1")
        bench.job.output.maximumBytes = 100
        let report = try await bench.run(paths.map { bench.item($0) })
        #expect(report.run["downloaded"] == 20)
        #expect(report.run["freed_files"] == 18)
        #expect(bench.files == ["18.png", "19.png"])
        #expect(bench.server.requests.count == 20)
        let again = try await bench.run(paths.map { bench.item($0) })
        #expect(again.run["evicted"] == 18)
        #expect(again.run["freed_files"] == 0)
    }

    @Test("a lower limit is kept by a run that fetches nothing")
    func lowered() async throws {
        var bench = try bench()
        _ = try await bench.run("/a", "/b")
        bench.job.output.maximumBytes = 50
        _ = try await bench.run("/a", "/b")
        #expect(bench.files == ["b.png"])
        bench.job.output.maximumBytes = nil
        #expect(try await bench.run("/a", "/b")["a"].outcome == "evicted")
    }

    @Test("what is listed no more counts and goes, and is not fetched when it is listed again")
    func gone() async throws {
        let bench = try bench()
        _ = try await bench.run("/a", "/b")
        _ = try await bench.run("/b", "/c")
        #expect(bench.files == ["b.png", "c.png"])
        #expect(try states(bench)["a"] == "evicted")
        #expect(try await bench.run("/a", "/b", "/c")["a"].outcome == "evicted")
        // Nor does an evicted item that is listed no more hide another one that is gone.
        _ = try await bench.run("/a", "/c")
        #expect(try states(bench)["b"] == "gone")
    }

    @Test("a file that a person has changed stays, is told, and counts no more")
    func changed() async throws {
        let bench = try bench()
        _ = try await bench.run("/a", "/b")
        try bench.directory.write(picture(32, seed: 9), to: "\(bench.outputFolder)/a.png")
        let report = try await bench.run("/b", "/c")
        #expect(report.warnings == ["a.png was changed: it stays, and counts no more as the job's"])
        #expect(report.run["freed_files"] == 0)
        #expect(bench.file("a.png") == picture(32, seed: 9))
        #expect(bench.files == ["a.png", "b.png", "c.png"])
    }

    @Test("a file that is away counts for nothing")
    func missing() async throws {
        let bench = try bench()
        _ = try await bench.run("/a", "/b")
        try bench.directory.remove("\(bench.outputFolder)/b.png")
        let report = try await bench.run("/a", "/c")
        #expect(report.run["freed_files"] == 0)
        #expect(bench.files == ["a.png", "c.png"])
    }

    @Test("a file of several names counts once, and its names go together by the latest use of them")
    func shared() async throws {
        var bench = try Bench([
            "/a": [.ok(picture(32, seed: 1))], "/b": [.ok(picture(32, seed: 2))], "/c": [.ok(picture(32, seed: 1))],
            "/d": [.ok(picture(32, seed: 4))],
        ])
        bench.job.output.maximumBytes = 100
        bench.job.output.deduplicates = true
        bench.job.refresh = .never
        _ = try await bench.run("/a")
        _ = try await bench.run("/a", "/b")
        // c has the bytes of a: 80 on the disk.
        let linked = try await bench.run("/a", "/b", "/c")
        try #require(linked.run["saved_bytes"] == 40)
        let output = try OutputDirectory(path: bench.job.output.directory, create: false)
        try #require(output.information(RelativePath(validating: "a.png"))?.links == 2)
        #expect(linked.run["freed_files"] == 0)
        // b is the one that was not used since.
        let over = try await bench.run("/a", "/b", "/c", "/d")
        #expect(over.run["freed_bytes"] == 40)
        #expect(bench.files == ["a.png", "c.png", "d.png"])
        bench.job.output.maximumBytes = 50
        let both = try await bench.run("/a", "/b", "/c", "/d")
        #expect(both.run["freed_files"] == 2)
        #expect(both.run["freed_bytes"] == 40)
        #expect(bench.files == ["d.png"])
    }

    @Test("bytes with a name elsewhere are not told as freed")
    func linkedElsewhere() async throws {
        let bench = try bench()
        _ = try await bench.run("/a")
        link(bench.directory.path("\(bench.outputFolder)/a.png"), bench.directory.path("mine.png"))
        let report = try await bench.run("/a", "/b", "/c")
        #expect(report.run["freed_files"] == 1)
        #expect(report.run["freed_bytes"] == 0)
        #expect(bench.directory.read("mine.png") == picture(32, seed: 1))
    }

    @Test("a file whose item is under way goes later, and none that was stored after it in its place")
    func underWay() async throws {
        var bench = try bench()
        _ = try await bench.run("/a")
        bench.job.refresh = .changed
        bench.server.hold("/a")
        bench.script.set("/a", .status(304))
        let running = try bench.begin(["/a", "/b", "/c"].map { bench.item($0) })
        for key in ["b", "c"] {
            try await running.wait { event in
                if case .itemFinished(let item) = event, item.key == key { true } else { nil }
            }
        }
        #expect(bench.files == ["a.png", "b.png", "c.png"])
        bench.server.release("/a")
        let report = try await running.report()
        #expect(try report["a"].outcome == "unchanged")
        #expect(bench.files == ["b.png", "c.png"])
    }

    @Test("an item whose URL was fetched for one that has gone since is fetched by itself")
    func leaderGone() async throws {
        let bench = try bench(maximum: 20)
        let gate = Gate()
        let pages = [
            Page(listing: [bench.item("/a", key: "first")]), Page(listing: [bench.item("/a", key: "second")]),
        ]
        let running = try bench.begin(.fixed(pages, gate: gate))
        try await running.wait { event in
            if case .itemEvicted(let item) = event, item.key == "first" { true } else { nil }
        }
        gate.open()
        let report = try await running.report()
        #expect(try report["second"].outcome == "downloaded")
        #expect(try report["second"].attempts == 1)
    }

    @Test("an item's file is told as it goes")
    func event() async throws {
        let bench = try bench()
        _ = try await bench.run("/a")
        let report = try await bench.run("/a", "/b", "/c")
        let told = report.events.compactMap { event in
            if case .itemEvicted(let item) = event { "\(item.key) \(item.path) \(item.size)" } else { nil }
        }
        #expect(told == ["a a.png 40"])
    }

    @Test("what somebody puts where an evicted file was is not overwritten")
    func path() async throws {
        var bench = try bench()
        _ = try await bench.run("/a")
        _ = try await bench.run("/a", "/b", "/c")
        try bench.directory.write("mine", to: "\(bench.outputFolder)/a.png")
        bench.foreignFiles = ["a.png"]
        _ = try await bench.run([bench.item("/a")]) { $0.selection.isRefreshing = true }
        #expect(bench.file("a.png") == Array("mine".utf8))
        #expect(bench.file("a (2).png") == picture(32, seed: 1))
    }
}
