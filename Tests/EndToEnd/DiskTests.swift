import Glibc
import TestSupport
import Testing

/// A disk that does not do what is asked of it. What needs a file system of its own is tried as root only.
@Suite("End to end: the disk", .wholeProgramLimit)
struct DiskTests {
    private static let isRoot = geteuid() == 0

    /// Items in two collections, `good` and `bad`, of 20 kB each.
    private func prepare(count: Int = 6) throws -> (workplace: Workplace, server: FaultyServer) {
        let server = try FaultyServer { request in .ok([UInt8](repeating: request.path.utf8.last ?? 0, count: 20_000)) }
        let workplace = try Workplace()
        try write(count: count, server, to: workplace)
        return (workplace, server)
    }

    private func write(count: Int, _ server: FaultyServer, to workplace: Workplace) throws {
        let items = (0..<count).map { number in
            "{key: '\(number)', url: '\(server.url("/\(number)"))', collection: \(number % 2 == 0 ? "good" : "bad")}"
        }
        try workplace.writeJob(source: ["items: [\(items.joined(separator: ", "))]"])
    }

    /// The outcome of each item, and that the catalog and the files agree with it.
    private func check(_ workplace: Workplace, stored: [Int], failed: [Int]) throws {
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        let outcomes = (stored.map { "\($0) downloaded" } + failed.map { "\($0) failed disk" }).sorted()
        #expect(try catalog.outcomes().sorted() == outcomes)
        let paths: [String] = try catalog.values("SELECT path FROM item WHERE state = 'stored' ORDER BY path")
        #expect(workplace.files() == paths)
        for path in paths { #expect(workplace.read("out/\(path)")?.count == 20_000) }
        #expect(workplace.parts == [])
    }

    @Test(
        "a full disk fails what has no room, keeps what has, and a run with room fetches the rest", .enabled(if: isRoot)
    )
    func full() throws {
        let (workplace, server) = try prepare(count: 20)
        // Room for some of the files.
        guard let mounted = try Mounted(workplace, "out", "size=200k") else { return }
        let result = try workplace.run(["job.yaml"])
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("No space left on device"))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.number("SELECT count(*) FROM transfer WHERE outcome = 'failed' AND failure = 'disk'") > 0)
        let paths: [String] = try catalog.values("SELECT path FROM item WHERE state = 'stored' ORDER BY path")
        #expect(workplace.files() == paths)
        for path in paths { #expect(workplace.read("out/\(path)")?.count == 20_000) }

        try mounted.remount("size=2m")
        #expect(try workplace.run(["job.yaml", "--failed"]).ending == .exit(0))
        #expect(workplace.files().count == 20)
        #expect(try workplace.catalog().number("SELECT count(*) FROM item WHERE state = 'stored'") == 20)
        withExtendedLifetime(server) {}
    }

    @Test("a folder that is read-only fails its items, and no others", .enabled(if: isRoot))
    func readOnly() throws {
        let (workplace, server) = try prepare()
        guard let mounted = try Mounted(workplace, "out/bad", "ro") else { return }
        let result = try workplace.run(["job.yaml"])
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("out/bad/1.bin"))
        try check(workplace, stored: [0, 2, 4], failed: [1, 3, 5])
        withExtendedLifetime((mounted, server)) {}
    }

    @Test("a folder on which another file system is mounted fails its items, and says so", .enabled(if: isRoot))
    func otherFileSystem() throws {
        let (workplace, server) = try prepare()
        guard let mounted = try Mounted(workplace, "out/bad", "") else { return }
        let result = try workplace.run(["job.yaml"])
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("out/bad/1.bin: another file system is mounted"))
        try check(workplace, stored: [0, 2, 4], failed: [1, 3, 5])
        withExtendedLifetime((mounted, server)) {}
    }

    @Test("a file where a folder is to be stays, and the items below it get a numbered folder")
    func fileInTheWay() throws {
        let (workplace, server) = try prepare()
        try workplace.directory.write("mine", to: "out/bad")
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.outcomes().sorted() == (0..<6).map { "\($0) downloaded" })
        #expect(workplace.read("out/bad") == Array("mine".utf8))
        let stored = ["bad (2)/1.bin", "bad (2)/3.bin", "bad (2)/5.bin", "good/0.bin", "good/2.bin", "good/4.bin"]
        #expect(try catalog.values("SELECT path FROM item ORDER BY path") == stored)
        #expect(workplace.files().filter { $0 != "bad" }.sorted() == stored)
        withExtendedLifetime(server) {}
    }

    @Test("a path that is too long loses folders, and no item fails")
    func longPath() throws {
        // Each folder is as long as a name may be, and the whole longer than a path may be.
        let server = try FaultyServer { _ in .ok("body") }
        let workplace = try Workplace()
        let path = Array(repeating: "{title}", count: 25).joined(separator: "/") + "/{key}"
        let long = String(repeating: "x", count: 200)
        try workplace.directory.write(
            """
            name: list
            source:
              type: list
              items: [{key: a, title: \(long), url: '\(server.url("/a"))'}, {key: b, url: '\(server.url("/b"))'}]
            output: {directory: out, path: '\(path)'}
            """, to: "job.yaml")
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let catalog = try workplace.catalog()
        #expect(try catalog.outcomes() == ["a downloaded", "b downloaded"])
        #expect(try catalog.contradictions() == [])
        let paths: [String] = try catalog.values("SELECT path FROM item ORDER BY key")
        #expect(workplace.files().sorted() == paths.sorted())
        let components = paths[0].split(separator: "/")
        #expect(components.last?.hasPrefix("a") == true)
        #expect(components.dropLast().allSatisfy { $0 == long })
        #expect(components.count == 15)
        #expect(paths[0].utf8.count <= 3_000)
        #expect(paths[1].split(separator: "/").count == 26)
        withExtendedLifetime(server) {}
    }

    @Test("an output directory that vanishes fails the rest, and the next run makes it again")
    func vanished() throws {
        let removed = Monitor(false)
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            // Before any body is sent: one that is stored meanwhile would keep the directory from being removed.
            removed.withLock { isRemoved in
                if !isRemoved { try? workplace.directory.remove("out") }
                isRemoved = true
            }
            return .ok([UInt8](repeating: 1, count: 20_000))
        }
        try write(count: 6, server, to: workplace)
        let result = try workplace.run(["job.yaml"])
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("No such file or directory"))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.number("SELECT count(*) FROM item WHERE state = 'stored'") == 0)

        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        try check(workplace, stored: Array(0..<6), failed: [])
    }

    @Test(
        "with few descriptors a run does with fewer, or says that they are too few", .enabled(if: isPlainBuild),
        arguments: [8, 10, 12, 16, 24, 32, 48])
    func fewDescriptors(_ limit: Int) throws {
        let (workplace, server) = try prepare(count: 100)
        let command = "ulimit -n \(limit); exec \"$0\" \"$@\""
        let result = try RunningProgram(
            ["/bin/sh", "-c", command, Workplace.Program.testRunner.path, "job.yaml", "--concurrency", "64"],
            environment: workplace.environment, directory: workplace.directory.path
        ).wait()
        withExtendedLifetime(server) {}
        #expect([.exit(0), .exit(1), .exit(2)].contains(result.ending), "\(result.errors)")
        if result.ending != .exit(0) {
            #expect(
                result.errors.contains("Too many open files") || result.errors.contains("unable to open"),
                "\(result.errors)")
            // In words, not as Swift writes values down.
            #expect(!result.errors.contains("kind:"), "\(result.errors)")
        }
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(workplace.files().count == 100)
        #expect(try workplace.catalog().contradictions() == [])
    }

    @Test("parts that nobody went on with for a week are removed, younger ones and other files are not")
    func oldParts() throws {
        let (workplace, server) = try prepare()
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        for (name, days) in [("item-901", 8), ("item-901.note", 8), ("item-902", 6), ("Not ours", 30)] {
            let path = try workplace.directory.write("left", to: "out/.runner/parts/\(name)")
            let time = timeval(tv_sec: Glibc.time(nil) - days * 86_400, tv_usec: 0)
            #expect(utimes(path, [time, time]) == 0)
        }
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(workplace.parts == ["Not ours", "item-902"])
        withExtendedLifetime(server) {}
    }
}

/// A file system in memory on a folder, until it is let go of.
private final class Mounted {
    private let path: String

    /// Nil where root may not mount, as in most containers.
    init?(_ workplace: Workplace, _ folder: String, _ options: String) throws {
        try workplace.directory.makeFolder(folder)
        path = workplace.directory.path(folder)
        let isReadOnly = options == "ro"
        let flags = isReadOnly ? UInt(MS_RDONLY) : 0
        guard mount("tmpfs", path, "tmpfs", flags, isReadOnly ? "" : options) == 0 else { return nil }
    }

    deinit {
        // Lazily, since a program may hold it still.
        umount2(path, Int32(MNT_DETACH))
    }

    func remount(_ options: String) throws {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), options) == 0 else {
            throw TestSupportError("can't mount \(path) again")
        }
    }
}

/// A sanitizer needs descriptors of its own, to name the functions that its suppressions are about.
private var isPlainBuild: Bool {
    #if SANITIZED
        false
    #else
        true
    #endif
}
