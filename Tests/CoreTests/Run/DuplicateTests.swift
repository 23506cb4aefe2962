import Run
import TestSupport
import Testing

@testable import Model

/// One URL in several places of a list.
@Suite("One URL listed several times", .timeLimit(.minutes(1)))
struct DuplicateTests {
    private let body = picture(100_000)

    private func items(_ bench: Bench, _ keys: String...) -> [ListedItem] {
        keys.map { bench.item("/x", key: $0) }
    }

    @Test("one request, a file for each, and the followers' rows have no attempts and no times")
    func oneRequest() async throws {
        let bench = try Bench(["/x": [.ok(body)]])
        let report = try await bench.run(items(bench, "a", "b", "c"))
        #expect(bench.server.requests.count == 1)
        #expect(bench.files == ["a.png", "b.png", "c.png"])
        #expect(bench.file("c.png") == body)
        #expect(try report["a"].attempts == 1)
        for key in ["b", "c"] {
            let row = try report[key]
            #expect(row.outcome == "downloaded")
            #expect(row.attempts == 0)
            #expect(row.transfer["total_us"] == .null)
            #expect(row.item["sha256"] == (try report["a"].item["sha256"]))
        }
        #expect(report.run["wire_bytes"] == .integer(Int64(body.count)))
    }

    @Test("a failure is the failure of all")
    func failure() async throws {
        let bench = try Bench(["/x": [.status(403)]])
        let report = try await bench.run(items(bench, "a", "b"))
        #expect(bench.server.requests.count == 1)
        #expect(try report["b"].failure == "http")
        #expect(try report["b"].status == 403)
        #expect(try report["b"].attempts == 0)
        #expect(report.run["failed"] == 2)
    }

    @Test("again: one question, and all are unchanged")
    func again() async throws {
        let bench = try Bench(["/x": [.ok(body, headers: [("ETag", "\"v1\"")]), .status(304)]])
        _ = try await bench.run(items(bench, "a", "b"))
        let report = try await bench.run(items(bench, "a", "b"))
        #expect(bench.server.requests.count == 2)
        #expect(report.run["unchanged"] == 2)
    }

    @Test("one that is new gets its file although the other is unchanged")
    func newFollower() async throws {
        let bench = try Bench(["/x": [.ok(body, headers: [("ETag", "\"v1\"")]), .status(304)]])
        _ = try await bench.run(items(bench, "a"))
        let report = try await bench.run(items(bench, "a", "b"))
        #expect(bench.server.requests.count == 2)
        #expect(try report["b"].state == "stored")
        #expect(bench.file("b.png") == body)
    }

    private func rot(_ file: String, _ bench: Bench) throws {
        var bytes = body
        bytes[50_000] ^= 0xFF
        try bench.directory.write(bytes, to: "\(bench.outputFolder)/\(file)")
    }

    @Test("a file that rotted is not copied: the other place fails, and the next run fetches the bytes for both")
    func rottedLeader() async throws {
        let bench = try Bench(["/x": [.ok(body, headers: [("ETag", "\"v1\"")]), .status(304), .ok(body)]])
        _ = try await bench.run(items(bench, "a"))
        try rot("a.png", bench)
        var spoilt = bench
        spoilt.rottenFiles = ["a.png"]
        let row = try await spoilt.run(items(bench, "a", "b"))["b"]
        #expect(row.outcome == "failed")
        #expect(row.item["sha256"] == .null)
        #expect(bench.files == ["a.png"])
        let healed = try await bench.run(items(bench, "a", "b"))
        #expect(healed.run["downloaded"] == 2)
        #expect(bench.file("a.png") == body)
        #expect(bench.file("b.png") == body)
    }

    @Test("a second place whose file rotted gets the bytes that were fetched in full")
    func rottedFollower() async throws {
        let bench = try Bench(["/x": [.ok(body)]])
        _ = try await bench.run(items(bench, "a", "b"))
        try rot("b.png", bench)
        _ = try await bench.run(items(bench, "a", "b")) { $0.selection.isRefreshing = true }
        #expect(bench.file("b.png") == body)
    }

    @Test("one that is listed after the other has ended asks no more", arguments: [true, false])
    func late(_ succeeds: Bool) async throws {
        let bench = try Bench(["/x": [succeeds ? .ok(body) : .status(403)]])
        let gate = Gate()
        let pages = [Page(listing: items(bench, "a")), Page(listing: items(bench, "b"))]
        let running = try bench.begin(.fixed(pages, gate: gate))
        try await running.wait { event in if case .itemFinished = event { true } else { nil } }
        gate.open()
        let report = try await running.report()
        #expect(bench.server.requests.count == 1)
        #expect(try report["b"].outcome == (succeeds ? "downloaded" : "failed"))
        #expect(try report["b"].attempts == 0)
        #expect(bench.files.count == (succeeds ? 2 : 0))
    }

    @Test("a digest that only one of them is listed with is asked for by itself")
    func expectedContent() async throws {
        let bench = try Bench(["/x": [.ok(body)]])
        var list = items(bench, "a", "b")
        list[1] = list[1].with(sha256: String(repeating: "0", count: 64))
        let report = try await bench.run(list)
        #expect(bench.server.requests.count == 2)
        #expect(try report["a"].outcome == "downloaded")
        #expect(try report["b"].failure == "checksum")
    }

    @Test(
        "giving up the one that is fetched leaves the others, also one that is listed later",
        arguments: [true, false])
    func cancelLeader(_ isBegun: Bool) async throws {
        let bench = try Bench(["/w": [.ok("first")], "/x": [.ok(body)]], transfer: "concurrency: 1")
        bench.server.hold(isBegun ? "/x" : "/w")
        let gate = Gate()
        let first = (isBegun ? [] : [bench.item("/w")]) + items(bench, "a", "b", "c")
        let pages = [Page(listing: first), Page(listing: items(bench, "d"))]
        let running = try bench.begin(.fixed(pages, gate: gate))
        try await running.waitForStart(isBegun ? "a" : "w")
        let ids = try bench.table("SELECT id FROM item WHERE key IN ('a', 'b')").compactMap { $0["id"]?.integer }
        running.session.cancel(items: Set(ids))
        try await running.wait { event in if case .itemFinished(let item) = event, item.key == "b" { true } else { nil }
        }
        gate.open()
        bench.server.release(isBegun ? "/x" : "/w")
        let report = try await running.report()
        #expect(try report["a"].outcome == "cancelled")
        #expect(try report["b"].outcome == "cancelled")
        #expect(try report["c"].outcome == "downloaded")
        #expect(try report["c"].attempts == 1)
        #expect(try report["d"].outcome == "downloaded")
        #expect(try report["d"].attempts == 0)
        #expect(bench.file("d.png") == body)
    }

    @Test("asking to have one place first fetches its URL first")
    func prioritiseFollower() async throws {
        let bench = try Bench(
            ["/w": [.ok("w")], "/y": [.ok("y")], "/x": [.ok(body)]], transfer: "concurrency: 1")
        bench.server.hold("/w")
        let others = ["/w", "/y", "/z"].map { bench.item($0) }
        let running = try bench.begin(Array(others.prefix(2)) + items(bench, "a", "b") + others.suffix(1))
        try await running.waitForStart("w")
        let ids = try bench.table("SELECT id FROM item WHERE key IN ('b', 'z') ORDER BY key").compactMap {
            $0["id"]?.integer
        }
        running.session.prioritise(items: [ids[0]])
        // One after the other: when the second is seen to, so is the first.
        running.session.cancel(items: [ids[1]])
        try await running.wait { event in if case .itemFinished(let item) = event, item.key == "z" { true } else { nil }
        }
        bench.server.release("/w")
        _ = try await running.report()
        #expect(bench.server.requests.map(\.path) == ["/w", "/x", "/y"])
    }

    @Test("giving up one of them leaves the other")
    func cancelFollower() async throws {
        let bench = try Bench(["/x": [.ok(body)]])
        bench.server.hold("/x")
        let running = try bench.begin(items(bench, "a", "b"))
        _ = try await running.waitForStart("a")
        let follower = try #require(try bench.table("SELECT id FROM item WHERE key = 'b'").first?["id"]?.integer)
        running.session.cancel(items: [follower])
        try await running.wait { event in if case .itemFinished(let item) = event, item.key == "b" { true } else { nil }
        }
        bench.server.release("/x")
        let report = try await running.report()
        #expect(try report["a"].outcome == "downloaded")
        #expect(try report["b"].outcome == "cancelled")
        #expect(report.outcome == .partial)
    }
}
