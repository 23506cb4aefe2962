import Model
import Testing

@testable import Commands

@Suite("Command line", .timeLimit(.minutes(1)))
struct ArgumentParserTests {
    private let parser = ArgumentParser(fileExists: { $0 == "flags" })

    private func options(_ arguments: [String]) throws -> Options {
        guard case .command(_, let options) = try parser.parse(arguments) else {
            Issue.record("no command in \(arguments)")
            return Options()
        }
        return options
    }

    @Test(
        "the first operand is the command, and run where it is none",
        arguments: [
            (["jobs/a.yaml"], Command.run, ["jobs/a.yaml"]),
            (["run", "a.yaml", "b.yaml"], .run, ["a.yaml", "b.yaml"]),
            (["./run"], .run, ["./run"]),
            (["run", "run"], .run, ["run"]),
            (["flags"], .run, ["flags"]),
            (["--", "check"], .run, ["check"]),
            (["check", "a.yaml"], .check, ["a.yaml"]),
            (["a.yaml", "check"], .run, ["a.yaml", "check"]),
            (["--limit", "3", "plan", "a.yaml"], .plan, ["a.yaml"]),
            (["report"], .report, []),
            (["report", "flags"], .report, ["flags"]),
            (["sources", "flags"], .sources, ["flags"]),
            (["doctor"], .doctor, []),
            (["run", "--", "--odd.yaml", "-q"], .run, ["--odd.yaml", "-q"]),
            (["run", "-"], .run, ["-"]),
        ])
    func commands(arguments: [String], command: Command, operands: [String]) throws {
        var options = try options(arguments)
        #expect(options.operands == operands)
        options.operands = []
        options.limit = nil
        #expect(try parser.parse(arguments) == .command(command, try self.options(arguments)))
        #expect(options == Options())
    }

    @Test(
        "every flag of run, check and plan lands in its option",
        arguments: [
            FlagCase(["--set", "a.b=c", "--set=d==e"], { $0.overrides = ["a.b=c", "d==e"] }),
            FlagCase(["--database", "x.sqlite"], { $0.database = "x.sqlite" }),
            FlagCase(["--concurrency=64"], { $0.concurrency = 64 }),
            FlagCase(["--failed"], { $0.isFailedOnly = true }),
            FlagCase(
                ["--failed=dns,too-large"], { ($0.isFailedOnly, $0.failureReasons) = (true, [.dns, .tooLarge]) }),
            FlagCase(["--refresh"], { $0.isRefreshing = true }),
            FlagCase(["--only", "a*", "--only", "--b"], { $0.only = ["a*", "--b"] }),
            FlagCase(["--limit", "1"], { $0.limit = 1 }),
            FlagCase(["--deadline", "90s"], { $0.deadline = 90_000_000 }),
            FlagCase(["--progress", "auto"], { $0.progress = .automatic }),
            FlagCase(["--progress", "bar"], { $0.progress = .bar }),
            FlagCase(["--progress", "plain"], { $0.progress = .plain }),
            FlagCase(["--progress", "json"], { $0.progress = .json }),
            FlagCase(["--progress=none"], { $0.progress = .none }),
            FlagCase(["-q"], { $0.verbosity = .quiet }),
            FlagCase(["--quiet"], { $0.verbosity = .quiet }),
            FlagCase(["-v"], { $0.verbosity = .verbose }),
            FlagCase(["--verbose"], { $0.verbosity = .verbose }),
            FlagCase(["-qv"], { $0.verbosity = .verbose }),
            FlagCase(["-vq"], { $0.verbosity = .quiet }),
            FlagCase(["--limit", "1", "--limit=2"], { $0.limit = 2 }),
        ])
    func runFlags(flag: FlagCase) throws {
        let arguments = flag.arguments
        var expected = Options()
        expected.operands = ["a.yaml"]
        flag.change(&expected)
        #expect(try options(arguments + ["a.yaml"]) == expected)
        #expect(try options(["run", "a.yaml"] + arguments) == expected)
    }

    @Test(
        "every flag of report lands in its option",
        arguments: [
            FlagCase(["--run", "last"], { $0.run = .last }),
            FlagCase(["--run=all"], { $0.run = .all }),
            FlagCase(["--run", "17"], { $0.run = .id(17) }),
            FlagCase(
                ["--items", "--collections", "--failures"],
                {
                    $0.showsItems = true
                    $0.showsCollections = true
                    $0.showsFailures = true
                }),
            FlagCase(["--slowest", "5"], { $0.slowest = 5 }),
            FlagCase(["--since", "7d"], { $0.since = 7 * 86_400_000_000 }),
            FlagCase(["--format", "json"], { $0.format = .json }),
            FlagCase(["--format", "text"], { $0.format = .text }),
            FlagCase(["--output", "r.txt"], { $0.output = "r.txt" }),
            FlagCase(["--database=r.sqlite"], { $0.database = "r.sqlite" }),
        ])
    func reportFlags(flag: FlagCase) throws {
        var expected = Options()
        flag.change(&expected)
        #expect(try options(["report"] + flag.arguments) == expected)
    }

    @Test(
        "help and version are met in any place",
        arguments: [
            ([], .nothing),
            (["--help"], .help(nil)),
            (["-h"], .help(nil)),
            (["help"], .help(nil)),
            (["help", "run"], .help(.run)),
            (["run", "--help"], .help(.run)),
            (["--help", "plan"], .help(.plan)),
            (["report", "-h", "--nonsense"], .help(.report)),
            (["help", "--help"], .help(nil)),
            (["help", "help"], .help(.help)),
            (["jobs/a.yaml", "--help"], .help(nil)),
            (["--version"], .version),
            (["-V"], .version),
            (["run", "--version"], .version),
        ] as [([String], Invocation)])
    func requests(arguments: [String], invocation: Invocation) throws {
        #expect(try parser.parse(arguments) == invocation)
    }

    @Test(
        "a wrong command line is told in one line and the usage that matters",
        arguments: [
            (
                ["run", "--concurency", "3", "a.yaml"],
                "unknown flag --concurency; did you mean --concurrency?",
                "runner run [FLAG...] JOB..., see runner run --help"
            ),
            (
                ["report", "--item"], "unknown flag --item; did you mean --items?",
                "runner report [FLAG...] [JOB...], see runner report --help"
            ),
            (
                ["run", "--zzzzz", "a.yaml"], "unknown flag --zzzzz",
                "runner run [FLAG...] JOB..., see runner run --help"
            ),
            (
                ["run", "--failed=", "a.yaml"],
                "--failed= has no value; give --failed=REASON,..., or --failed alone for all",
                "runner run --failed[=REASON,...] JOB..."
            ),
            (["-qx", "a.yaml"], "unknown flag -x", "runner run [FLAG...] JOB..., see runner run --help"),
            (
                ["run", "--limit", "x", "a.yaml"], "--limit must be a whole number from 1, not 'x'",
                "runner run --limit N JOB..."
            ),
            (
                ["run", "--limit=0", "a.yaml"], "--limit must be a whole number from 1, not '0'",
                "runner run --limit N JOB..."
            ),
            (
                ["plan", "--limit=+1", "a.yaml"], "--limit must be a whole number from 1, not '+1'",
                "runner plan --limit N JOB"
            ),
            (
                ["run", "--limit=99999999999999999999", "a.yaml"],
                "--limit must be a whole number from 1, not '99999999999999999999'", "runner run --limit N JOB..."
            ),
            (
                ["a.yaml", "--concurrency", "1025"],
                "--concurrency must be a whole number from 1 to 1024, not '1025'", "runner run --concurrency N JOB..."
            ),
            (
                ["a.yaml", "--deadline", "soon"],
                "--deadline must be a duration such as 250ms, 10s, 5m, 1h or 1d, not 'soon'",
                "runner run --deadline DURATION JOB..."
            ),
            (
                ["a.yaml", "--deadline", "0s"],
                "--deadline must be a duration such as 250ms, 10s, 5m, 1h or 1d, not '0s'",
                "runner run --deadline DURATION JOB..."
            ),
            (
                ["a.yaml", "--progress", "fast"],
                "--progress must be auto, bar, plain, json or none, not 'fast'",
                "runner run --progress auto|bar|plain|json|none JOB..."
            ),
            (
                ["report", "--format", "xml"],
                "--format must be text, json, html, csv, jsonl, prometheus, har, trace, systemd or crontab, not 'xml'",
                "runner report --format text|json|html|csv|jsonl|prometheus|har|trace|systemd|crontab [JOB...]"
            ),
            (
                ["report", "--run", "first"], "--run must be last, all or the number of a run, not 'first'",
                "runner report --run ID|last|all [JOB...]"
            ),
            (["report", "--output="], "--output must be a file name, not ''", "runner report --output FILE [JOB...]"),
            (["run", "a.yaml", "--limit"], "--limit needs a value: N", "runner run --limit N JOB..."),
            (["run", "--quiet=yes", "a.yaml"], "--quiet takes no value, but has 'yes'", "runner run --quiet JOB..."),
            (
                ["run", "--items", "a.yaml"], "--items is a flag of report, not of run",
                "runner run [FLAG...] JOB..."
            ),
            (
                ["report", "--set", "a=b"],
                "--set is a flag of run, check, plan, thumbnails, adopt, shards and submit, not of report",
                "runner report [FLAG...] [JOB...]"
            ),
            (
                ["chek", "a.yaml"], "unknown command 'chek'; did you mean 'check'?",
                "runner [COMMAND] [FLAG...] JOB..., see runner --help"
            ),
            (
                ["launch"], "unknown command 'launch'; there is no file of that name either",
                "runner [COMMAND] [FLAG...] JOB..., see runner --help"
            ),
            (
                ["complet"], "unknown command 'complet'; did you mean 'completions'?",
                "runner [COMMAND] [FLAG...] JOB..., see runner --help"
            ),
            (
                ["report", "--col"], "unknown flag --col; did you mean --collections?",
                "runner report [FLAG...] [JOB...], see runner report --help"
            ),
            (["help", "reprt"], "unknown command 'reprt'; did you mean 'report'?", "runner help [COMMAND]"),
            (["run"], "run needs a job file", "runner run [FLAG...] JOB..."),
            (["-q"], "run needs a job file", "runner run [FLAG...] JOB..."),
            (["show"], "show needs a job, by name or file", "runner show [FLAG...] JOB ITEM"),
            (
                ["show", "flags"], "show needs an item of the job: its key, URL, title or path",
                "runner show [FLAG...] JOB ITEM"
            ),
            (["reset"], "reset needs a job, by name or file", "runner reset [FLAG...] JOB [COLLECTION|ITEM]"),
            (["plan", "a.yaml", "b.yaml"], "plan takes one JOB, so 'b.yaml' is too many", "runner plan [FLAG...] JOB"),
            (["doctor", "me"], "doctor takes nothing, so 'me' is too many", "runner doctor [FLAG...]"),
        ])
    func faults(arguments: [String], message: String, usage: String) {
        #expect(throws: UsageError(message: message, usage: usage)) { try parser.parse(arguments) }
    }

    @Test("a usage error is two lines")
    func twoLines() {
        let error = UsageError(message: "run needs a job file", usage: Command.run.usage)
        #expect(error.description == "runner: run needs a job file\nusage: runner run [FLAG...] JOB...\n")
    }
}

/// Words of a command line, and what they change in the options.
struct FlagCase: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let change: @Sendable (inout Options) -> Void

    init(_ arguments: [String], _ change: @escaping @Sendable (inout Options) -> Void) {
        self.arguments = arguments
        self.change = change
    }

    var testDescription: String { arguments.joined(separator: " ") }
}
