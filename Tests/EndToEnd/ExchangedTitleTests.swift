import Glibc
import TestSupport
import Testing

@Suite("End to end: items that exchange their titles", .wholeProgramLimit)
struct ExchangedTitleTests {
    @Test("killed meanwhile, and then named otherwise: no metadata file is left that is no item's")
    func killed() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            .ok("the body of \(request.path)", headers: [("Cache-Control", "max-age=3600")])
        }
        try workplace.directory.makeFolder("state")
        let database = workplace.directory.path("state/catalog.sqlite")
        func run(_ titles: [String], _ environment: [String: String] = [:]) throws -> RunningProgram.Result {
            let items = titles.enumerated().map { key, title in
                "  - {key: '\(key)', url: '\(server.url("/\(key)"))', title: \(title)}"
            }
            try workplace.writeJob(source: ["items:"] + items)
            return try workplace.run(
                ["job.yaml", "--database", database, "--set", "output.sidecar=json"], environment: environment)
        }
        #expect(try run(["A", "B", "C"]).ending == .exit(0))
        for folder in ["out", "state"] {
            try Subprocess.run(["cp", "-a", workplace.directory.path(folder), workplace.directory.path("\(folder).0")])
        }
        let report = workplace.directory.path("report")
        // Between the calls that give files their names, and behind the last of them.
        let fault = Fault(action: .kill, calls: "rename,link,sync")
        var number = 0
        while true {
            number += 1
            for folder in ["out", "state"] {
                try workplace.directory.remove(folder)
                try Subprocess.run(
                    ["cp", "-a", workplace.directory.path("\(folder).0"), workplace.directory.path(folder)])
            }
            unlink(report)
            let ending = try run(["B", "C", "A"], fault.environment(number: number, report: report)).ending
            let comment: Comment = "call \(number): \(try FaultReport(path: report).hit)"
            #expect(try run(["X", "Y", "Z"]).ending == .exit(0), comment)
            let catalog = try CatalogCopy(of: database)
            #expect(try catalog.contradictions() == [], comment)
            let claims: [String] = try catalog.values("SELECT path FROM item UNION ALL SELECT path FROM sidecar")
            #expect(workplace.files() == claims.sorted(), comment)
            #expect(claims.count == 6, comment)
            guard ending == .signal(SIGKILL) else {
                #expect(ending == .exit(0), comment)
                break
            }
        }
        #expect(number > 5)
    }
}
