import Model
import Run
import TestSupport
import Testing

@testable import SourceKit

/// Which items a run is about, and what failed before.
@Suite("Selections and memory of failures", .timeLimit(.minutes(1)))
struct SelectionTests {
    private static let day: Int64 = 86_400_000_000

    @Test("--only takes what matches, * also across /; the others get no row and no change")
    func only() async throws {
        let bench = try Bench(["/x": [.ok("x")]])
        let items = ["in/a/1", "in/b", "out/a"].map { bench.item("/x", key: $0) }
        let report = try await bench.run(items) { $0.selection.only = ["in/*"] }
        #expect(report.items.keys.sorted() == ["in/a/1", "in/b"])
        #expect(try bench.table("SELECT key FROM item").count == 2)
        #expect(report.run["selection"] == "{\"only\":[\"in/*\"]}")
        let other = try await bench.run(items) { $0.selection.only = ["out*"] }
        #expect(other.items.keys.sorted() == ["out/a"])
        #expect(try bench.table("SELECT * FROM item WHERE state = 'gone'").isEmpty)
    }

    @Test("--only takes a key as it is, or as lists show it, whatever a pattern of it means")
    func onlyKeys() async throws {
        let bench = try Bench(["/x": [.ok("x")]])
        let keys = ["l.json#http://h/[z]", "l.json#http://h/z", "a\u{0}b", "a\tb", "a\\b"]
        let items = keys.map { bench.item("/x", key: $0) }
        for (pattern, taken) in [
            (keys[0], [keys[0], keys[1]]), (keys[1], [keys[1]]),
            ("a\u{FFFD}b", [keys[2], keys[3]]), (keys[4], [keys[4]]),
        ] {
            let report = try await bench.run(items) { $0.selection.only = [pattern] }
            #expect(report.items.keys.sorted() == taken.sorted())
        }
    }

    @Test("--limit takes the first of the list, after --only")
    func limit() async throws {
        let bench = try Bench(["/x": [.ok("x")]])
        let items = ["a1", "b1", "b2", "b3"].map { bench.item("/x", key: $0) }
        let report = try await bench.run(items) { options in
            options.selection.limit = 2
            options.selection.only = ["b*"]
        }
        #expect(report.items.keys.sorted() == ["b1", "b2"])
        #expect(report.run["selection"] == "{\"only\":[\"b*\"],\"limit\":2}")
        #expect(report.outcome == .complete)
    }

    @Test("--failed lists nothing and takes what failed, was cancelled or has no transfer")
    func failed() async throws {
        let bench = try Bench(["/good": [.ok("x")], "/bad": [.status(403), .ok("y")]])
        _ = try await bench.run("/good", "/bad", "/worse")
        let plan = SourcePlan(type: "none") { _ in throw TestSupportError("the source was asked") }
        let report = try await bench.run(plan) { $0.selection.isFailedOnly = true }
        #expect(report.items.keys.sorted() == ["bad", "worse"])
        #expect(try report["bad"].outcome == "downloaded")
        #expect(try report["worse"].attempts == 1)
        #expect(report.run["selection"] == "{\"failed\":true}")
        #expect(bench.requests("/good").count == 1)
    }

    @Test("nothing selected is complete")
    func nothing() async throws {
        let bench = try Bench(["/x": [.ok("x")]])
        let report = try await bench.run([bench.item("/x")]) { $0.selection.only = ["zzz"] }
        #expect(report.outcome == .complete)
        #expect(report.items.isEmpty)
        let failed = try await bench.run([]) { $0.selection.isFailedOnly = true }
        #expect(failed.outcome == .complete)
    }

    @Test("a permanent failure is asked again after 1, 7, then 30 days", arguments: [404, 410])
    func permanent(_ status: Int) async throws {
        let bench = try Bench(["/a": [.status(status)]])
        var asked = 0
        for days in [1, 7, 30, 30] as [Int64] {
            let row = try await bench.run("/a")["a"]
            asked += 1
            #expect(bench.server.requests.count == asked)
            let finished = try #require(try bench.table("SELECT max(finished_at) AS at FROM run").first?["at"]?.integer)
            let pause = try #require(row.item["asked_again_at"]?.integer) - finished
            #expect(abs(pause - days * Self.day) < 60_000_000)

            let held = try await bench.run("/a")["a"]
            #expect(bench.server.requests.count == asked)
            #expect(held.failure == "http")
            #expect(held.attempts == 0)
            #expect(held.detail.hasPrefix("not asked again before 20"), "\(held.detail)")
            try bench.change("UPDATE item SET asked_again_at = 1")
        }
    }

    @Test(
        "asking by hand again and again does not put off when a permanent failure is asked again",
        arguments: [404, 410])
    func permanentByHand(_ status: Int) async throws {
        let bench = try Bench(["/a": [.status(status)]])
        let first = try await bench.run("/a")["a"].item["asked_again_at"]
        for isRefreshing in [false, true, false, false] {
            let report = try await bench.run([bench.item("/a")]) { options in
                options.selection.isFailedOnly = !isRefreshing
                options.selection.isRefreshing = isRefreshing
            }
            #expect(try report["a"].attempts == 1)
            #expect(try report["a"].item["asked_again_at"] == first)
            #expect(try report["a"].item["permanent_failures"] == 1)
        }
    }

    @Test("--failed, --refresh and another URL ask at once")
    func asksAtOnce() async throws {
        let bench = try Bench()
        _ = try await bench.run("/a")
        _ = try await bench.run([]) { $0.selection.isFailedOnly = true }
        #expect(bench.requests("/a").count == 2)
        _ = try await bench.run([bench.item("/a")]) { $0.selection.isRefreshing = true }
        #expect(bench.requests("/a").count == 3)
        #expect(try await bench.run([bench.item("/b", key: "a")])["a"].attempts == 1)
    }

    @Test("a failure that may pass is asked again in the next run")
    func transient() async throws {
        let bench = try Bench(["/a": [.status(503)]], transfer: "retries: 0")
        _ = try await bench.run("/a")
        _ = try await bench.run("/a")
        #expect(bench.requests("/a").count == 2)
    }

    @Test("a failed refresh with a permanent failure keeps the file, and counts as failed")
    func permanentRefresh() async throws {
        let bench = try Bench(["/a": [.ok(picture()), .status(404)]])
        _ = try await bench.run("/a")
        for attempts in [1, 0] as [Int64] {
            let row = try await bench.run("/a")["a"]
            #expect(row.outcome == "failed")
            #expect(row.attempts == .integer(attempts))
            #expect(row.state == "stored")
            #expect(bench.files == ["a.png"])
        }
    }
}
