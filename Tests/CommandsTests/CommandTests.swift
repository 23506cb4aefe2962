import Foundation
import SQLite
import Testing

@testable import Catalog
@testable import Commands

@Suite("Commands", .timeLimit(.minutes(1)))
struct CommandTests {
    private static let job = """
        name: flags
        source: {type: flags}
        output: {directory: flags}

        """

    private let line: TestCommandLine

    init() throws {
        line = try TestCommandLine()
    }

    // MARK: help, version, usage

    @Test("help and version go to stdout and exit 0")
    func help() async throws {
        #expect(
            try await line.run(["--help"]) == .init(code: .success, output: HelpText.overview, errors: ""))
        #expect(
            try await line.run(["plan", "--help"])
                == .init(code: .success, output: HelpText.page(of: .plan), errors: ""))
        let version = try await line.run(["--version"])
        #expect(version.code == .success)
        #expect(
            version.output.wholeMatch(of: /runner \d+\.\d+\.\d+ libcurl\/\d+\.\d+\.\d+ SQLite\/\d+\.\d+\.\d+\n/) != nil)
    }

    @Test("nothing at all is a usage error, answered with the overview on stderr")
    func nothing() async throws {
        #expect(try await line.run([]) == .init(code: .usage, output: "", errors: HelpText.overview))
    }

    @Test("a usage error exits 64 with two lines on stderr")
    func usage() async throws {
        #expect(
            try await line.run(["--limt", "3", "a.yaml"])
                == .init(
                    code: .usage, output: "",
                    errors: "runner: unknown flag --limt; did you mean --limit?\n"
                        + "usage: runner run [FLAG...] JOB..., see runner run --help\n"))
    }

    @Test("an argument can't control the terminal")
    func hostileArgument() async throws {
        let outcome = try await line.run(["--\u{1B}[2J"])
        #expect(outcome.errors.hasPrefix("runner: unknown flag --\u{FFFD}[2J\n"))
    }

    // MARK: check

    @Test("check names each sound job")
    func check() async throws {
        let file = try line.file(
            "flags.yaml",
            Self.job + "---\n"
                + Self.job.replacing("name: flags", with: "name: more").replacing(
                    "directory: flags", with: "directory: more"))
        #expect(
            try await line.run(["check", file])
                == .init(
                    code: .success, output: "flags: ok (FOLDER/flags.yaml)\nmore: ok (FOLDER/flags.yaml)\n", errors: "")
        )
    }

    @Test("check tells every fault of every file with its place, and exits 78")
    func checkFaults() async throws {
        let first = try line.file("a.yaml", Self.job + "transfer:\n  concurency: 16\n")
        let second = try line.file("b.yaml", Self.job.replacing("flags}\noutput", with: "flag}\noutput"))
        let outcome = try await line.run(["check", first, second])
        #expect(outcome.code == .invalidJob)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.errors.hasPrefix(
                """
                FOLDER/a.yaml:5:3: error: unknown key 'concurency' in transfer; did you mean 'concurrency'?
                  concurency: 16
                  ^~~~~~~~~~
                FOLDER/b.yaml:2:16: error: unknown source type 'flag'; did you mean 'flags'?

                """))
    }

    @Test("a fault of --set names the flag")
    func checkSet() async throws {
        let file = try line.file("flags.yaml", Self.job)
        let outcome = try await line.run(["check", file, "--set", "transfer.retries=-1"])
        #expect(outcome.code == .invalidJob)
        #expect(outcome.errors.hasPrefix("--set transfer.retries=-1: error: "))
    }

    @Test("run, check and plan exit 78 for a missing file", arguments: ["run", "check", "plan"])
    func missing(command: String) async throws {
        let outcome = try await line.run([command, line.path("none.yaml")])
        #expect(outcome.code == .invalidJob)
        #expect(outcome.errors == "FOLDER/none.yaml: error: can't be read: No such file or directory\n")
    }

    // MARK: plan

    private static let plannedJob = """
        name: flags
        source: {type: flags, url: "http://127.0.0.1:9/{code}.png", countries: [vn, de]}
        output: {directory: flags}

        """

    @Test("plan lists items in fields between tabs, with sums on stderr")
    func plan() async throws {
        let file = try line.file("flags.yaml", Self.plannedJob)
        #expect(
            try await line.run(["plan", file])
                == .init(
                    code: .success,
                    output: "de\tGermany\tGermany.{extension}\tfetch\thttp://127.0.0.1:9/de.png\n"
                        + "vn\tVietnam\tVietnam.{extension}\tfetch\thttp://127.0.0.1:9/vn.png\n",
                    errors: "flags: 2 items: 2 fetch\n"))
    }

    @Test("plan aligns its columns on a terminal")
    func planOnTerminal() async throws {
        let file = try line.file("flags.yaml", Self.plannedJob)
        let outcome = try await line.run(
            ["plan", file, "--limit", "1"], terminal: Terminal(isInteractive: true, width: 80))
        #expect(
            outcome.output == """
                key  title    path                 action  url
                de   Germany  Germany.{extension}  fetch   http://127.0.0.1:9/de.png

                """)
        #expect(outcome.errors == "flags: 1 item: 1 fetch\n")
    }

    @Test("a plan of nothing says so, and makes neither folder nor catalog")
    func emptyPlan() async throws {
        let file = try line.file("flags.yaml", Self.plannedJob)
        #expect(
            try await line.run(["plan", file, "--only", "zz"])
                == .init(code: .success, output: "", errors: "flags: nothing selected\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: line.folder.path()) == ["flags.yaml"])
    }

    @Test("a plan that the catalog keeps from being made exits 2")
    func planWithoutCatalog() async throws {
        _ = try line.file("runner.sqlite", String(repeating: "no database ", count: 1_000))
        let outcome = try await line.run(["plan", try line.file("flags.yaml", Self.plannedJob)])
        #expect(outcome.code == .failed)
        #expect(outcome.errors.hasPrefix("flags: failed: "))
    }

    // MARK: sources

    @Test("sources lists the modules")
    func sources() async throws {
        let outcome = try await line.run(["sources"])
        #expect(outcome.code == .success)
        #expect(outcome.output.contains("\nflags     "))
    }

    @Test("sources TYPE shows options and template fields", arguments: ["flags", "flickr", "manifest"])
    func source(type: String) async throws {
        let outcome = try await line.run(["sources", type])
        #expect(outcome.code == .success)
        try expectGolden(outcome.output, "sources-\(type).txt")
    }

    @Test("an unknown module is a usage error")
    func unknownSource() async throws {
        #expect(
            try await line.run(["sources", "flag"])
                == .init(
                    code: .usage, output: "",
                    errors: "runner: there is no source 'flag'; did you mean 'flags'?\n"
                        + "usage: runner sources [FLAG...] [TYPE|CMD]\n"))
    }

    // MARK: doctor

    @Test("doctor finds a machine that builds this in order")
    func doctor() async throws {
        let outcome = try await line.run(["doctor"])
        #expect(outcome.output.contains("ok       runner       \(runnerVersion)\n"))
        #expect(
            outcome.output.contains("catalog      FOLDER/runner.sqlite, not there yet; the first run makes it\n"))
        #expect(outcome.errors.isEmpty)
    }

    @Test("doctor calls a file that is no catalog a problem and exits 1")
    func brokenCatalog() async throws {
        _ = try line.file("runner.sqlite", String(repeating: "no database ", count: 1_000))
        let outcome = try await line.run(["doctor"])
        #expect(outcome.code == .partial)
        #expect(outcome.output.contains("problem  catalog      FOLDER/runner.sqlite: "))
    }

    // MARK: report

    private func makeCatalog() throws {
        let connection = try CatalogLocation.openForWriting(line.path("runner.sqlite"))
        defer { connection.close() }
        try connection.execute(
            """
            INSERT INTO job (name, file, directory, created_at) VALUES ('flags', '/f.yaml', '/f', 1);
            INSERT INTO run (job, started_at, finished_at, outcome, downloaded, runner_version, libcurl_version, host, pid)
                VALUES ('flags', 1000000, 2000000, 'complete', 1, '0', '0', 'h', 1),
                ('flags', 3000000, 4000000, 'complete', 0, '0', '0', 'h', 1);
            """)
    }

    @Test("report shows the last run, or the one that was asked for")
    func report() async throws {
        try makeCatalog()
        let file = try line.file("flags.yaml", Self.job)
        for arguments in [["report", "flags"], ["report", file], ["report", "flags", "--run", "last"]] {
            let outcome = try await line.run(arguments)
            #expect(outcome.code == .success)
            #expect(outcome.output.hasPrefix("flags  run 2  complete\n"))
            #expect(!outcome.output.contains("run 1"))
        }
        #expect(try await line.run(["report", "--run", "1"]).output.hasPrefix("flags  run 1  complete\n"))
        // Of several a line each: a heading, the runs, and how to go on.
        #expect(try await line.run(["report"]).output.split(separator: "\n").count == 3)
        #expect(try await line.run(["report", "--run", "all"]).output.split(separator: "\n").count == 4)
        #expect(try await !line.run(["report", "--since", "1h"]).output.contains("complete"))
    }

    @Test("report --format json is one document")
    func reportJSON() async throws {
        try makeCatalog()
        let outcome = try await line.run(["report", "--format", "json", "--run", "all"])
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: [[String: Any]]])
        #expect(Set(try #require(document["runs"]).compactMap { $0["id"] as? Int }) == [1, 2])
    }

    @Test("report --output writes the file and nothing else")
    func reportFile() async throws {
        try makeCatalog()
        let outcome = try await line.run(["report", "flags", "--output", line.path("report.txt")])
        #expect(outcome == .init(code: .success, output: "", errors: ""))
        #expect(try String(contentsOfFile: line.path("report.txt"), encoding: .utf8).hasPrefix("flags  run 2"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: line.folder.path()).allSatisfy { !$0.contains("part") })
    }

    @Test("a catalog that is missing exits 2")
    func reportWithoutCatalog() async throws {
        let outcome = try await line.run(["report"])
        #expect(outcome.code == .failed)
        #expect(outcome.errors.hasPrefix("runner: there is no catalog at FOLDER/runner.sqlite"))
    }

    @Test(
        "a job or run that the catalog does not know is a usage error",
        arguments: [
            (["report", "flgas"], "runner: the catalog has no job 'flgas'; did you mean 'flags'?"),
            (["report", "zebra"], "runner: the catalog has no job 'zebra'; it has flags"),
            (["report", "--run", "99"], "runner: the catalog has no run 99"),
        ])
    func reportUnknown(arguments: [String], message: String) async throws {
        try makeCatalog()
        let outcome = try await line.run(arguments)
        #expect(outcome.code == .usage)
        #expect(outcome.errors == message + "\nusage: runner report [FLAG...] [JOB...]\n")
    }
}
