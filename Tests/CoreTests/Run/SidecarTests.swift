import Files
import FoundationEssentials
import Jobs
import SQLite
import TestSupport
import Testing

@testable import Model
@testable import Run
@testable import Storage

@Suite("Metadata beside files", .timeLimit(.minutes(1)))
struct SidecarTests {
    /// A job with `output.sidecar` whose server has a and b, both fresh for an hour once they are stored.
    private func bench() throws -> Bench {
        var bench = try Bench([
            "/a": [.ok(picture(32, seed: 1), headers: [("Cache-Control", "max-age=3600")])],
            "/b": [.ok(picture(32, seed: 2), headers: [("Cache-Control", "max-age=3600")])],
        ])
        bench.job.output.sidecar = .json
        return bench
    }

    private func item(_ bench: Bench, _ path: String = "/a", title: String = "a", views: Int64 = 1) -> ListedItem {
        ListedItem(
            collection: "all", key: String(path.dropFirst()), url: bench.server.url(path), title: title,
            metadata: ["owner": .text("Nguyễn \"An\""), "views": .integer(views)])
    }

    private func text(_ bench: Bench, _ path: String = "a.png.json") -> String? {
        bench.file(path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("has what the list says, on a line each, and nothing changes while that is so")
    func content() async throws {
        let bench = try bench()
        _ = try await bench.run([item(bench)])
        let digest = try bench.table("SELECT sha256 FROM item")[0]["sha256"]?.text ?? ""
        let expected = """
            {
            "job": "job",
            "key": "a",
            "url": "\(bench.server.url("/a"))",
            "title": "a",
            "collection": {"key": "all", "title": "All"},
            "size": 40,
            "sha256": "\(digest)",
            "metadata": {"owner":"Nguyễn \\"An\\"","views":1}
            }

            """
        #expect(text(bench) == expected)
        #expect(bench.files == ["a.png", "a.png.json"])
        let inode =
            try FileManager.default.attributesOfItem(
                atPath: bench.directory.path("\(bench.outputFolder)/a.png.json"))[.systemFileNumber] as? Int
        _ = try await bench.run([item(bench)])
        let after =
            try FileManager.default.attributesOfItem(
                atPath: bench.directory.path("\(bench.outputFolder)/a.png.json"))[.systemFileNumber] as? Int
        #expect(inode == after)
        #expect(bench.server.requests.count == 1)
    }

    @Test("follows the list, comes back when it is missing, and comes to files that were stored before")
    func following() async throws {
        var bench = try bench()
        bench.job.output.sidecar = .none
        _ = try await bench.run([item(bench)])
        #expect(bench.files == ["a.png"])
        bench.job.output.sidecar = .json
        _ = try await bench.run([item(bench)])
        #expect(text(bench)?.contains("\"views\":1") == true)
        _ = try await bench.run([item(bench, views: 2)])
        #expect(text(bench)?.contains("\"views\":2") == true)
        try FileManager.default.removeItem(atPath: bench.directory.path("\(bench.outputFolder)/a.png.json"))
        _ = try await bench.run([item(bench, views: 2)])
        #expect(text(bench)?.contains("\"views\":2") == true)
        #expect(bench.server.requests.count == 1)
    }

    @Test("goes along when its file is renamed")
    func renamed() async throws {
        let bench = try bench()
        _ = try await bench.run([item(bench)])
        _ = try await bench.run([item(bench, title: "Áo dài")])
        #expect(bench.files == ["Áo dài.png", "Áo dài.png.json"])
        #expect(text(bench, "Áo dài.png.json")?.contains("\"title\": \"Áo dài\"") == true)
    }

    @Test("never takes the place of somebody else's file, nor of one that was changed")
    func strangers() async throws {
        var bench = try bench()
        bench.foreignFiles = ["a.png.json"]
        let folder = bench.directory.path(bench.outputFolder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try bench.directory.write("mine", to: "\(bench.outputFolder)/a.png.json")
        let report = try await bench.run([item(bench), item(bench, "/b", title: "b")])
        #expect(text(bench) == "mine")
        let stays = "not written by this job, or was changed since: it stays as it is, and no metadata is written there"
        #expect(report.warnings == ["a.png.json was \(stays)"])
        try bench.directory.write("edited", to: "\(bench.outputFolder)/b.png.json")
        bench.rottenFiles = ["b.png.json"]
        for views in [2, 2, 3] {
            let report = try await bench.run([item(bench), item(bench, "/b", title: "b", views: Int64(views))])
            #expect(text(bench, "b.png.json") == "edited")
            #expect(
                report.warnings == [
                    "a.png.json and 1 other were not written by this job, or were changed since: they stay as they are, "
                        + "and no metadata is written there"
                ])
            // Not only until the next run.
            #expect(try await faults(bench, isRepairing: false) == ["b.png.json truncated(6)"])
        }
    }

    @Test(
        "items that exchange their titles exchange their metadata in the same run",
        arguments: [["b", "c", "a"], ["c", "a", "b"], ["b", "a", "c"], ["b", "c", "d"], ["d", "a", "b"]])
    func rotated(_ titles: [String]) async throws {
        var bench = try Bench(
            Dictionary(
                uniqueKeysWithValues: (1...3).map {
                    ("/\($0)", [.ok(picture(32, seed: $0), headers: [("Cache-Control", "max-age=3600")])])
                }))
        bench.job.output.sidecar = .json
        let first = (1...3).map { item(bench, "/\($0)", title: ["a", "b", "c"][$0 - 1]) }
        _ = try await bench.run(first)
        let report = try await bench.run((1...3).map { item(bench, "/\($0)", title: titles[$0 - 1]) })
        #expect(report.warnings == [])
        #expect(try await faults(bench, isRepairing: false) == [])
        let rows = try bench.table(
            "SELECT key, item.path, sidecar.path AS beside FROM item JOIN sidecar ON item_id = id")
        #expect(rows.count == 3)
        #expect(bench.files.count == 6)
        for row in rows {
            let beside = row["beside"]?.text ?? ""
            #expect(beside == "\(row["path"]?.text ?? "").json")
            #expect(text(bench, beside)?.contains("\"key\": \"\(row["key"]?.text ?? "")\"") == true)
        }
    }

    @Test("adopting a folder takes what would be written; what differs may be edited, and stays")
    func adopted() async throws {
        var bench = try bench()
        let items = [item(bench), item(bench, "/b", title: "b")]
        _ = try await bench.run(items)
        try bench.change("DELETE FROM sidecar; DELETE FROM transfer; DELETE FROM item")
        try bench.directory.write("{}", to: "\(bench.outputFolder)/b.png.json")
        bench.foreignFiles = ["b.png.json"]
        bench.foreignFiles.insert("a.png.json")
        let newer = [item(bench, views: 2), items[1]]
        _ = try await bench.run(newer) { $0.selection.isAdopting = true }
        #expect(try bench.table("SELECT path FROM sidecar").isEmpty)
        _ = try await bench.run(items) { $0.selection.isAdopting = true }
        #expect(try bench.table("SELECT path FROM sidecar").map { $0["path"]?.text } == ["a.png.json"])
        #expect(bench.server.requests.count == 2)
        _ = try await bench.run(newer)
        #expect(text(bench)?.contains("\"views\":2") == true)
        #expect(text(bench, "b.png.json") == "{}")

        let edited = (text(bench) ?? "").replacing("\"views\":2", with: "\"views\":2,\"rating\":5")
        try bench.directory.write(edited, to: "\(bench.outputFolder)/a.png.json")
        bench.rottenFiles.insert("a.png.json")
        _ = try await bench.run(newer) { $0.selection.isAdopting = true }
        _ = try await bench.run(newer)
        #expect(text(bench) == edited)
    }

    @Test("of a delisted item without a file it goes, and is not what keeps its row")
    func alone() async throws {
        let bench = try bench()
        _ = try await bench.run([item(bench), item(bench, "/b", title: "b")])
        _ = try await bench.run([item(bench)])
        try FileManager.default.removeItem(atPath: bench.directory.path("\(bench.outputFolder)/b.png"))
        try await collect(bench, isRemovingGone: true)
        #expect(bench.files == ["a.png", "a.png.json"])
        #expect(try bench.table("SELECT item_id FROM sidecar").count == 1)
        #expect(try bench.table("SELECT path FROM item WHERE key = 'b'")[0]["path"]?.text == nil)
    }

    @Test("goes with its file: over the limit, delisted, removed, reset")
    func going() async throws {
        let bench = try bench()
        let both = [item(bench), item(bench, "/b", title: "b")]
        _ = try await bench.run(both)
        #expect(bench.files.count == 4)
        try await collect(bench, keeping: 40)
        #expect(bench.files.count == 2)

        _ = try await bench.run(both) { $0.selection.isRefreshing = true }
        #expect(bench.files.count == 4)
        _ = try await bench.run([both[0]])
        #expect(bench.files.count == 4)
        try await collect(bench, isRemovingGone: true)
        #expect(bench.files == ["a.png", "a.png.json"])

        _ = try await bench.run(both)
        let id = try bench.table("SELECT id FROM item WHERE key = 'b'")[0]["id"]?.integer ?? 0
        _ = try ItemRemoval.remove([id], database: bench.options.database, environment: [:])
        #expect(bench.files == ["a.png", "a.png.json"])

        guard
            case .ready(let reset) = try await JobReset.begin(
                "job", part: nil, database: bench.options.database, environment: [:])
        else { throw TestSupportError("busy") }
        _ = try await reset.run()
        #expect(bench.files == [])
    }

    private func collect(_ bench: Bench, keeping maximum: Int64? = nil, isRemovingGone: Bool = false) async throws {
        let ending = try await GarbageCollection.collect(
            "job", maximumBytes: maximum, isRemovingGone: isRemovingGone, isDryRun: false,
            database: bench.options.database, environment: [:], findings: { _ in })
        guard case .collected = ending else { throw TestSupportError("the job is busy") }
    }

    @Test("verify tells of one that is missing or changed; --repair has the next run write it anew")
    func verified() async throws {
        let bench = try bench()
        let items = [item(bench), item(bench, "/b", title: "b")]
        _ = try await bench.run(items)
        try bench.directory.write("{}", to: "\(bench.outputFolder)/a.png.json")
        try FileManager.default.removeItem(atPath: bench.directory.path("\(bench.outputFolder)/b.png.json"))
        #expect(try await faults(bench, isRepairing: false) == ["a.png.json truncated(2)", "b.png.json missing"])
        #expect(try await faults(bench, isRepairing: true) == ["a.png.json truncated(2)", "b.png.json missing"])
        #expect(text(bench) == "{}")
        _ = try await bench.run(items)
        #expect(try await faults(bench, isRepairing: false) == [])
        #expect(bench.server.requests.count == 2)
    }

    private func faults(_ bench: Bench, isRepairing: Bool) async throws -> [String] {
        let found = Monitor<[String]>([])
        _ = try await Verification.verify(
            "job", isRepairing: isRepairing, database: bench.options.database, environment: [:],
            findings: { finding in found.withLock { $0.append("\(finding.path) \(finding.fault)") } },
            progress: { _ in })
        return found.withLock { $0 }
    }

    @Test("a run after one that was killed takes up what that had named, and removes what no item takes up")
    func killed() async throws {
        let bench = try bench()
        _ = try await bench.run([item(bench)])
        let written = try #require(text(bench))
        let old = try #require(try bench.table("SELECT path, size, sha256 FROM sidecar").first)
        // As if the process had ended after the rename of a newer one, and of one that no row tells of.
        let newer = written.replacing("\"views\":1", with: "\"views\":7")
        try bench.directory.write(newer, to: "\(bench.outputFolder)/a.png.json")
        try bench.directory.write("lost", to: "\(bench.outputFolder)/z.png.json")
        let lines = [("a.png.json", newer), ("z.png.json", "lost")].map { path, text in
            "\n\(text.utf8.count) \(SHA256Digest(of: Array(text.utf8)).hex) \(path)\n"
        }
        try bench.directory.write(lines.joined(), to: "\(bench.outputFolder)/.runner/journal")
        _ = try await bench.run([item(bench)])
        #expect(text(bench) == written)
        #expect(bench.files == ["a.png", "a.png.json"])
        #expect(try bench.table("SELECT path, size, sha256 FROM sidecar") == [old])
    }
}
