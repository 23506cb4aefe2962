import Glibc
import SQLite
import TestSupport
import Testing

/// Files that take longer to read than anybody waits: a tebibyte without blocks.
@Suite("End to end: files that take long to read", .wholeProgramLimit)
struct LongReadTests {
    private static let size: Int64 = 1 << 40

    /// A job that has stored one item, whose row says that it is so long.
    private func workplace() throws -> (Workplace, FaultyServer) {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let catalog = try Connection(path: workplace.database, mode: .readWrite)
        try catalog.execute("UPDATE item SET size = \(Self.size)")
        catalog.close()
        return (workplace, server)
    }

    private func makeLong(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        try #require(file >= 0 && ftruncate(file, off_t(Self.size)) == 0)
    }

    @Test("the deadline ends a run that looks through a new output directory, and the job stays where it was")
    func newDirectory() throws {
        let (workplace, server) = try workplace()
        try workplace.directory.makeFolder("new/list")
        try makeLong(workplace.directory.path("new/list/a.bin"))
        let result = try workplace.run(["job.yaml", "--set", "output.directory=new", "--deadline", "200ms"])
        withExtendedLifetime(server) {}
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("the deadline cut the run"))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.value("SELECT outcome FROM run WHERE id = 2") == "partial")
        #expect(try catalog.value("SELECT directory FROM job") == workplace.directory.path("out"))
    }

    @Test("a second signal ends a run that reads a file before it is evicted; the file stays")
    func eviction() throws {
        let (workplace, server) = try workplace()
        try makeLong(workplace.directory.path("out/list/a.bin"))
        server.hold("/b")
        let program = try workplace.start([
            "job.yaml", "--set", "output.max_bytes=1kB",
            "--set", "source.items=[{key: b, url: '\(server.url("/b"))'}]",
        ])
        // The file is read once another is stored, or at the end.
        try server.waitForRequests(2)
        server.release("/b")
        try #require(Self.waitUntilRead(by: program.processID))
        program.send(SIGTERM)
        try program.waitForErrors { $0.contains("SIGTERM") }
        program.send(SIGTERM)
        #expect(try program.wait().ending == .signal(SIGTERM))
        #expect(workplace.files().contains("list/a.bin"))
        #expect(try workplace.catalog().value("SELECT path FROM item WHERE key = 'a'") == "list/a.bin")
    }

    @Test("while a picture of nothing but markers is checked others come and end, and two signals end the run")
    func markers() throws {
        let workplace = try Workplace()
        let beginning = PictureFile.jpeg([]).prefix { $0 != 0xD9 }
        // APP1 segments of two bytes, which are their length.
        let markers = [UInt32](repeating: UInt32(bigEndian: 0xFFE1_0002), count: 10 << 20)
        let long = beginning + markers.withUnsafeBytes(Array.init)
        let short = PictureFile.jpeg([1])
        let server = try FaultyServer { $0.path == "/long.jpg" ? .ok(Array(long)) : .ok(short) }
        server.hold("/short.jpg")
        let items = ["long", "short"].map { "  - {key: \($0), url: '\(server.url("/\($0).jpg"))'}" }
        try workplace.writeJob(source: ["items:"] + items, rest: ["expect: image"])
        try workplace.directory.makeFolder("out/.runner/parts")
        let size = Monitor<Int64>(0)
        let parts = workplace.directory.path("out/.runner/parts")
        let watch = try FolderWatch([parts]) { _, name in
            var information = stat()
            if lstat("\(parts)/\(name)", &information) == 0 { size.withLock { $0 = Int64(information.st_size) } }
        }
        let program = try workplace.start(["job.yaml", "--progress", "json"])
        #expect(size.wait { $0 == long.count ? true : nil } == true)
        withExtendedLifetime(watch) {}
        server.release("/short.jpg")
        try program.waitForOutput { $0.contains(#""outcome": "downloaded""#) }
        program.send(SIGTERM)
        try program.waitForErrors { $0.contains("SIGTERM") }
        program.send(SIGTERM)
        #expect(try program.wait().ending == .signal(SIGTERM))
        #expect(try workplace.catalog().outcomes() == ["long cancelled cancelled", "short downloaded"])
        #expect(workplace.files() == ["list/short.jpg"])
    }

    /// Waits until a process has the long file open.
    private static func waitUntilRead(by process: Int32) -> Bool {
        let folder = "/proc/\(process)/fd"
        while kill(process, 0) == 0 {
            for descriptor in 3..<200 {
                var information = stat()
                if stat("\(folder)/\(descriptor)", &information) == 0, Int64(information.st_size) == size {
                    return true
                }
            }
            sched_yield()
        }
        return false
    }
}
