import Glibc
import TestSupport
import Testing

/// Nobody's number: a user who owns nothing here.
private let nobody: uid_t = 65_534

@Suite(
    "End to end: a catalog that another user reads", .wholeProgramLimit,
    .enabled(if: geteuid() == 0, "only root can become another user"))
struct OtherUserTests {
    /// A place whose catalog is in a folder of the other user's group, readable by it.
    private func workplace(_ mode: mode_t, group: gid_t) throws -> (Workplace, database: String) {
        let workplace = try Workplace()
        chmod(workplace.directory.path, 0o755)
        let folder = workplace.directory.path("state")
        #expect(mkdir(folder, 0o700) == 0 && chown(folder, 0, group) == 0 && chmod(folder, mode) == 0)
        return (workplace, "\(folder)/runner.sqlite")
    }

    private func report(_ workplace: Workplace, _ database: String, _ more: String...) throws -> RunningProgram.Result {
        let words = [
            "/usr/bin/setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups",
            Workplace.Program.runner.path, "report", "list", "--database", database,
        ]
        return try RunningProgram(
            words + more, environment: workplace.environment, directory: workplace.directory.path
        ).wait()
    }

    @Test("a folder that hands down its group shares its catalog, while runs are at work and after them")
    func group() throws {
        let (workplace, database) = try workplace(0o2750, group: nobody)
        let server = try FaultyServer { _ in .ok("body", headers: [("Cache-Control", "max-age=3600")]) }
        server.hold("/b")
        let items = ["a", "b"].map { "  - {key: \($0), url: '\(server.url("/\($0)"))'}" }
        try workplace.writeJob(source: ["items:"] + items)
        let program = try workplace.start(["job.yaml", "--database", database])
        try server.waitForRequests(2)
        let during = try report(workplace, database)
        #expect(during.ending == .exit(0) && during.errors.isEmpty)
        #expect(during.lines.first == "list  run 1  running")
        server.release("/b")
        #expect(try program.wait().ending == .exit(0))

        for _ in 0..<2 {
            let after = try report(workplace, database, "--items")
            #expect(after.ending == .exit(0) && after.errors.isEmpty)
            #expect(after.lines.first == "list  run 1  complete")
        }
        #expect(try workplace.run(["job.yaml", "--database", database]).ending == .exit(0))
        #expect(try report(workplace, database).lines.first == "list  run 2  complete")
    }

    @Test("a catalog that was made readable afterwards is read at once")
    func mode() throws {
        let (workplace, database) = try workplace(0o755, group: 0)
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        #expect(try workplace.run(["job.yaml", "--database", database]).ending == .exit(0))
        chmod(database, 0o644)
        let result = try report(workplace, database)
        #expect(result.ending == .exit(0) && result.errors.isEmpty)
        #expect(result.lines.first == "list  run 1  complete")
    }

    @Test("a private catalog stays private, and the refusal names it and the way out")
    func refused() throws {
        let (workplace, database) = try workplace(0o755, group: 0)
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        #expect(try workplace.run(["job.yaml", "--database", database]).ending == .exit(0))
        let result = try report(workplace, database)
        #expect(result.ending == .exit(2) && result.output.isEmpty)
        #expect(result.errors.contains(database) && result.errors.contains("give this user permission"))
    }
}
