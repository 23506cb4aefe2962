import TestSupport
import Testing

@Suite("End to end: two processes at once", .wholeProgramLimit)
struct TwoProcessesTests {
    @Test("the second run of a job ends with 75, names the first, and leaves it alone")
    func locked() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let first = try workplace.start(["job.yaml"])
        try server.waitForRequests(1)
        let second = try workplace.run(["job.yaml"])
        server.release("/a")

        #expect(second.ending == .exit(75))
        #expect(second.errors.hasPrefix("list: another run (pid \(first.processID), since "))
        #expect(second.errors.hasSuffix(") holds the job; nothing done\n"))
        #expect(try first.wait().ending == .exit(0))
        #expect(server.requests.count == 1)
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.values("SELECT outcome FROM run") == ["complete"])
    }

    @Test("a locked job does not keep the other jobs of a command from running")
    func lockedAmongOthers() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        try workplace.writeJob(
            "other", to: "other.yaml", source: ["items: [{key: b, url: '\(server.url("/b"))'}]"], output: "other")
        let first = try workplace.start(["job.yaml"])
        try server.waitForRequests(1)
        let second = try workplace.run(["job.yaml", "other.yaml"])
        server.release("/a")

        #expect(second.ending == .exit(75))
        #expect(second.errors.contains("other: 1 downloaded"))
        #expect(workplace.files(below: "other").count == 1)
        #expect(try first.wait().ending == .exit(0))
    }

    @Test("two jobs in two processes on one new catalog both complete")
    func sharedCatalog() throws {
        let workplace = try Workplace()
        let count = 300
        let server = try FaultyServer { request in .ok("body of \(request.path)") }
        let names = ["one", "two"]
        for name in names {
            try workplace.writeJob(
                name, to: "\(name).yaml",
                source: ["template: '\(server.url("/\(name)/{n}"))'", "count: \(count)", "page: 10"], output: name)
        }
        let programs = try names.map { try workplace.start(["\($0).yaml"]) }
        for program in programs {
            let result = try program.wait()
            #expect(result.ending == .exit(0), "\(result.errors)")
        }

        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(
            try catalog.values("SELECT job || ' ' || outcome || ' ' || downloaded FROM run ORDER BY job")
                == ["one complete \(count)", "two complete \(count)"])
        for name in names { #expect(workplace.files(below: name).count == count) }
        #expect(workplace.read("one/list/7.bin") == Array("body of /one/7".utf8))
        #expect(workplace.read("two/list/7.bin") == Array("body of /two/7".utf8))
    }

    @Test("two job files that write into one directory: the second is refused")
    func sharedDirectory() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        for name in ["one", "two"] {
            try workplace.writeJob(
                name, to: "\(name).yaml", source: ["items: [{key: a, url: '\(server.url("/\(name)"))'}]"])
        }
        #expect(try workplace.run(["one.yaml"]).ending == .exit(0))
        let second = try workplace.run(["two.yaml"])
        #expect(second.ending == .exit(2))
        #expect(second.errors.contains("belongs to the job 'one'"))
        #expect(server.requests.map(\.path) == ["/one"])
    }
}
