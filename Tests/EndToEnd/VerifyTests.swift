import Glibc
import TestSupport
import Testing

@Suite("End to end: verify", .wholeProgramLimit)
struct VerifyTests {
    /// Four items, stored, whose server says that they have not changed.
    private func stored(_ workplace: Workplace) throws -> FaultyServer {
        let server = try FaultyServer { request in
            request["If-None-Match"] == nil
                ? .ok("the body of \(request.path)", headers: [("ETag", "\"1\"")]) : .status(304)
        }
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 4"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        return server
    }

    /// Flips a byte of the first file, cuts the second one and deletes the third.
    private func damage(_ workplace: Workplace) throws {
        var bytes = try #require(workplace.read("out/list/0.bin"))
        bytes[5] ^= 1
        try workplace.directory.write(bytes, to: "out/list/0.bin")
        truncate(workplace.directory.path("out/list/1.bin"), 3)
        workplace.remove("out/list/2.bin")
    }

    private static let findings = [
        "changed\tlist\t0\tlist/0.bin\t14 bytes with another SHA-256", "truncated\tlist\t1\tlist/1.bin\t3 of 14 bytes",
        "missing\tlist\t2\tlist/2.bin\t",
    ]

    @Test("whole files: 0, nothing on stdout, and a line of sums")
    func whole() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        let result = try workplace.run(["verify"])
        #expect(result.ending == .exit(0))
        #expect(result.output == "")
        #expect(result.errors == "list: 4 files, 56 B: all match the catalog\n")
        #expect(server.requests.count == 4)
    }

    @Test("files of items that are listed no more are read, too; after a repair no row has a path without a file")
    func gone() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 2"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        for number in [1, 3] { workplace.remove("out/list/\(number).bin") }

        let result = try workplace.run(["verify", "--repair"])
        #expect(result.ending == .exit(1))
        #expect(result.lines == [1, 3].map { "missing\tlist\t\($0)\tlist/\($0).bin\t" })
        let rows: [String] = try workplace.catalog().values(
            "SELECT key || ' ' || state || ' ' || coalesce(path, '-') FROM item ORDER BY key")
        #expect(rows == ["0 stored list/0.bin", "1 pending -", "2 gone list/2.bin", "3 gone -"])
        #expect(try workplace.run(["verify"]).ending == .exit(0))
    }

    @Test("after a repair a faulty file gives way also to one of another type")
    func otherType() throws {
        let isPicture = Monitor(false)
        let server = try FaultyServer { request in
            .ok(isPicture.withLock { $0 } ? PictureFile.png([1, 2, 3]) : Array("text".utf8))
        }
        let workplace = try Workplace()
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 1"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(workplace.files() == ["list/0.bin"])
        try workplace.directory.write("another text", to: "out/list/0.bin")
        #expect(try workplace.run(["verify", "--repair"]).ending == .exit(1))

        isPicture.withLock { $0 = true }
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(workplace.files() == ["list/0.png"])
    }

    @Test("all of many files are read, and what is wrong is told in the order of the list")
    func manyFiles() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in .ok("the body of \(request.path)") }
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 600"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let damaged = [3, 255, 256, 299, 599]
        for number in damaged { workplace.remove("out/list/\(number).bin") }
        let result = try workplace.run(["verify"])
        #expect(result.ending == .exit(1))
        #expect(result.lines == damaged.map { "missing\tlist\t\($0)\tlist/\($0).bin\t" })
        #expect(result.errors.hasPrefix("list: 600 files, 9.5 kB: 5 missing; "))
    }

    @Test("a flipped byte, a truncated and a deleted file: 1, a line for each, and nothing changes")
    func damaged() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        try damage(workplace)
        for words in [["verify"], ["verify", "list"], ["verify", "job.yaml"]] {
            let result = try workplace.run(words)
            #expect(result.ending == .exit(1))
            #expect(result.lines == Self.findings)
            #expect(
                result.errors
                    == "list: 4 files, 56 B: 1 missing, 1 truncated, 1 changed; "
                    + "runner verify list --repair has the next run fetch them\n")
        }
        #expect(try workplace.catalog().number("SELECT count(*) FROM item WHERE state = 'stored'") == 4)
    }

    @Test("--repair and a run bring them back, and ask for nothing else in full")
    func repaired() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        try damage(workplace)
        let result = try workplace.run(["verify", "--repair"])
        #expect(result.ending == .exit(1))
        #expect(result.lines == Self.findings)
        #expect(result.errors.hasSuffix("; the next run fetches them\n"))
        let states: [String] = try workplace.catalog().values("SELECT state FROM item ORDER BY key")
        #expect(states == ["pending", "pending", "pending", "stored"])
        // What is there stays until the new bytes are.
        #expect(workplace.files() == ["list/0.bin", "list/1.bin", "list/3.bin"])
        let asked = server.requests.count

        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let conditional = server.requests[asked...].filter { $0["If-None-Match"] != nil }.map(\.path)
        #expect(conditional == ["/3"])
        for number in 0..<4 {
            #expect(workplace.read("out/list/\(number).bin") == Array("the body of /\(number)".utf8))
        }
        #expect(workplace.files().count == 4)
        #expect(try workplace.run(["verify"]).ending == .exit(0))
        #expect(try workplace.catalog().contradictions() == [])
    }

    @Test("a repaired item whose server is away keeps what is there")
    func repairedWithoutServer() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        try damage(workplace)
        #expect(try workplace.run(["verify", "--repair"]).ending == .exit(1))
        server.stop()
        #expect(try workplace.run(["job.yaml", "--set", "transfer.retries=0"]).ending == .exit(1))
        #expect(workplace.files() == ["list/0.bin", "list/1.bin", "list/3.bin"])
    }

    @Test("files of items that are listed no more are read as well; a repair does not bring those back")
    func changedAndGone() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 2"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(try workplace.catalog().number("SELECT count(*) FROM item WHERE state = 'gone'") == 2)
        #expect(try workplace.run(["verify"]).errors.hasPrefix("list: 4 files, "))
        try workplace.directory.write("the body of /X", to: "out/list/3.bin")
        let result = try workplace.run(["verify", "--repair"])
        #expect(result.ending == .exit(1))
        #expect(result.lines == ["changed\tlist\t3\tlist/3.bin\t14 bytes with another SHA-256"])
        #expect(result.errors.hasSuffix(": 1 changed; 1 is delisted, and no run fetches it\n"))
        #expect(try workplace.catalog().value("SELECT state FROM item WHERE key = '3'") == "gone")
    }

    @Test("a link in a file's place is not followed")
    func link() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        try workplace.directory.write("the body of /0", to: "elsewhere")
        workplace.remove("out/list/0.bin")
        symlink(workplace.directory.path("elsewhere"), workplace.directory.path("out/list/0.bin"))
        let result = try workplace.run(["verify"])
        #expect(result.ending == .exit(1))
        #expect(result.lines == ["unreadable\tlist\t0\tlist/0.bin\tnot a regular file"])
    }

    @Test("2 without the catalog or the output directory, which may not be mounted; nothing is marked")
    func missing() throws {
        let workplace = try Workplace()
        #expect(try workplace.run(["verify"]).ending == .exit(2))
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        try workplace.directory.remove("out")
        for words in [["verify"], ["verify", "--repair"]] {
            let result = try workplace.run(words)
            #expect(result.ending == .exit(2))
            #expect(result.errors.hasPrefix("list: failed: cannot open "))
        }
        #expect(try workplace.catalog().number("SELECT count(*) FROM item WHERE state = 'stored'") == 4)
    }

    @Test("64 for a job that the catalog does not know")
    func unknown() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        let result = try workplace.run(["verify", "lits"])
        #expect(result.ending == .exit(64))
        #expect(result.errors.hasPrefix("runner: the catalog has no job 'lits'; did you mean 'list'?\n"))
    }

    @Test("while a run is at work verify reads, and --repair ends with 75")
    func locked() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        server.hold("/0")
        let program = try workplace.start(["job.yaml"])
        try server.waitForRequests(8)
        #expect(try workplace.run(["verify"]).ending == .exit(0))
        let result = try workplace.run(["verify", "--repair"])
        #expect(result.ending == .exit(75))
        #expect(result.errors.contains("another run (pid \(program.processID), since "))
        server.release("/0")
        #expect(try program.wait().ending == .exit(0))
    }
}
