import Run
import SQLite
import TestSupport
import Testing

@testable import Catalog
@testable import Model
@testable import SourceKit

@Suite("What a run gives its source", .timeLimit(.minutes(1)))
struct SourceContextTests {
    /// Pages that a test makes with the context.
    private struct Pages: SourcePages {
        var body: (@Sendable (SourceContext) async throws -> Page?)?
        let context: SourceContext

        mutating func next() async throws -> Page? {
            try await body.take()?(context)
        }
    }

    private func plan(
        _ placeholders: [Placeholder] = [], _ body: @escaping @Sendable (SourceContext) async throws -> Page?
    ) -> SourcePlan {
        SourcePlan(type: "test", placeholders: placeholders) { AnySourcePages(Pages(body: body, context: $0)) }
    }

    @Test("a reply that the source calls passing is asked for again, with the tries counted")
    func transientFailure() async throws {
        let bench = try Bench(["/list": [.ok("busy"), .ok("busy"), .ok("done")]])
        let url = bench.server.url("/list")
        let seen = Monitor<FetchedReply?>(nil)
        let report = try await bench.run(
            plan { context in
                let reply = try await context.fetch(url) { $0.body == Array("busy".utf8) ? "the site is busy" : nil }
                seen.withLock { $0 = reply }
                return nil
            })
        #expect(report.outcome == .complete)
        #expect(seen.withLock { $0?.attempts } == 3)
        #expect(seen.withLock { $0?.body } == Array("done".utf8))
    }

    @Test("a redirect that asks to wait is followed after that time")
    func waitingRedirect() async throws {
        let bench = try Bench([
            "/list": [.status(302, headers: [("Location", "/b"), ("Retry-After", "1")])], "/b": [.ok("done")],
        ])
        let url = bench.server.url("/list")
        let report = try await bench.run(
            plan {
                _ = try await $0.fetch(url)
                return nil
            })
        #expect(report.outcome == .complete)
        let requests = bench.server.requests
        #expect(requests.map(\.path) == ["/list", "/b"])
        #expect(requests[1].time - requests[0].time >= 1_000_000)
    }

    @Test("a passing reply that stays one is the source's error, in the source's words")
    func stillBusy() async throws {
        let bench = try Bench(["/list": [.ok("busy")]])
        let url = bench.server.url("/list")
        let report = try await bench.run(
            plan {
                _ = try await $0.fetch(url) { _ in "the site is busy" }; return nil
            })
        #expect(report.finished?.detail == "the list failed: the site is busy")
        #expect(bench.requests("/list").count == 3)
    }

    @Test("an item whose redirect ends at a placeholder is unavailable, and stands for a day")
    func placeholder() async throws {
        let bench = try Bench(["/a": [.redirect(to: "http://gone.example/images/en/gone.png")]])
        let item = bench.item("/a")
        let source = plan([Placeholder(host: "gone.example", path: "/images/*gone*")]) { _ in
            Page(collections: [ListedCollection(key: "all", title: "All")], items: [item])
        }
        let report = try await bench.run(source)
        #expect(try report["a"].failure == "unavailable")
        #expect(try report["a"].item["permanent_failures"] == 1)
        #expect(try report["a"].item["asked_again_at"]?.isNull == false)
        let again = try await bench.run(source)
        #expect(try again["a"].attempts == 0)
    }

    @Test("a redirect to another place is followed as ever")
    func otherRedirect() async throws {
        let bench = try Bench(["/a": [.redirect(to: "/images/b.png")], "/images/b.png": [.ok(picture())]])
        let item = bench.item("/a")
        let report = try await bench.run(
            plan([Placeholder(host: "gone.example", path: "/images/*")]) { _ in
                Page(collections: [ListedCollection(key: "all", title: "All")], items: [item])
            })
        #expect(try report["a"].outcome == "downloaded")
    }

    @Test("what a source remembers is there in the next run, without secrets in the catalog, and ages")
    func memory() async throws {
        let bench = try Bench(keys: "allow_failed: ${COUNT}\nsecrets: [COUNT]", environment: ["COUNT": "37"])
        _ = try await bench.run(
            plan { context in
                try await context.remember(["a": "one of 37 ${x}", "b": "two"])
                return nil
            })
        let found = Monitor<[[String: String]]>([])
        _ = try await bench.run(
            plan { context in
                let all = try await context.recall(["a", "b", "c"], youngerThan: 1_000_000_000)
                let fresh = try await context.recall(["a"], youngerThan: -1)
                found.withLock { $0 = [all, fresh] }
                return nil
            })
        #expect(found.withLock { $0 } == [["a": "one of 37 ${x}", "b": "two"], [:]])
        let rows = try bench.table("SELECT * FROM memory WHERE key = 'a'")
        #expect(rows.first?["value"] == "one of ${COUNT} $${x}")
        #expect(rows.first?["source"] == "test")
    }

    @Test("what nobody remembered anew for 400 days is forgotten")
    func forgetting() async throws {
        let directory = try TemporaryDirectory()
        let store = try CatalogStore(path: directory.path("catalog.sqlite"))
        func memory(day: Int64) -> SourceMemory {
            SourceMemory(source: "test", secrets: Secrets(), store: { store }, now: { day * 86_400_000_000 })
        }
        try await memory(day: 1).remember(["old": "a", "renewed": "b"])
        try await memory(day: 300).remember(["renewed": "c"])
        try await memory(day: 402).remember(["new": "d"])
        let found = try await memory(day: 402).recall(["old", "renewed", "new"], youngerThan: .max / 2)
        #expect(found == ["renewed": "c", "new": "d"])
        await store.close()
    }

    @Test("a run that is stopped does not wait for its budget")
    func stoppedWait() async throws {
        let bench = try Bench(["/list": [.ok("")]])
        let url = bench.server.url("/list")
        let running = try bench.begin(
            plan { context in
                try await context.budget("key", limit: 1, per: 3_600_000_000)
                _ = try await context.fetch(url)
                try await context.budget("key", limit: 1, per: 3_600_000_000)
                return nil
            })
        // The warning says that it waits.
        _ = try await running.wait { event in if case .warning = event { true } else { nil } }
        running.session.stop()
        let report = try await running.report()
        #expect(report.outcome == .interrupted)
        #expect(report.warnings.first?.hasPrefix("the budget of 1 requests in 1 h is spent") == true)
    }
}
