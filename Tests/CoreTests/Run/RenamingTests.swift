import Files
import FoundationEssentials
import Glibc
import Jobs
import TestSupport
import Testing

@testable import Model
@testable import Run

/// Another template of paths, or another directory, for a job that has stored files.
@Suite("Renaming", .timeLimit(.minutes(1)))
struct RenamingTests {
    private static let fresh = [("Cache-Control", "max-age=999")]

    /// Three items, a, b and c, whose replies stay fresh.
    private func bench() throws -> Bench {
        try Bench([
            "/a": [.ok(picture(seed: 1), headers: Self.fresh)], "/b": [.ok(picture(seed: 2), headers: Self.fresh)],
            "/c": [.ok("a text", headers: Self.fresh + [("Content-Type", "text/csv")])],
        ])
    }

    private func items(_ bench: Bench) -> [ListedItem] { ["/a", "/b", "/c"].map { bench.item($0) } }

    private func paths(_ bench: Bench) throws -> [String: String] {
        try bench.table("SELECT key, path FROM item").reduce(into: [:]) { $0[$1["key"]?.text ?? ""] = $1["path"]?.text }
    }

    private func template(_ text: String, _ bench: inout Bench) throws {
        bench.job.output.template = try PathTemplate(text, fields: [])
    }

    @Test("a file that was deleted before it was to be renamed is not there, whatever the server answers")
    func deleted() async throws {
        var bench = try Bench(["/a": [.ok("a"), .status(404)]])
        _ = try await bench.run("/a")
        try FileManager.default.removeItem(atPath: bench.directory.path("\(bench.outputFolder)/a.bin"))
        bench.job.output.template = try PathTemplate("new/{title}.{extension}", fields: [])
        let report = try await bench.run("/a")
        #expect(try report["a"].item["state"]?.text == "failed")
        #expect(try report["a"].item["path"]?.text == nil)
    }

    @Test("a changed template renames files and fetches none; folders that are empty then go")
    func renamed() async throws {
        var bench = try bench()
        try template("old/{title}.{extension}", &bench)
        _ = try await bench.run(items(bench))
        try template("{collection}/{extension}/{key}.{extension}", &bench)
        let report = try await bench.run(items(bench))
        #expect(report.items.values.allSatisfy { $0.outcome == "fresh" })
        #expect(bench.server.requests.count == 3)
        #expect(bench.files == ["All/png/a.png", "All/png/b.png", "All/csv/c.csv"])
        #expect(try paths(bench) == ["a": "All/png/a.png", "b": "All/png/b.png", "c": "All/csv/c.csv"])
        #expect(bench.directory.names(in: bench.outputFolder) == [".runner", "All"])
        #expect(report.warnings == [])
        // And back again.
        try template("old/{title}.{extension}", &bench)
        _ = try await bench.run(items(bench))
        #expect(bench.files == ["old/a.png", "old/b.png", "old/c.csv"])
        #expect(bench.server.requests.count == 3)
    }

    @Test("an extension that the old template left out comes from the bytes, else the type; one that goes is no loss")
    func extensions() async throws {
        var bench = try bench()
        try template("{title}", &bench)
        _ = try await bench.run(items(bench))
        #expect(bench.files == ["a", "b", "c"])
        try template("{title}.{extension}", &bench)
        _ = try await bench.run(items(bench))
        #expect(bench.files == ["a.png", "b.png", "c.csv"])
        try template("{extension} {title}", &bench)
        _ = try await bench.run(items(bench))
        #expect(bench.files == ["png a", "png b", "csv c"])
        #expect(bench.server.requests.count == 3)
    }

    @Test("names that change hands are the ones that new items would get")
    func swapped() async throws {
        var bench = try bench()
        var items = items(bench)
        items = zip(items, ["b", "c", "a"]).map { $0.with(title: $1) }
        _ = try await bench.run(items)
        #expect(try paths(bench) == ["a": "b.png", "b": "c.png", "c": "a.csv"])
        try template("{key}.{extension}", &bench)
        _ = try await bench.run(items)
        #expect(try paths(bench) == ["a": "a.png", "b": "b.png", "c": "c.csv"])
        #expect(bench.file("a.png") == picture(seed: 1))
        #expect(bench.file("b.png") == picture(seed: 2))
        #expect(bench.server.requests.count == 3)
    }

    @Test("equal names get numbers in list order")
    func collisions() async throws {
        var bench = try bench()
        _ = try await bench.run(items(bench))
        try template("{collection}.{extension}", &bench)
        _ = try await bench.run(items(bench))
        #expect(try paths(bench) == ["a": "All.png", "b": "All (2).png", "c": "All (3).csv"])
        // They keep them when the order of the list changes.
        _ = try await bench.run(items(bench).reversed())
        #expect(try paths(bench) == ["a": "All.png", "b": "All (2).png", "c": "All (3).csv"])
    }

    @Test("a new item has the name that the present template gives it, and who had it by the old one makes way")
    func newcomer() async throws {
        var bench = try bench()
        _ = try await bench.run([bench.item("/a", title: "x"), bench.item("/b", title: "y")])
        try template("{key}.{extension}", &bench)
        let items = [
            bench.item("/c", key: "x", title: "z"), bench.item("/a", title: "x"), bench.item("/b", title: "y"),
        ]
        _ = try await bench.run(items)
        #expect(try paths(bench) == ["x": "x.csv", "a": "a.png", "b": "b.png"])
    }

    @Test("what is no longer listed keeps its name, or makes way under the next number")
    func gone() async throws {
        var bench = try bench()
        _ = try await bench.run([
            bench.item("/a", title: "b"), bench.item("/c", title: "c"), bench.item("/b", title: "d"),
        ])
        try template("{key}.{extension}", &bench)
        _ = try await bench.run([bench.item("/b", title: "d")])
        #expect(try paths(bench) == ["a": "b (2).png", "c": "c.csv", "b": "b.png"])
        #expect(bench.file("b (2).png") == picture(seed: 1))
        #expect(bench.server.requests.count == 3)
    }

    @Test("files that the user has under the new names stay; the item gets the next number that is free")
    func foreign() async throws {
        var bench = try bench()
        _ = try await bench.run(items(bench))
        bench.foreignFiles = ["new/a.png", "new/a (2).png"]
        try bench.directory.write("mine", to: "\(bench.outputFolder)/new/a.png")
        try bench.directory.write("mine too", to: "\(bench.outputFolder)/new/a (2).png")
        try template("new/{key}.{extension}", &bench)
        _ = try await bench.run(items(bench))
        #expect(bench.file("new/a.png") == Array("mine".utf8))
        #expect(bench.file("new/a (2).png") == Array("mine too".utf8))
        #expect(try paths(bench)["a"] == "new/a (3).png")
        #expect(bench.file("new/a (3).png") == picture(seed: 1))
    }

    @Test("a name that can't be given leaves the file where it is, and the run says so")
    func impossible() async throws {
        var bench = try bench()
        _ = try await bench.run(items(bench))
        #expect(symlink("nowhere", bench.directory.path("\(bench.outputFolder)/new")) == 0)
        try template("new/{key}.{extension}", &bench)
        let report = try await bench.run(items(bench))
        #expect(report.outcome == .complete)
        #expect(bench.files == ["a.png", "b.png", "c.csv"])
        #expect(report.warnings.first?.hasPrefix("3 files keep their old names: ") == true)
        #expect(unlink(bench.directory.path("\(bench.outputFolder)/new")) == 0)
        _ = try await bench.run(items(bench))
        #expect(bench.files == ["new/a.png", "new/b.png", "new/c.csv"])
    }

    @Test("a file where a folder should be stays, and the folder takes a number")
    func fileForFolder() async throws {
        var bench = try bench()
        _ = try await bench.run(items(bench))
        bench.foreignFiles = ["new"]
        try bench.directory.write("mine", to: "\(bench.outputFolder)/new")
        try template("new/{key}.{extension}", &bench)
        #expect(try await bench.run(items(bench)).warnings == [])
        #expect(bench.files == ["new", "new (2)/a.png", "new (2)/b.png", "new (2)/c.csv"])
        #expect(bench.server.requests.count == 3)
    }

    @Test("what comes back by --failed under another template has the extension of its bytes, then and after it")
    func failedAgain() async throws {
        var bench = try Bench(
            ["/k.md": [.status(500), .status(500), .status(500), .ok("# a title", headers: Self.fresh)]],
            keys: "expect: any")
        try template("{title}", &bench)
        _ = try await bench.run("/k.md")
        try template("{stem}.{extension}", &bench)
        #expect(try await bench.run([]) { $0.selection.isFailedOnly = true }["k.md"].path == "k.md")
        _ = try await bench.run("/k.md")
        #expect(bench.files == ["k.md"])
        try template("{extension}/{key}", &bench)
        _ = try await bench.run("/k.md")
        #expect(bench.files == ["md/k.md"])
    }

    @Test("a run of a part of the list leaves all names as they are")
    func selected() async throws {
        var bench = try bench()
        _ = try await bench.run(items(bench))
        try template("new/{key}.{extension}", &bench)
        _ = try await bench.run(items(bench)) { $0.selection.only = ["a"] }
        #expect(bench.files == ["a.png", "b.png", "c.csv"])
        _ = try await bench.run(items(bench))
        #expect(bench.files == ["new/a.png", "new/b.png", "new/c.csv"])
    }

    @Test("an item without a file gets the new name when it is fetched")
    func pending() async throws {
        var bench = try Bench(["/a": [.status(500), .status(500), .status(500), .ok(picture())]])
        _ = try await bench.run("/a")
        try template("new/{key}.{extension}", &bench)
        #expect(try await bench.run("/a")["a"].path == "new/a.png")
        #expect(bench.files == ["new/a.png"])
    }

    @Test("a plan shows the new names and renames nothing")
    func plan() async throws {
        var bench = try bench()
        _ = try await bench.run(items(bench))
        try template("new/{key}.{extension}", &bench)
        var job = bench.job
        job.source = .items(items(bench))
        let planned = Monitor<[PlannedItem]>([])
        try await Plan.make(
            job, options: bench.options, items: { items in planned.withLock { $0 += items } }, warnings: { _ in })
        #expect(planned.withLock { $0.map(\.path) } == ["new/a.png", "new/b.png", "new/c.csv"])
        #expect(planned.withLock { $0.allSatisfy { $0.action == .fresh } })
        #expect(bench.files == ["a.png", "b.png", "c.csv"])
        #expect(try paths(bench)["a"] == "a.png")
    }

    // MARK: Broken off

    private func journalLine(_ path: String, _ bytes: [UInt8]) -> String {
        var hasher = SHA256()
        bytes.withUnsafeBytes { hasher.update($0) }
        return "\n- \(bytes.count) \(hasher.finalize().hex) \(path)\n"
    }

    @Test("killed before the rows were committed: the second name is taken up")
    func killedBefore() async throws {
        var bench = try bench()
        _ = try await bench.run(items(bench))
        let folder = bench.directory.path(bench.outputFolder)
        mkdir("\(folder)/new", 0o777)
        #expect(Glibc.link("\(folder)/a.png", "\(folder)/new/a.png") == 0)
        try bench.directory.write(
            journalLine("a.png", picture(seed: 1)) + journalLine("new/a.png", picture(seed: 1)),
            to: "\(bench.outputFolder)/.runner/journal")
        try template("new/{key}.{extension}", &bench)
        _ = try await bench.run(items(bench))
        #expect(bench.files == ["new/a.png", "new/b.png", "new/c.csv"])
        #expect(bench.server.requests.count == 3)
    }

    @Test("killed after the rows were committed: the first name goes, unless somebody else's file has it")
    func killedAfter() async throws {
        var bench = try bench()
        try template("new/{key}.{extension}", &bench)
        _ = try await bench.run(items(bench))
        let folder = bench.directory.path(bench.outputFolder)
        #expect(Glibc.link("\(folder)/new/a.png", "\(folder)/a.png") == 0)
        bench.foreignFiles = ["b.png"]
        try bench.directory.write("mine", to: "\(bench.outputFolder)/b.png")
        try bench.directory.write(
            ["a.png", "new/a.png"].map { journalLine($0, picture(seed: 1)) }.joined()
                + ["b.png", "new/b.png"].map { journalLine($0, picture(seed: 2)) }.joined(),
            to: "\(bench.outputFolder)/.runner/journal")
        _ = try await bench.run(items(bench))
        #expect(bench.files == ["new/a.png", "new/b.png", "new/c.csv", "b.png"])
        #expect(bench.file("b.png") == Array("mine".utf8))
    }

    // MARK: Another directory

    @Test("a directory that was moved is taken as it is: nothing is asked")
    func movedDirectory() async throws {
        var bench = try bench()
        _ = try await bench.run(items(bench))
        let old = bench.job.output.directory
        bench.job.output.directory = bench.directory.path("moved")
        #expect(rename(old, bench.job.output.directory) == 0)
        let report = try await bench.run(items(bench))
        #expect(report.items.values.allSatisfy { $0.outcome == "fresh" })
        #expect(report.warnings == [])
        #expect(bench.server.requests.count == 3)
    }

    @Test("in another directory files are fetched anew; the user's own stay, and so does the old directory")
    func otherDirectory() async throws {
        var bench = try bench()
        _ = try await bench.run(items(bench))
        bench.job.output.directory = bench.directory.path("other")
        bench.foreignFiles = ["a.png"]
        // As long as the stored one, so that its length alone tells nothing.
        let mine = [UInt8](repeating: 7, count: picture(seed: 1).count)
        try bench.directory.write(mine, to: "other/a.png")
        // The bytes that are stored are the item's wherever they are.
        try bench.directory.write(picture(seed: 2), to: "other/b.png")
        let report = try await bench.run(items(bench))
        #expect(bench.file("a.png") == mine)
        #expect(try report["a"].path == "a (2).png")
        #expect(bench.file("a (2).png") == picture(seed: 1))
        #expect(try report["b"].outcome == "fresh")
        #expect(report.warnings.count == 1)
        #expect(report.warnings.first?.hasPrefix("output.directory has changed, and 2 of 3 files are not in ") == true)
        #expect(bench.directory.names(in: "files-job").filter { $0 != ".runner" } == ["a.png", "b.png", "c.csv"])
    }

    @Test("no row claims what is not in the new directory, although the list can't be had")
    func otherDirectoryWithoutList() async throws {
        var bench = try bench()
        _ = try await bench.run(items(bench))
        bench.job.output.directory = bench.directory.path("other")
        let report = try await bench.run(.items([], failure: TestSupportError("no list")))
        #expect(report.outcome == .failed)
        #expect(try bench.table("SELECT DISTINCT state, path FROM item") == [["state": "pending", "path": .null]])
    }
}
