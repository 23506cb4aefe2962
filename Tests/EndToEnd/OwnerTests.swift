import Glibc
import TestSupport
import Testing

/// An output directory is one job's of one catalog, whatever names lead to it.
@Suite("End to end: whose an output directory is", .wholeProgramLimit)
struct OwnerTests {
    private let workplace: Workplace
    private let server: FaultyServer

    init() throws {
        workplace = try Workplace()
        server = try FaultyServer { _ in .ok("body") }
    }

    private func writeJob(_ name: String, output: String) throws {
        try workplace.writeJob(
            name, to: "\(name).yaml", source: ["items: [{key: a, url: '\(server.url("/\(name)"))'}]"], output: output)
    }

    private func run(_ arguments: String..., catalog: String = "catalog.sqlite") throws -> RunningProgram.Result {
        try workplace.run(arguments + ["--database", catalog])
    }

    /// What a refused command leaves alone.
    private var state: [String: [UInt8]?] {
        Dictionary(uniqueKeysWithValues: workplace.files().map { ($0, workplace.read("out/\($0)")) })
    }

    @Test("a second job that reaches it by a symbolic link is refused, also where no file says whose it is")
    func link() throws {
        try writeJob("one", output: "out")
        try writeJob("two", output: "link")
        #expect(try run("one.yaml").ending == .exit(0))
        #expect(symlink("out", workplace.directory.path("link")) == 0)
        let before = state
        for _ in 0..<2 {
            let second = try run("two.yaml")
            #expect(second.ending == .exit(2))
            #expect(second.errors.contains("/link belongs to the job 'one'; give 'two' one of its own"))
            #expect(try run("plan", "two.yaml").ending == .exit(2))
            // As an earlier version left it.
            workplace.remove("out/.runner/owner")
        }
        #expect(state == before)
        #expect(server.requests.map(\.path) == ["/one"])
        #expect(try run("one.yaml").ending == .exit(0))
    }

    @Test("no command of another catalog changes anything in it, until its owner is removed")
    func catalogs() throws {
        try writeJob("one", output: "out")
        #expect(try run("one.yaml").ending == .exit(0))
        // The other catalog had a directory of its own, which was replaced.
        try writeJob("one", output: "elsewhere")
        #expect(try run("one.yaml", catalog: "other.sqlite").ending == .exit(0))
        try writeJob("one", output: "out")
        try workplace.directory.remove("elsewhere")
        #expect(symlink("out", workplace.directory.path("elsewhere")) == 0)
        let before = state
        for command in [
            ["one.yaml"], ["gc", "one", "--max-bytes", "0"], ["gc", "one", "--max-bytes", "0", "--dry-run"],
            ["reset", "one", "--yes"], ["verify", "one", "--repair"],
        ] {
            let refused = try workplace.run(command + ["--database", "other.sqlite"])
            #expect(refused.ending == .exit(2), "\(command)")
            #expect(
                refused.errors.contains("belongs to the job 'one' of the catalog \(workplace.database)"),
                "\(refused.errors)")
            #expect(refused.errors.contains("/.runner/owner"), "\(command)")
        }
        #expect(state == before)
        workplace.remove("out/.runner/owner")
        #expect(try run("one.yaml", catalog: "other.sqlite").ending == .exit(0))
        #expect(try run("reset", "one", "--yes").ending == .exit(2))
    }

    @Test("no thumbnails are made in a directory that is another catalog's, or another job's")
    func thumbnails() throws {
        let sample = try PicturePlace.sample("baseline.jpg")
        let pictures = try FaultyServer { _ in .ok(sample) }
        func writeJob(_ name: String) throws {
            try workplace.writeJob(
                name, to: "\(name).yaml", source: ["items: [{key: a, url: '\(pictures.url("/a"))'}]"],
                rest: ["media: {thumbnail: {size: 32}}"])
        }
        try writeJob("one")
        try writeJob("two")
        #expect(try run("one.yaml").ending == .exit(0))
        try workplace.directory.remove("out/.runner/pictures")
        let before = Workplace.files(below: workplace.directory.path("out"))
        for (job, catalog) in [("one", "other.sqlite"), ("two", workplace.database)] {
            let refused = try run("thumbnails", "\(job).yaml", catalog: catalog)
            #expect(refused.ending == .exit(2), "\(refused.errors)")
            #expect(refused.errors.contains("belongs to the job 'one'"), "\(refused.errors)")
        }
        #expect(Workplace.files(below: workplace.directory.path("out")) == before)
        #expect(try run("thumbnails", "one.yaml", "--refresh").ending == .exit(0))
        #expect(Workplace.files(below: workplace.directory.path("out")) != before)
    }

    @Test("a catalog that was moved keeps its directories; beside its original a copy is refused")
    func movedAndCopied() throws {
        try writeJob("one", output: "out")
        #expect(try run("one.yaml").ending == .exit(0))
        try Subprocess.run(["cp", workplace.database, workplace.directory.path("copy.sqlite")])
        let copied = try run("one.yaml", catalog: "copy.sqlite")
        #expect(copied.ending == .exit(2))
        #expect(copied.errors.contains("copy.sqlite is a copy of that"), "\(copied.errors)")
        try Subprocess.run(["mv", workplace.database, workplace.directory.path("moved.sqlite")])
        #expect(try run("one.yaml", catalog: "moved.sqlite").ending == .exit(0))
        #expect(try run("gc", "one", catalog: "moved.sqlite").ending == .exit(0))
    }

    @Test("a directory that was moved stays its job's, and one that a job has left is free")
    func movedDirectory() throws {
        try writeJob("one", output: "out")
        try writeJob("two", output: "out")
        #expect(try run("one.yaml").ending == .exit(0))
        try Subprocess.run(["mv", workplace.directory.path("out"), workplace.directory.path("out2")])
        try writeJob("one", output: "out2")
        #expect(try run("one.yaml").ending == .exit(0))
        try writeJob("two", output: "out2")
        #expect(try run("two.yaml").ending == .exit(2))
        try writeJob("one", output: "out3")
        #expect(try run("one.yaml").ending == .exit(0))
        #expect(try run("two.yaml").ending == .exit(0))
    }

    @Test("after a reset a directory is nobody's")
    func reset() throws {
        try writeJob("one", output: "out")
        try writeJob("two", output: "out")
        #expect(try run("one.yaml").ending == .exit(0))
        #expect(try run("reset", "one", "--yes").ending == .exit(0))
        #expect(try run("two.yaml").ending == .exit(0))
    }
}
