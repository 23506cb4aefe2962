import TestSupport
import Testing

/// Reports on a terminal, which script(1) makes.
@Suite("End to end: the report on a terminal", .wholeProgramLimit)
struct PagerTests {
    /// A run of twenty items with long titles, of which one fails.
    private func workplace() throws -> Workplace {
        let workplace = try Workplace()
        let server = try FaultyServer { request in request.path == "/7" ? .status(404) : .ok("body") }
        let items = (0..<20).map { number in
            "    - {key: '\(number)', url: '\(server.url("/\(number)"))', title: 'Nguyễn Thị Minh Khai, \(number) năm sau'}"
        }
        try workplace.writeJob(source: ["items:"] + items.map { String($0.dropFirst(2)) })
        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        return workplace
    }

    private func report(
        _ workplace: Workplace, _ flags: String = "", _ environment: [String: String]
    ) throws -> RunningProgram.Result {
        let terminal = ["TERM": "xterm", "COLUMNS": "60"].merging(environment) { $1 }
        return try RunningProgram(
            ["script", "-qec", "\(Workplace.Program.testRunner.path) report list \(flags)", "/dev/null"],
            environment: workplace.environment.merging(terminal) { $1 }, directory: workplace.directory.path
        ).wait()
    }

    @Test("goes through PAGER, and fits the width of the terminal")
    func pager() throws {
        let result = try report(workplace(), "--items --slowest 3", ["PAGER": "sed 's/^/| /'", "NO_COLOR": "1"])
        #expect(result.ending == .exit(0))
        let lines = result.output.split(whereSeparator: \.isNewline)
        #expect(lines.count > 40)
        for line in lines {
            #expect(line.hasPrefix("| ") && line.count <= 62, "\(line)")
        }
        #expect(lines.contains { $0.hasSuffix("…") })
    }

    @Test("has colours without a pager, and none where NO_COLOR or TERM say so")
    func colours() throws {
        let workplace = try workplace()
        #expect(try report(workplace, ["PAGER": "cat"]).output.contains("\u{1B}[33mpartial\u{1B}[0m"))
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let output = try report(workplace, environment.merging(["PAGER": "cat"]) { $1 }).output
            #expect(output.contains("partial") && !output.contains("\u{1B}"))
        }
    }

    private func report(_ workplace: Workplace, _ environment: [String: String]) throws -> RunningProgram.Result {
        try report(workplace, "", environment)
    }

    @Test("a pager that is left early, and one that is not there, are no failure")
    func failingPagers() throws {
        let workplace = try workplace()
        let left = try report(workplace, "--items", ["PAGER": "head -n 1"])
        #expect(left.ending == .exit(0))
        #expect(left.output.split(whereSeparator: \.isNewline).count == 1)
        let missing = try report(workplace, ["PAGER": "exec no-such-pager 2>/dev/null"])
        #expect(missing.ending == .exit(0))
        #expect(missing.output.contains("--failed"))
    }

    @Test("into a pipe it is as wide as it is, without pager and colours")
    func pipe() throws {
        let workplace = try workplace()
        let result = try workplace.run(["report", "--items"], environment: ["PAGER": "false", "TERM": "xterm"])
        #expect(result.ending == .exit(0))
        #expect(result.output.contains("Nguyễn Thị Minh Khai, 19 năm sau\n") && !result.output.contains("\u{1B}"))
    }
}
