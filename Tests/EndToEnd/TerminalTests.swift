import Glibc
import TestSupport
import Testing

/// A run in a terminal, as a person sees it: tmux(1) is the terminal.
@Suite("End to end: on a terminal", .wholeProgramLimit)
struct TerminalTests {
    @Test("a live line while it runs, and nothing but the summary afterwards", arguments: [80, 40])
    func liveLine(_ columns: Int) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/2")
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 3"])
        let terminal = try Terminal(workplace, columns: columns)
        try terminal.start([Workplace.Program.testRunner.path, "job.yaml"])
        // Drawn anew until the server lets go.
        try terminal.waitForOutput { $0.contains("2 of 3 items") }
        let line = try #require(try terminal.screen().first { $0.contains("2 of 3 items") })
        #expect(line.hasPrefix("list"))
        #expect(line.count < columns)
        server.release("/2")
        try terminal.waitForEnd()

        let screen = try terminal.screen().joined()
        #expect(screen.hasPrefix("list: 3 downloaded, 0 unchanged, 0 fresh, 0 failed, "))
        #expect(screen.hasSuffix("status 0"))
        #expect(!screen.contains("of 3 items"))
    }

    @Test("names with escape sequences leave the terminal alone")
    func hostileNames() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .status(404) }
        try workplace.writeJob(
            source: ["items: [{key: a, url: '\(server.url("/a"))', title: \"\\e[2J\\e]0;owned\\a\\e[31mtitle\"}]"])
        let terminal = try Terminal(workplace, columns: 200)
        try terminal.start([Workplace.Program.testRunner.path, "job.yaml"])
        try terminal.waitForEnd()
        let screen = try terminal.screen()
        #expect(screen.first?.hasPrefix("failed  list ") == true)
        #expect(screen.first?.contains("owned") == true)
        #expect(try terminal.title() != "owned")
    }

    @Test("Ctrl-C drains the run, and the shell sees that it ended by the signal")
    func interrupt() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/0")
        try workplace.writeJob(
            source: ["template: '\(server.url("/{n}"))'", "count: 3"], transfer: ["concurrency: 1"])
        let terminal = try Terminal(workplace, columns: 120)
        try terminal.start([Workplace.Program.testRunner.path, "job.yaml"])
        try server.waitForRequests(1)
        try terminal.press("C-c")
        try terminal.waitForOutput { $0.contains("SIGINT: no new transfers") }
        server.release("/0")
        try terminal.waitForEnd()
        let screen = try terminal.screen()
        #expect(screen.contains { $0.contains("1 downloaded, 0 unchanged, 0 fresh, 0 failed, 2 cancelled") })
        #expect(screen.last == "status 130")
    }
}

/// A terminal of its own, in which one command runs.
private final class Terminal: Sendable {
    private let workplace: Workplace
    private let directory: TemporaryDirectory
    private let columns: Int
    /// Everything that is written to the terminal.
    private let output: RunningProgram

    init(_ workplace: Workplace, columns: Int) throws {
        self.workplace = workplace
        self.columns = columns
        directory = try TemporaryDirectory()
        let pipe = directory.path("output")
        guard mkfifo(pipe, 0o600) == 0 else { throw TestSupportError("no pipe") }
        output = try RunningProgram(
            ["/bin/cat", pipe], environment: workplace.environment, directory: directory.path)
        try directory.write(
            """
            # A shell without job control would end with a program that SIGINT ended.
            trap : INT
            tmux wait-for begin
            "$@"
            printf 'status %s\\n' "$?"
            tmux wait-for -S end
            tmux wait-for never

            """, to: "session.sh")
        try directory.write("set -g default-terminal screen\nset -g remain-on-exit on\n", to: "tmux.conf")
    }

    deinit {
        _ = try? tmux(["kill-server"])
    }

    /// Starts the command, after the output is being read.
    func start(_ command: [String]) throws {
        _ = try tmux(
            [
                "-f", directory.path("tmux.conf"), "new-session", "-d", "-x", "\(columns)", "-y", "30", "/bin/bash",
                directory.path("session.sh"),
            ] + command)
        _ = try tmux(["pipe-pane", "cat > \(directory.path("output"))"])
        _ = try tmux(["wait-for", "-S", "begin"])
    }

    func waitForOutput(until condition: (String) -> Bool) throws {
        try output.waitForOutput(until: condition)
    }

    /// Waits until the command has ended and its status is on the screen.
    func waitForEnd() throws {
        _ = try tmux(["wait-for", "end"])
    }

    func press(_ key: String) throws {
        _ = try tmux(["send-keys", key])
    }

    /// The lines on the screen that have something on them.
    func screen() throws -> [String] {
        try tmux(["capture-pane", "-p"]).lines
    }

    func title() throws -> String {
        try tmux(["display-message", "-p", "#{pane_title}"]).output
    }

    private func tmux(_ arguments: [String]) throws -> RunningProgram.Result {
        var environment = workplace.environment
        environment["TMUX_TMPDIR"] = directory.path
        let result = try RunningProgram(
            ["tmux", "-u"] + arguments, environment: environment, directory: workplace.directory.path
        ).wait()
        guard result.ending == .exit(0) else { throw TestSupportError("tmux \(arguments): \(result.errors)") }
        return result
    }
}
