import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("End to end: reset", .wholeProgramLimit)
struct ResetTests {
    /// Two collections of two items each.
    private func job(_ workplace: Workplace) throws -> FaultyServer {
        let server = try FaultyServer { request in .ok("body of \(request.path)", headers: [("ETag", "\"1\"")]) }
        let items = ["a1", "a2", "b1", "b2"].map { key in
            "  - {key: \(key), collection: \(key.prefix(1)), url: '\(server.url("/\(key)"))'}"
        }
        try workplace.writeJob(source: ["items:"] + items)
        return server
    }

    @Test("a job's files, rows, parts and empty folders go; what the user put there stays")
    func whole() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        try workplace.directory.write("mine", to: "out/a/notes.txt")
        try workplace.directory.write("a part", to: "out/.runner/parts/item-9")

        let result = try workplace.run(["reset", "list", "--yes"])
        #expect(result.ending == .exit(0))
        #expect(result.errors == "list: 4 items and 4 files deleted\n")
        #expect(workplace.files() == ["a/notes.txt"])
        #expect(workplace.directory.names(in: "out") == [".runner", "a"])
        #expect(workplace.directory.names(in: "out/.runner") == ["lock"])
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        for table in ["job", "run", "collection", "item", "transfer"] {
            #expect(try catalog.number("SELECT count(*) FROM \(table)") == 0)
        }
        // The directory is free for another job.
        try workplace.writeJob(
            "other", to: "other.yaml", source: ["items: [{key: a1, url: '\(server.url("/x"))'}]"])
        #expect(try workplace.run(["other.yaml"]).ending == .exit(0))
    }

    @Test("one collection goes, the others stay as they are; the next run fetches it again and nothing else")
    func collection() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let asked = server.requests.count
        #expect(try workplace.run(["reset", "job.yaml", "a", "--yes"]).ending == .exit(0))
        #expect(workplace.files() == ["b/b1.bin", "b/b2.bin"])
        let catalog = try workplace.catalog()
        #expect(try catalog.values("SELECT key FROM item ORDER BY key") == ["b1", "b2"])
        #expect(try catalog.values("SELECT key FROM collection") == ["b"])
        #expect(try catalog.values("SELECT 'foreign key' FROM pragma_foreign_key_check") == [String]())

        #expect(try workplace.run(["job.yaml", "--set", "refresh=never"]).ending == .exit(0))
        #expect(server.requests[asked...].map(\.path).sorted() == ["/a1", "/a2"])
    }

    @Test("one item goes, by its URL or its path as by its key; a collection by its title")
    func item() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(try workplace.run(["reset", "list", server.url("/a2"), "--yes"]).ending == .exit(0))
        #expect(workplace.files() == ["a/a1.bin", "b/b1.bin", "b/b2.bin"])
        #expect(try workplace.run(["reset", "list", "out/b/b1.bin", "--yes"]).ending == .exit(0))
        #expect(workplace.files() == ["a/a1.bin", "b/b2.bin"])
        #expect(try workplace.catalog().values("SELECT key FROM collection ORDER BY key") == ["a", "b"])
        let unknown = try workplace.run(["reset", "list", "c", "--yes"])
        #expect(unknown.ending == .exit(64) && unknown.errors.contains("the job 'list' has no collection or item 'c'"))
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(workplace.files().count == 4)
        #expect(try workplace.catalog().values("SELECT 'foreign key' FROM pragma_foreign_key_check") == [String]())
    }

    @Test("files that had gone before are told, and no folder is no hindrance", arguments: [true, false])
    func gone(_ isFolderGone: Bool) throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        withExtendedLifetime(server) {}
        try workplace.directory.remove(isFolderGone ? "out" : "out/a")
        let result = try workplace.run(["reset", "list", "--yes"])
        #expect(result.ending == .exit(0))
        #expect(
            result.errors
                == (isFolderGone
                    ? "list: 4 items and 0 files deleted, 4 more had gone before\n"
                    : "list: 4 items and 2 files deleted, 2 more had gone before\n"))
        #expect(try workplace.catalog().number("SELECT count(*) FROM item") == 0)
    }

    @Test("metadata files count; one that was changed stays, and is named")
    func metadata() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        withExtendedLifetime(server) {}
        #expect(try workplace.run(["job.yaml", "--set", "output.sidecar=json"]).ending == .exit(0))
        try workplace.directory.write("mine", to: "out/a/a1.bin.json")
        workplace.remove("out/a/a2.bin.json")
        let result = try workplace.run(["reset", "list", "--yes"])
        let path = workplace.directory.path("out/a/a1.bin.json")
        #expect(
            result.errors
                == "list: \(path) stays: it was changed since it was written\nlist: 4 items and 6 files deleted\n")
        #expect(workplace.files() == ["a/a1.bin.json"])
    }

    @Test("what is at a path and is no file stays")
    func strangers() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        withExtendedLifetime(server) {}
        try workplace.directory.remove("out/a/a1.bin")
        try workplace.directory.write("mine", to: "out/a/a1.bin/inside")
        let result = try workplace.run(["reset", "list", "--yes"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains("/out/a/a1.bin stays: not a regular file\n"))
        #expect(workplace.files() == ["a/a1.bin/inside"])
    }

    @Test("without a terminal to ask on nothing is deleted, and the way out is told")
    func unconfirmed() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        withExtendedLifetime(server) {}
        let result = try workplace.run(["reset", "list"])
        #expect(result.ending == .exit(64))
        #expect(result.errors.contains("give --yes"))
        #expect(workplace.files().count == 4)
    }

    @Test(
        "an unknown job or collection is a usage error, with what may have been meant",
        arguments: [
            (["lst"], "runner: the catalog has no job 'lst'; did you mean 'list'?\n"),
            (["list", "c"], "runner: the job 'list' has no collection or item 'c'; it has a, b\n"),
        ])
    func unknown(_ words: [String], _ message: String) throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        withExtendedLifetime(server) {}
        let result = try workplace.run(["reset"] + words + ["--yes"])
        #expect(result.ending == .exit(64))
        #expect(result.errors.hasPrefix(message))
        #expect(workplace.files().count == 4)
    }

    @Test("without a catalog: 2, and none is made")
    func noCatalog() throws {
        let workplace = try Workplace()
        let result = try workplace.run(["reset", "list", "--yes"])
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("there is no catalog at "))
        #expect(!FileManager.default.fileExists(atPath: workplace.database))
    }

    @Test("75 while a run holds the job, and nothing is deleted")
    func locked() throws {
        let workplace = try Workplace()
        let server = try job(workplace)
        server.hold("/b2")
        let program = try workplace.start(["job.yaml"])
        try server.waitForRequests(4)
        let result = try workplace.run(["reset", "list", "--yes"])
        #expect(result.ending == .exit(75))
        #expect(result.errors.hasPrefix("list: another run (pid \(program.processID), since "))
        server.release("/b2")
        #expect(try program.wait().ending == .exit(0))
        #expect(workplace.files().count == 4)
    }

    @Test(
        "killed in the middle: no row without its file, and the next reset or run ends it",
        arguments: [1, 40, 199], ["reset", "run"])
    func killed(_ deletions: Int, _ next: String) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in .ok("body of \(request.path)") }
        try workplace.writeJob(
            source: ["template: '\(server.url("/{n}"))'", "count: 200"], transfer: ["durability: none"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))

        let victim = Monitor<Int32?>(nil)
        let changes = Monitor(0)
        let watch = try FolderWatch([workplace.directory.path("out/list")]) { _, _ in
            let count = changes.withLock { count in
                count += 1
                return count
            }
            guard count == deletions else { return }
            let processID = victim.wait { $0 }
            if let processID { kill(processID, SIGKILL) }
        }
        let program = try workplace.start(["reset", "list", "--yes"])
        victim.withLock { $0 = program.processID }
        _ = try program.wait()
        withExtendedLifetime(watch) {}
        let stored: [String] = try workplace.catalog().values("SELECT path FROM item WHERE state = 'stored'")
        #expect(Set(stored).isSubset(of: workplace.files()))

        guard next == "run" else {
            // The whole of it may have been done before the signal came.
            let ending = try workplace.run(["reset", "list", "--yes"]).ending
            #expect(ending == .exit(0) || ending == .exit(64))
            #expect(workplace.files() == [])
            return
        }
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(workplace.files() == (0..<200).map { "list/\($0).bin" }.sorted())
        #expect(try workplace.catalog().contradictions() == [])
    }
}
