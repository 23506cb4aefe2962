import Catalog
import SQLite
import TestSupport
import Testing

@testable import Commands

@Suite("Completion", .timeLimit(.minutes(1)))
struct CompletionTests {
    private func completion(_ environment: [String: String] = [:]) -> Completion {
        Completion(registry: ContractTables.registry, environment: environment)
    }

    private func texts(_ words: String...) -> [String] {
        completion().candidates(for: words).words.map(\.text)
    }

    @Test("the first word is a command or a job file")
    func commands() {
        let candidates = completion().candidates(for: [""])
        #expect(candidates.files == .jobs)
        #expect(candidates.words.map(\.text) == Command.allCases.map(\.rawValue))
        #expect(candidates.words.allSatisfy { !$0.help.isEmpty })
        #expect(texts("re").first == "report")
        #expect(texts("jobs/a.yaml", "re") == [])
    }

    @Test("every flag of every command is offered, with a sign where a value is to follow", arguments: Command.allCases)
    func flags(command: Command) {
        let offered = Set(completion().candidates(for: [command.rawValue, "--"]).words.map(\.text))
        let taken = FlagTable.all.filter { $0.commands.contains(command) }
        #expect(offered == Set(taken.map { "--\($0.name)" + ($0.valueName == nil || $0.isValueOptional ? "" : "=") }))
    }

    @Test("a flag that was given is offered again only where it may be repeated")
    func givenFlags() {
        #expect(texts("plan", "--limit=3", "--only", "a*", "--l") == [])
        #expect(texts("plan", "--limit=3", "--only", "a*", "--o") == ["--only="])
        #expect(texts("run", "-q", "--qu") == [])
    }

    @Test(
        "the values of a flag that are words are offered in either form",
        arguments: [
            (["report", "--format", "j"], ["json", "jsonl"]), (["report", "--format=p"], ["--format=prometheus"]),
            (["run", "--progress", "p"], ["plain"]), (["a.yaml", "--progress=b"], ["--progress=bar"]),
            (["report", "--run", "l"], ["last"]), (["report", "--limit=3", "--"], nil), (["run", "--limit", ""], []),
            (["run", "--only", ""], []),
        ] as [([String], [String]?)])
    func values(words: [String], expected: [String]?) {
        guard let expected else { return }
        #expect(completion().candidates(for: words).words.map(\.text) == expected)
    }

    @Test(
        "files are asked for where they may stand",
        arguments: [
            (["run", ""], .jobs), (["check", "x"], .jobs), (["plan", ""], .jobs), (["plan", "a.yaml", ""], .none),
            (["report", ""], .jobs), (["run", "--database", ""], .all), (["report", "--output=x"], .all),
            (["run", "--limit", ""], .none), (["doctor", ""], .none), (["sources", ""], .all),
            (["source", "test", ""], .all),
            (["run", "--", "-"], .jobs), (["run", "-"], .none),
        ] as [([String], Candidates.Files)])
    func files(words: [String], files: Candidates.Files) {
        #expect(completion().candidates(for: words).files == files)
    }

    @Test("sources, shells, pages and commands are offered where they are meant")
    func words() {
        #expect(texts("sources", "fl") == ["flags", "flickr"])
        #expect(texts("completions", "") == ["bash", "zsh"])
        #expect(texts("man", "") == ["runner", "runner-job"])
        #expect(texts("help", "pl") == ["plan"])
        #expect(texts("sources", "flags", "") == [])
    }

    @Test("--set offers every key of a job file and of every source, then the values that are words")
    func keys() {
        let keys = texts("run", "--set", "")
        for key in ["name=", "transfer.rate=", "output.path=", "source.type=", "source.language=", "source.api_key="] {
            #expect(keys.contains(key))
        }
        #expect(!keys.contains("transfer="))
        #expect(Set(keys).count == keys.count)
        #expect(texts("run", "--set=refresh=") == ["changed", "always", "never"].map { "--set=refresh=\($0)" })
        #expect(
            texts("run", "--set", "transfer.allow_private_addresses=t") == ["transfer.allow_private_addresses=true"])
        #expect(texts("run", "--set", "source.size=m") == ["source.size=medium"])
    }

    @Test("jobs, collections and runs come from the catalog that the line names")
    func catalog() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("c.sqlite")
        let connection = try CatalogLocation.openForWriting(path)
        try connection.execute(
            """
            INSERT INTO job (name, file, directory, created_at) VALUES ('flags', '/jobs/flags.yaml', '/out', 0), ('Ảnh', '/jobs/a.yaml', '/out2', 0);
            INSERT INTO collection (job, key, title, position) VALUES ('flags', 'place:1 a', 'Huế', 0);
            INSERT INTO run (job, started_at, outcome, runner_version, libcurl_version, host, pid)
                VALUES ('flags', 0, 'partial', '', '', '', 0);
            """)
        connection.close()
        let named = completion().candidates(for: ["report", "--database", path, ""])
        #expect(Set(named.words.map(\.text)) == ["flags", "Ảnh"])
        #expect(named.words.first { $0.text == "flags" }?.help == "/jobs/flags.yaml")
        let runs = completion(["RUNNER_DATABASE": path]).candidates(for: ["report", "--run", ""]).words
        #expect(runs.map(\.text) == ["1", "last", "all"])
        #expect(runs.first?.help.hasPrefix("flags, ") == true)
        let tilde = completion(["HOME": directory.path]).candidates(for: ["report", "--database=~/c.sqlite", "f"])
        #expect(tilde.words.map(\.text) == ["flags"])
    }

    @Test("without a catalog no name is offered, and nothing is said")
    func noCatalog() {
        #expect(completion(["RUNNER_DATABASE": "/nonexistent"]).candidates(for: ["report", ""]).words == [])
        #expect(completion().candidates(for: ["report", "--run", ""]).words.map(\.text) == ["last", "all"])
    }

    @Test("what no line can hold is not offered, and help is made safe")
    func lines() {
        let candidates = Candidates(files: .jobs, words: [.init("a", "x\u{1B}[2J"), .init("b\nc"), .init("d\te")])
        #expect(candidates.lines == "jobs\na\tx\u{FFFD}[2J\n")
    }

    @Test("a shell that there are no completions for is a usage error")
    func unknownShell() async throws {
        let outcome = try await TestCommandLine().run(["completions", "fish"])
        #expect(outcome.code == .usage)
        #expect(outcome.errors.hasPrefix("runner: there are no completions for 'fish'; there are some for bash, zsh\n"))
    }

    @Test("completions -- WORD... prints what the scripts read")
    func question() async throws {
        let outcome = try await TestCommandLine().run(["completions", "bash", "--", "report", "--form"])
        #expect(
            outcome
                == .init(
                    code: .success,
                    output:
                        "none\n--format=\tfor people (default) or for other programs; report has all but systemd and crontab, which are schedule's\n",
                    errors: "")
        )
    }
}
