import Glibc
import TestSupport
import Testing

@Suite("End to end: an output that can't be written", .wholeProgramLimit)
struct OutputFaultTests {
    /// A catalog with one item, whose file is gone.
    private func workplace() throws -> (Workplace, FaultyServer) {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        workplace.remove("out/list/a.bin")
        return (workplace, server)
    }

    @Test(
        "a full disk is no success, whichever command writes",
        arguments: [
            ["check", "job.yaml"], ["plan", "job.yaml"], ["report"], ["report", "--format", "json", "--items"],
            ["show", "list", "a"], ["verify", "list"], ["sources"], ["sources", "flags"], ["doctor"],
            ["completions", "bash"], ["man"], ["help"], ["run", "--help"], ["--version"],
            ["job.yaml", "--progress", "json"],
        ])
    func full(_ command: [String]) throws {
        let (workplace, server) = try workplace()
        let disk = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(disk) }
        let result = try workplace.start(command, output: disk).wait()
        withExtendedLifetime(server) {}
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("cannot write the output: No space left on device"))
    }

    @Test(
        "a reader that went away ends a command quietly", arguments: [["report"], ["job.yaml", "--progress", "json"]])
    func closed(_ command: [String]) throws {
        let (workplace, server) = try workplace()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        close(ends[0])
        let result = try workplace.start(command, output: ends[1]).wait()
        close(ends[1])
        withExtendedLifetime(server) {}
        #expect(result.ending == .exit(0))
        #expect(!result.errors.contains("cannot write"))
    }

    @Test("outputs that are closed at the start are nobody's: no file gets their numbers")
    func closedAtTheStart() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        func run(_ arguments: String) throws -> RunningProgram.Ending {
            try RunningProgram(
                ["/bin/sh", "-c", "exec \(Workplace.Program.testRunner.path) \(arguments)"],
                environment: workplace.environment, directory: workplace.directory.path
            ).wait().ending
        }
        #expect(try run("job.yaml 0<&- 1>&- 2>&-") == .exit(0))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.outcomes() == ["a downloaded"])
        for path in Workplace.files(below: workplace.directory.path) {
            let text = String(decoding: workplace.read(path) ?? [], as: UTF8.self)
            #expect(!text.contains("1 downloaded,"), "\(path)")
        }
        // What can't be delivered is no success.
        #expect(try run("report 0<&- 1>&-") == .exit(2))
        #expect(try run("job.yaml --progress json 0<&- 1>&-") == .exit(2))
    }
}
