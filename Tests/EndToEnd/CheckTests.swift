import TestSupport
import Testing

@Suite("End to end: job files and command lines that are wrong", .wholeProgramLimit)
struct CheckTests {
    /// Nine faults, each in a line of its own.
    private static let faulty = """
        name: Flags
        source:
          type: flags
          urls: https://example.com/{code}.png
          countries: [de, zz]
        output:
          directory: flags
        transfer:
          concurency: 16
          per_host: 0
          rate: fast
          stall_timeout: 30
        refresh: sometimes
        expect: picture
        """

    @Test(
        "check tells every fault of a file at once, with line and column, and nothing runs",
        arguments: ["check", "run"])
    func nineFaults(_ command: String) throws {
        let workplace = try Workplace()
        try workplace.directory.write(Self.faulty, to: "jobs/flags.yaml")
        let result = try workplace.run([command, "jobs/flags.yaml"], with: .runner)

        #expect(result.ending == .exit(78))
        #expect(result.output.isEmpty)
        let heads = result.errors.split(separator: "\n").filter { $0.hasPrefix("jobs/flags.yaml:") }
        let places = heads.map { $0.split(separator: ":").prefix(3).joined(separator: ":") }
        #expect(
            places == [
                "jobs/flags.yaml:1:7", "jobs/flags.yaml:4:3", "jobs/flags.yaml:5:19", "jobs/flags.yaml:9:3",
                "jobs/flags.yaml:10:13", "jobs/flags.yaml:11:9", "jobs/flags.yaml:12:18", "jobs/flags.yaml:13:10",
                "jobs/flags.yaml:14:9",
            ], "\(result.errors)")
        #expect(heads.allSatisfy { $0.contains(": error: ") })
        #expect(
            result.errors.contains(
                """
                jobs/flags.yaml:9:3: error: unknown key 'concurency' in transfer; did you mean 'concurrency'?
                  concurency: 16
                  ^~~~~~~~~~
                """))
        #expect(workplace.directory.names() == ["jobs"])
    }

    @Test("check says which job files are sound, and asks the network for nothing")
    func sound() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["index: '\(server.url("/index"))'", "items: []"])
        try workplace.writeJob("other", to: "other.yaml", source: ["items: []"], output: "others")
        let result = try workplace.run(["check", "job.yaml", "other.yaml"])
        #expect(result.ending == .exit(0))
        #expect(result.output == "list: ok (job.yaml)\nother: ok (other.yaml)\n")
        #expect(result.errors.isEmpty)
        #expect(server.requests.isEmpty)
        #expect(workplace.directory.names() == ["job.yaml", "other.yaml"])
    }

    @Test("one faulty file of several: none of them runs")
    func oneOfSeveral() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        try workplace.directory.write("name: [", to: "other.yaml")
        #expect(try workplace.run(["job.yaml", "other.yaml"]).ending == .exit(78))
        #expect(server.requests.isEmpty)
    }

    @Test("hostile YAML is an error in a line or two", arguments: HostileYAML.all)
    func hostile(_ hostile: HostileYAML) throws {
        let workplace = try Workplace()
        try workplace.directory.write(hostile.bytes, to: "job.yaml")
        let result = try workplace.run(["check", "job.yaml"])
        #expect(result.ending == .exit(78))
        #expect(result.errors.hasPrefix("job.yaml:"))
        #expect(result.errors.contains("error: "))
        #expect(result.errors.utf8.count < 1_000)
    }

    @Test("a job file that is missing, and a folder without any")
    func missing() throws {
        let workplace = try Workplace()
        try workplace.directory.makeFolder("jobs")
        for (operand, words) in [("nothing.yaml", "No such file"), ("jobs", "without *.yaml files")] {
            for command in ["run", "check"] {
                let result = try workplace.run([command, operand])
                #expect(result.ending == .exit(78))
                #expect(result.errors.contains(operand) && result.errors.contains(words), "\(result.errors)")
            }
        }
    }

    @Test("a fault of --set names the flag")
    func overrides() throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"])
        let result = try workplace.run(["check", "job.yaml", "--set", "transfer.concurency=3"])
        #expect(result.ending == .exit(78))
        #expect(result.errors.contains("--set"))
        #expect(result.errors.contains("did you mean 'concurrency'?"))
    }

    @Test(
        "usage error: 64, and what was meant",
        arguments: [
            (["--conurrency", "3", "job.yaml"], "did you mean --concurrency?"),
            (["reprot"], "did you mean 'report'?"),
            (["run", "job.yaml", "--limit", "x"], "--limit"),
            (["run"], "JOB"),
            (["report", "--format", "xml"], "--format"),
            (["run", "job.yaml", "--progress", "dots"], "--progress"),
            (["run", "job.yaml", "--deadline", "soon"], "--deadline"),
        ])
    func usage(_ arguments: [String], _ words: String) throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"])
        let result = try workplace.run(arguments)
        #expect(result.ending == .exit(64))
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(workplace.directory.names() == ["job.yaml"])
    }

    @Test("--version and --help go to stdout; no argument at all is a usage error")
    func help() throws {
        let workplace = try Workplace()
        let version = try workplace.run(["--version"], with: .runner)
        #expect(version.ending == .exit(0))
        #expect(version.output.wholeMatch(of: /runner \d+\.\d+\.\d+ libcurl\/\S+ SQLite\/\S+\n/) != nil)
        for arguments in [["--help"], ["help"], ["run", "--help"], ["help", "run"]] {
            let help = try workplace.run(arguments, with: .runner)
            #expect(help.ending == .exit(0))
            #expect(help.output.contains("usage: runner"))
            #expect(help.errors.isEmpty)
        }
        let nothing = try workplace.run([], with: .runner)
        #expect(nothing.ending == .exit(64))
        #expect(nothing.output.isEmpty && nothing.errors.contains("usage: runner"))
        #expect(workplace.directory.names() == [])
    }

    @Test("sources lists the modules, and the options of one")
    func sources() throws {
        let workplace = try Workplace()
        let all = try workplace.run(["sources"], with: .runner)
        #expect(all.ending == .exit(0))
        #expect(all.lines.contains { $0.hasPrefix("flags") })
        let one = try workplace.run(["sources", "flags"], with: .runner)
        #expect(one.ending == .exit(0))
        for word in ["url", "countries", "exclude", "language", "{code}"] { #expect(one.output.contains(word)) }
        let unknown = try workplace.run(["sources", "flag"], with: .runner)
        #expect(unknown.ending == .exit(64))
        #expect(unknown.errors.contains("did you mean 'flags'?"))
    }

    @Test("doctor: 0 where all is well, 1 and what to do where the catalog can't be used")
    func doctor() throws {
        let workplace = try Workplace()
        let well = try workplace.run(["doctor"], with: .runner)
        #expect(well.ending == .exit(0), "\(well.output)")
        for word in ["libcurl", "SQLite", "OpenSSL", "catalog"] { #expect(well.output.contains(word)) }
        try workplace.directory.write("This is no database, although it is long enough to look like one.", to: "text")
        let ill = try workplace.run(["doctor", "--database", "text"], with: .runner)
        #expect(ill.ending == .exit(1))
        #expect(ill.lines.contains { $0.hasPrefix("problem") })
        #expect(workplace.directory.names() == ["text"])
    }
}

/// A text that no parser should be hurt by.
struct HostileYAML: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]

    static let all = [
        HostileYAML(testDescription: "aliases that multiply", bytes: aliases),
        HostileYAML(testDescription: "20,000 brackets", bytes: [UInt8](repeating: UInt8(ascii: "["), count: 20_000)),
        HostileYAML(testDescription: "a NUL", bytes: Array("name: a\u{0}b\n".utf8)),
        HostileYAML(testDescription: "not UTF-8", bytes: Array("name: caf".utf8) + [0xE9, 0x0A]),
        HostileYAML(testDescription: "nothing", bytes: []),
    ]

    /// Each line has ten times the values of the line before.
    private static let aliases = Array(
        ("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
            + (1..<10).map { line in
                "a\(line): &a\(line) [\(Array(repeating: "*a\(line - 1)", count: 10).joined(separator: ", "))]\n"
            }.joined()).utf8)
}
