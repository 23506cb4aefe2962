import Glibc
import TestSupport
import Testing

/// A path that a person gives may lead to a pipe, which must not hold the program for ever.
@Suite("End to end: pipes where files are expected", .wholeProgramLimit)
struct PipeTests {
    private func workplace() throws -> Workplace {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"])
        try #require(mkfifo(workplace.directory.path("pipe"), 0o600) == 0)
        try #require(mkfifo(workplace.directory.path("pipe.yaml"), 0o600) == 0)
        return workplace
    }

    @Test(
        "a pipe that nobody has open is an error, not a wait",
        arguments: [
            (["check", "pipe.yaml"], 78), (["run", "pipe.yaml"], 78), (["report", "--database", "pipe"], 2),
            (["job.yaml", "--database", "pipe"], 2), (["verify", "--database", "pipe"], 2),
            (["job.yaml", "--set", "transfer.ca_file=pipe"], 2),
            (["source", "test", "--options", "pipe", "/bin/true"], 78),
        ])
    func unread(_ arguments: [String], _ code: Int) throws {
        let workplace = try workplace()
        let result = try workplace.run(arguments)
        #expect(result.ending == .exit(Int32(code)))
        #expect(result.errors.contains("pipe"))
    }

    @Test("a report goes through a pipe to a reader that comes a moment later, and fails without one")
    func output() throws {
        let workplace = try workplace()
        #expect(try workplace.run(["job.yaml", "-q"]).ending == .exit(0))
        let alone = try workplace.run(["report", "--output", "pipe"])
        #expect(alone.ending == .exit(2))
        #expect(alone.errors.contains("cannot write pipe: it is a pipe that nobody reads"))
        let program = try workplace.start(["export", "csv", "--table", "run", "--output", "pipe"])
        let reader = open(workplace.directory.path("pipe"), O_RDONLY | O_CLOEXEC)
        defer { close(reader) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(reader, &bytes, bytes.count)
        #expect(String(decoding: bytes[..<max(0, count)], as: UTF8.self).hasPrefix("run_id,job,"))
        #expect(try program.wait().ending == .exit(0))
    }

    @Test("a job file may come through a pipe of the shell")
    func jobFile() throws {
        let workplace = try workplace()
        let program = try RunningProgram(
            ["/bin/bash", "-c", "\(Workplace.Program.testRunner.path) check <(cat job.yaml)"],
            environment: workplace.environment, directory: workplace.directory.path)
        #expect(try program.wait().ending == .exit(0))
    }

    @Test("a report or an export is written over no file of the program's own")
    func ownFiles() throws {
        let workplace = try workplace()
        #expect(try workplace.run(["job.yaml", "-q"]).ending == .exit(0))
        for command in [["report"], ["export", "csv"]] {
            for (name, words) in [
                ("job.yaml", "the file of the job 'list'"), ("catalog.sqlite", "the catalog"),
                ("out/.runner/owner", "in "),
            ] {
                let before = workplace.read(name)
                let result = try workplace.run(command + ["--output", name])
                #expect(result.ending == .exit(64))
                #expect(result.errors.contains("--output: \(name) is \(words)"))
                #expect(workplace.read(name) == before)
            }
            #expect(try workplace.run(command + ["--output", "out/report"]).ending == .exit(0))
        }
    }
}
