import Glibc
import TestSupport
import Testing

@testable import SourcesCommand

@Suite("Scripts and their ends", .timeLimit(.minutes(1)))
struct ScriptProcessTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func launch(_ script: String, _ configure: (inout ScriptProcess.Launch) -> Void = { _ in }) -> ScriptProcess
    {
        var launch = ScriptProcess.Launch(
            program: "/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin"],
            folder: directory.path)
        configure(&launch)
        return ScriptProcess(launch)
    }

    /// All lines to the end, and the end.
    private func everything(_ script: ScriptProcess) async -> (lines: [String], end: ScriptProcess.End) {
        var lines: [String] = []
        while true {
            switch await script.next() {
            case .lines(let more): lines += more.map { String(decoding: $0, as: UTF8.self) }
            case .ended(let end): return (lines, end)
            }
        }
    }

    /// The processes that a script has named in a file, one a line, are no more.
    private func isOver(_ file: String) -> Bool {
        let numbers = String(decoding: directory.read(file) ?? [], as: UTF8.self).split(separator: "\n").compactMap {
            pid_t($0)
        }
        return !numbers.isEmpty && numbers.allSatisfy { kill($0, 0) != 0 && errno == ESRCH }
    }

    @Test("lines go both ways")
    func lines() async {
        let script = launch("while read -r line; do echo \"<$line>\"; done")
        script.send(Array("one".utf8))
        script.send(Array("hai ba".utf8))
        script.finish()
        let (lines, end) = await everything(script)
        #expect(lines == ["<one>", "<hai ba>"])
        #expect(end == .init(cause: .exited(0), words: []))
    }

    @Test("a hundred thousand lines come in order, and are not read ahead of their reader")
    func many() async {
        let script = launch("seq 100000; echo over > over")
        guard case .lines(let first) = await script.next() else {
            Issue.record("no lines")
            return
        }
        #expect(directory.read("over") == nil)
        let (lines, _) = await everything(script)
        let all = first.map { String(decoding: $0, as: UTF8.self) } + lines
        #expect(all == (1...100_000).map(String.init))
    }

    @Test("a script that ignores the end of its input and SIGTERM is killed, with what it has started")
    func stubborn() async {
        let script = launch(
            "trap '' TERM; sleep 1000 & echo $$ > pids; echo $! >> pids; echo ready; while :; do sleep 1000; done"
        ) { launch in
            launch.endTime = 1_000
            launch.terminationTime = 1_000
        }
        guard case .lines = await script.next() else {
            Issue.record("it did not begin")
            return
        }
        script.finish()
        let (_, end) = await everything(script)
        #expect(end.cause == .signal(SIGKILL) || end.cause == .exited(128 + SIGKILL))
        #expect(isOver("pids"))
    }

    @Test("a script that ends on SIGTERM may do so in its own way")
    func terminated() async {
        let script = launch("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done") { launch in
            launch.endTime = 1_000
        }
        guard case .lines = await script.next() else {
            Issue.record("it did not begin")
            return
        }
        script.finish()
        let (lines, end) = await everything(script)
        #expect(lines == ["bye"])
        #expect(end.cause == .exited(7))
    }

    @Test("what a script leaves behind is ended with it, in a session of its own, too")
    func leftBehind() async {
        let script = launch(
            "setsid sleep 1000 & sleep 1000 & echo $! > pids; setsid sh -c 'echo $$ >> pids; echo on; sleep 1000' & read -r line"
        )
        guard case .lines = await script.next() else {
            Issue.record("it did not begin")
            return
        }
        script.finish()
        let (_, end) = await everything(script)
        #expect(end.cause == .exited(1))
        #expect(isOver("pids"))
    }

    @Test("the last twenty lines of standard error are kept")
    func words() async {
        let (_, end) = await everything(launch("for i in $(seq 30); do echo line $i >&2; done; exit 4"))
        #expect(end.cause == .exited(4))
        #expect(end.words == (11...30).map { "line \($0)" })
    }

    @Test("a program that can't be started says why")
    func unstartable() async {
        let (_, end) = await everything(launch("") { $0.program = "/no/such/program" })
        #expect(end.cause == .notStarted("No such file or directory"))
    }
}
