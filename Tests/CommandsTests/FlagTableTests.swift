import Testing

@testable import Commands

@Suite("Flags", .timeLimit(.minutes(1)))
struct FlagTableTests {
    @Test("a name belongs to one flag of a command, a letter to one flag", arguments: Command.allCases)
    func unique(_ command: Command) {
        let names = FlagTable.all.filter { $0.commands.contains(command) }.map(\.name)
        let letters = FlagTable.all.compactMap(\.letter)
        #expect(Set(names).count == names.count)
        #expect(Set(letters).count == letters.count)
    }

    @Test("submit waits without a time, a run for so long")
    func wait() {
        #expect(FlagTable.all.flag(named: "wait", of: .submit)?.valueName == nil)
        for command in [Command.run, nil] {
            #expect(FlagTable.all.flag(named: "wait", of: command)?.valueName == "DURATION")
        }
    }

    @Test(
        "each command takes the flags that its users rely on",
        arguments: [
            (
                Command.run,
                [
                    "set", "database", "concurrency", "failed", "refresh", "only", "limit", "deadline", "progress",
                    "quiet", "verbose", "keep-going", "job", "wait", "jitter", "log", "log-level", "log-format",
                ]
            ),
            (.check, ["set"]),
            (.plan, ["set", "database", "only", "limit"]),
            (
                .report,
                [
                    "run", "items", "collections", "failures", "slowest", "since", "format", "output", "database",
                    "hosts", "new", "shards",
                    "safe-csv", "compare", "fail-if", "gallery",
                ]
            ),
            (.shards, ["only", "limit", "failed", "refresh", "set", "database", "count", "hours", "to"]),
            (.shard, ["deadline", "checkpoint", "output"]),
            (.merge, ["database", "follow"]),
            (
                .submit,
                [
                    "only", "limit", "failed", "refresh", "set", "database", "count", "hours", "to", "engine",
                    "max-parallel",
                    "wait", "print", "image", "volume",
                ]
            ),
            (.sources, []),
            (.source, ["options"]),
            (.adopt, ["set", "database", "quiet", "verbose", "log", "log-level", "log-format"]),
            (
                .schedule,
                ["every", "daily", "cron", "user", "install", "format", "database", "deadline", "wait", "jitter"]
            ),
            (.doctor, ["database", "dns"]),
            (.completions, []),
            (.man, []),
            (.help, []),
        ])
    func commands(command: Command, names: [String]) {
        let taken = FlagTable.all.filter { $0.commands.contains(command) }.map(\.name)
        #expect(Set(taken) == Set(names + ["help", "version"]))
    }

    @Test("only the flags that gather values may be repeated")
    func repeatable() {
        #expect(Set(FlagTable.all.filter(\.isRepeatable).map(\.name)) == ["set", "only", "fail-if", "host"])
    }
}
