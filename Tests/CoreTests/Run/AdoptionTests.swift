import Files
import FoundationEssentials
import TestSupport
import Testing

@testable import Model
@testable import Run

@Suite("A folder that is taken over", .timeLimit(.minutes(1)))
struct AdoptionTests {
    private func write(_ text: String, to path: String, of bench: Bench) throws {
        let file = URL(filePath: bench.directory.path("\(bench.outputFolder)/\(path)"))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private static func digest(_ text: String) -> String {
        var hasher = SHA256()
        Array(text.utf8).withUnsafeBytes { hasher.update($0) }
        return hasher.finalize().hex
    }

    @Test("items take files by path and by digest; nothing is requested, moved or changed")
    func adopted() async throws {
        var bench = try Bench(["/a": [.ok("x")]])
        bench.foreignFiles = ["other.txt"]
        try write("first", to: "a.txt", of: bench)
        try write("second", to: "old/renamed.bin", of: bench)
        try write("nobody's", to: "other.txt", of: bench)
        let digest = Self.digest("second")
        let items = [
            bench.item("/a"),
            ListedItem(collection: "all", key: "b", url: bench.server.url("/b"), title: "b", sha256: digest),
            bench.item("/c"),
        ]
        let report = try await bench.run(items) { $0.selection.isAdopting = true }
        #expect(report.outcome == .complete)
        #expect(bench.server.requests.isEmpty)
        #expect(try report["a"].item["path"]?.text == "a.txt")
        #expect(try report["b"].item["path"]?.text == "old/renamed.bin")
        #expect(try report["b"].item["sha256"]?.text == digest)
        let states = try bench.table("SELECT state FROM item ORDER BY key").map { $0["state"]?.text }
        #expect(states == ["stored", "stored", "pending"])
        #expect(bench.files == ["a.txt", "old/renamed.bin", "other.txt"])
        #expect(bench.file("a.txt").map { String(decoding: $0, as: UTF8.self) } == "first")
    }

    @Test("a file that is not what the list promises is nobody's, and no file has two items")
    func wrong() async throws {
        var bench = try Bench()
        bench.foreignFiles = ["a.txt"]
        try write("short", to: "a.txt", of: bench)
        try write("shared", to: "b.txt", of: bench)
        let digest = Self.digest("shared")
        let items = [
            ListedItem(collection: "all", key: "a", url: bench.server.url("/a"), title: "a", size: 77),
            bench.item("/b"),
            ListedItem(collection: "all", key: "c", url: bench.server.url("/c"), title: "c", sha256: digest),
        ]
        _ = try await bench.run(items) { $0.selection.isAdopting = true }
        let paths = try bench.table("SELECT path FROM item ORDER BY key").map { $0["path"]?.text }
        #expect(paths == [nil, "b.txt", nil])
    }

    @Test("the run after it asks whether what was adopted has changed, and fetches the rest")
    func next() async throws {
        let bench = try Bench(["/a": [.status(304)], "/c": [.ok("third")]])
        try write("first", to: "a.txt", of: bench)
        let items = [bench.item("/a"), bench.item("/c")]
        _ = try await bench.run(items) { $0.selection.isAdopting = true }
        let report = try await bench.run(items)
        #expect(try report["a"].outcome == "unchanged")
        #expect(try report["c"].outcome == "downloaded")
        #expect(bench.requests("/a").first?["If-Modified-Since"] != nil)
    }

    @Test("--failed with reasons takes up only what failed for one of them")
    func reasons() async throws {
        let bench = try Bench(["/bad": [.status(403), .ok("y")]])
        let items = [
            bench.item("/bad"),
            ListedItem(collection: "all", key: "far", url: "http://127.0.0.1:1/far", title: "far"),
        ]
        _ = try await bench.run(items)
        let report = try await bench.run([]) { options in
            options.selection.isFailedOnly = true
            options.selection.reasons = [.http, .dns]
        }
        #expect(report.items.keys.sorted() == ["bad"])
        #expect(report.run["selection"] == #"{"failed":true,"reasons":["http","dns"]}"#)
    }

    @Test("stop_after_known ends a list after so many stored items in a row, and takes nothing for gone")
    func known() async throws {
        let paths = (1...6).map { "/\($0)" }
        let bench = try Bench(
            Dictionary(uniqueKeysWithValues: (["/new"] + paths).map { ($0, [.ok($0)]) }),
            keys: "stop_after_known: 2\nrefresh: never")
        _ = try await bench.run(paths.map { bench.item($0) })
        #expect(try bench.table("SELECT key FROM item").count == 6)
        let report = try await bench.run((["/1", "/new"] + paths).map { bench.item($0) })
        #expect(report.outcome == .complete)
        #expect(report.items.keys.sorted() == ["1", "2", "3", "new"])
        #expect(try bench.table("SELECT key FROM item WHERE state = 'gone'").isEmpty)
        let all = try await bench.run(paths.map { bench.item($0) }) { $0.selection.isRefreshing = true }
        #expect(all.items.count == 6)
    }
}
