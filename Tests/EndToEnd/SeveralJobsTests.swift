import Glibc
import TestSupport
import Testing

@Suite("End to end: job files beside each other", .wholeProgramLimit)
struct SeveralJobsTests {
    @Test(
        "two jobs with one output directory are refused before anything runs, however it is written",
        arguments: ["out", "./x/../out", "link", "out/.runner/kept"], ["check", "run"])
    func sharedDirectory(_ directory: String, _ command: String) throws {
        let workplace = try Workplace()
        try workplace.directory.makeFolder("out")
        try #require(symlink("out", workplace.directory.path("link")) == 0)
        try workplace.writeJob("a", to: "a.yaml", source: ["items: []"])
        try workplace.writeJob("b", to: "b.yaml", source: ["items: []"], output: directory)
        let result = try workplace.run([command, "a.yaml", "b.yaml"])
        #expect(result.ending == .exit(78))
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("b.yaml:6:14: error: the output directory of 'b' "))
        #expect(result.errors.contains("the job 'a' in a.yaml; an output directory belongs to one job"))
        #expect(workplace.read("catalog.sqlite") == nil)
    }

    @Test("a directory may be inside another job's")
    func nestedDirectory() throws {
        let workplace = try Workplace()
        try workplace.writeJob("a", to: "a.yaml", source: ["items: []"])
        try workplace.writeJob("b", to: "b.yaml", source: ["items: []"], output: "out/b")
        #expect(try workplace.run(["check", "a.yaml", "b.yaml"]).ending == .exit(0))
    }

    @Test("check says that a list beside the job file is missing")
    func missingList() throws {
        let workplace = try Workplace()
        try workplace.directory.write(
            "name: m\nsource: {type: manifest, url: list.txt}\noutput: {directory: out}\n", to: "m.yaml")
        let result = try workplace.run(["check", "m.yaml"], with: .runner)
        #expect(result.ending == .exit(78))
        #expect(
            result.errors.contains(
                "m.yaml:2:31: error: the file of source.url can't be read: No such file or directory; "))
        try workplace.directory.write("http://127.0.0.1/a\n", to: "list.txt")
        #expect(try workplace.run(["check", "m.yaml"], with: .runner).ending == .exit(0))
    }

    @Test("a part of a key, or its singular, is enough to suggest the key")
    func nearKeys() throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"], transfer: ["retry: 3", "timeout: 5s"])
        let result = try workplace.run(["check", "job.yaml"])
        #expect(result.errors.contains("unknown key 'retry' in transfer; did you mean 'retries'?"))
        #expect(
            result.errors.contains(
                "unknown key 'timeout' in transfer; did you mean 'connect_timeout', 'stall_timeout' or "
                    + "'total_timeout'?"))
    }

    @Test("--job runs one job of a file of several; a name that none has is a usage error")
    func oneJob() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        let documents = ["one", "two"].map { name in
            "name: \(name)\nsource: {type: list, items: [{key: a, url: '\(server.url("/\(name)"))'}]}\n"
                + "output: {directory: \(name)}\n"
        }
        try workplace.directory.write(documents.joined(separator: "---\n"), to: "jobs.yaml")
        #expect(try workplace.run(["jobs.yaml", "--job", "two"]).ending == .exit(0))
        #expect(server.requests.map(\.path) == ["/two"])
        let unknown = try workplace.run(["jobs.yaml", "--job", "tow"])
        #expect(unknown.ending == .exit(64))
        #expect(unknown.errors.hasPrefix("runner: the files have no job 'tow'; did you mean 'two'?\n"))
    }

    @Test("--keep-going runs the other jobs of a folder with a bad file, and is no success")
    func keepGoing() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(
            "good", to: "jobs/good.yaml", source: ["items: [{key: a, url: '\(server.url("/a"))'}]"], output: "../out")
        try workplace.directory.write("nme: bad\n", to: "jobs/bad.yaml")
        #expect(try workplace.run(["jobs"]).ending == .exit(78))
        #expect(server.requests.isEmpty)
        let result = try workplace.run(["jobs", "--keep-going"])
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("jobs/bad.yaml:1:1: error: unknown key 'nme'"))
        #expect(workplace.files() == ["list/a.bin"])
        // Nothing is left to go on with.
        #expect(try workplace.run(["jobs/bad.yaml", "--keep-going"]).ending == .exit(78))
    }
}
