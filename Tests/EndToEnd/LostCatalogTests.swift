import Glibc
import SQLite
import TestSupport
import Testing

@Suite("End to end: a catalog that goes while a run is at work", .wholeProgramLimit)
struct LostCatalogTests {
    @Test(
        "it is an error that says what to do; where that is done the next run makes a new one and takes up the files",
        arguments: [false, true])
    func deleted(_ isReplaced: Bool) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/a")
        let (a, b) = ("{key: a, url: '\(server.url("/a"))'}", "{key: b, url: '\(server.url("/b"))'}")
        try workplace.writeJob(source: ["items: [\(b)]"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        try workplace.writeJob(source: ["items: [\(a), \(b)]"])
        let program = try workplace.start(["job.yaml"])
        try server.waitForRequests(3)
        for suffix in ["", "-wal", "-shm"] { unlink(workplace.database + suffix) }
        if isReplaced {
            let other = try Connection(path: workplace.database, mode: .readWriteCreate)
            try other.execute("PRAGMA journal_mode = WAL; CREATE TABLE other (a)")
            defer { other.close() }
            server.release("/a")
            #expect(try program.wait().ending == .exit(2))
            // The log of the new one is not taken away.
            #expect(workplace.read("catalog.sqlite-wal") != nil)
            return
        }
        server.release("/a")
        let result = try program.wait()
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("the catalog \(workplace.database) was deleted or replaced during the run"))
        let owner = workplace.directory.path("out/.runner/owner")
        #expect(result.errors.contains("remove \(owner) and run again"), "\(result.errors)")

        // A new catalog does not take the directory of another one by itself: that may only be mislaid.
        let refused = try workplace.run(["job.yaml"])
        #expect(refused.ending == .exit(2))
        #expect(refused.errors.contains("remove \(owner)"), "\(refused.errors)")
        workplace.remove("out/.runner/owner")
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(workplace.files() == ["list/a.bin", "list/b.bin"])
        #expect(try workplace.catalog().contradictions() == [])
    }
}
