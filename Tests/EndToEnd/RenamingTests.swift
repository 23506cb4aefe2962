import Glibc
import TestSupport
import Testing

@Suite("End to end: another template", .wholeProgramLimit)
struct RenamingTests {
    private static let count = 300

    @Test(
        "killed while files get their new names: each row has its file, and the next run ends it without a request",
        arguments: [(0, 1), (0, 120), (0, 299), (1, 1), (1, 60), (1, 250), (1, 299)])
    func killed(_ folder: Int, _ changes: Int) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            .ok("the body of \(request.path)", headers: [("Cache-Control", "max-age=999")])
        }
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: \(Self.count)"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        try workplace.directory.makeFolder("out/new")

        let victim = Monitor<Int32?>(nil)
        let tallies = Monitor([0, 0])
        let folders = ["out/new", "out/list"].map { workplace.directory.path($0) }
        let watch = try FolderWatch(folders) { index, _ in
            let tally = tallies.withLock { tallies in
                tallies[index] += 1
                return tallies[index]
            }
            guard index == folder, tally == changes else { return }
            if let processID = victim.wait(until: { $0 }) { kill(processID, SIGKILL) }
        }
        let arguments = ["job.yaml", "--set", "output.path='new/{key}.{extension}'"]
        let program = try workplace.start(arguments)
        victim.withLock { $0 = program.processID }
        _ = try program.wait()
        withExtendedLifetime(watch) {}
        let catalog = try workplace.catalog()
        let rows: [String] = try catalog.values("SELECT path FROM item WHERE state = 'stored'")
        #expect(rows.count == Self.count)
        #expect(Set(rows).isSubset(of: workplace.files()))
        #expect(try catalog.contradictions() == [])

        #expect(try workplace.run(arguments).ending == .exit(0))
        #expect(workplace.files() == (0..<Self.count).map { "new/\($0).bin" }.sorted())
        for number in 0..<Self.count {
            #expect(workplace.read("out/new/\(number).bin") == Array("the body of /\(number)".utf8))
        }
        #expect(server.requests.count == Self.count)
        #expect(try workplace.run(["verify"]).ending == .exit(0))
    }
}
