import TestSupport
import Testing

/// `runner show`: what is known of one item.
@Suite("End to end: one item", .wholeProgramLimit)
struct ShowTests {
    @Test("its file, its transfers and a command line; secrets as their names")
    func item() throws {
        let server = try FaultyServer { _ in .ok("hello", headers: [("ETag", "\"v1\"")]) }
        let workplace = try Workplace()
        try workplace.writeJob(
            source: ["items: [{key: a, url: \"\(server.url("/a"))\", title: Ảnh}]"],
            transfer: ["headers: {X-Key: \"${KEY}\"}"])
        let environment = ["KEY": "s3cret"]
        #expect(try workplace.run(["job.yaml"], environment: environment).ending == .exit(0))
        #expect(try workplace.run(["job.yaml"], environment: environment).ending == .exit(0))

        let result = try workplace.run(["show", "list", "a"], environment: environment)
        #expect(result.ending == .exit(0), "\(result.errors)")
        let lines = result.lines
        #expect(lines.first == "list  a  Ảnh")
        #expect(lines.contains { $0.hasPrefix("  file ") && $0.hasSuffix("/out/list/Ảnh.bin") })
        #expect(lines.contains { $0.hasPrefix("  ETag ") && $0.hasSuffix(" \"v1\"") })
        #expect(lines.count { $0.contains(" downloaded ") || $0.contains(" unchanged ") } == 2)
        #expect(lines.last?.hasPrefix("curl --fail ") == true)
        #expect(lines.last?.contains("--header \"X-Key: ${KEY}\"") == true)
        #expect(!result.output.contains("s3cret"))

        // Without the variable the job file can't be read; what the catalog knows is shown all the same.
        let bare = try workplace.run(["show", "list", "a"])
        #expect(bare.ending == .exit(0))
        #expect(bare.lines.first == "list  a  Ảnh")
        #expect(!bare.output.contains("curl"))
        withExtendedLifetime(server) {}
    }

    @Test("a job or a key that the catalog does not know is told, with the nearest name")
    func unknown() throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let job = try workplace.run(["show", "lisd", "a"])
        #expect(job.ending == .exit(64))
        #expect(job.errors.hasPrefix("runner: the catalog has no job 'lisd'; did you mean 'list'?\n"))
        let key = try workplace.run(["show", "job.yaml", "a"])
        #expect(key.ending == .exit(64))
        #expect(key.errors.hasPrefix("runner: list has no item 'a'; runner report list --items lists them\n"))
    }

    @Test("an item is shown by its URL, title or path as by its key; what several are called is told with their keys")
    func names() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        let items = [("a", "One"), ("b", "Two"), ("c", "Two")].map { key, title in
            "  - {key: \(key), url: '\(server.url("/\(key)"))', title: \(title)}"
        }
        try workplace.writeJob(source: ["items:"] + items)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let path = try #require(try workplace.catalog().value("SELECT path FROM item WHERE key = 'a'", as: String.self))
        for name in ["a", server.url("/a"), "One", path, "out/\(path)", workplace.directory.path("out/\(path)")] {
            let result = try workplace.run(["show", "list", name])
            #expect(result.ending == .exit(0))
            #expect(result.lines.first == "list  a  One")
            // Under a thousand bytes there is nothing to round.
            #expect(result.lines.contains { $0.hasPrefix("  size ") && $0.hasSuffix(" 4 B") })
        }
        let several = try workplace.run(["show", "list", "Two"])
        #expect(several.ending == .exit(64))
        #expect(several.errors.hasPrefix("runner: several of 'list' are called 'Two'; give a key: b, c\n"))
        let offered = try workplace.run(["completions", "bash", "--", "show", "list", ""]).output
        #expect(offered == "none\na\tOne\nb\tTwo\nc\tTwo\n")
        let only = try workplace.run(["completions", "bash", "--", "job.yaml", "--only=b"]).output
        #expect(only == "none\n--only=b\tTwo\n")
    }
}
