import Glibc
import SQLite
import TestSupport
import Testing

@Suite("End to end: a catalog that goes while a run is at work", .wholeProgramLimit)
struct LostCatalogTests {
    @Test("it is an error that says what to do, and the next run makes a new one", arguments: [false, true])
    func deleted(_ isReplaced: Bool) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let program = try workplace.start(["job.yaml"])
        try server.waitForRequests(1)
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
        #expect(result.errors.contains("run again"))

        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(workplace.files() == ["list/a.bin"])
        #expect(try workplace.catalog().contradictions() == [])
    }
}
