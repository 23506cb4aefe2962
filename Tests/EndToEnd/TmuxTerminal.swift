import Glibc
import TestSupport

/// A terminal of its own, made by tmux(1), in which one command or a shell runs.
final class TmuxTerminal: Sendable {
    private let workplace: Workplace
    private let directory: TemporaryDirectory
    private let tmux: TmuxServer
    private let size: (columns: Int, rows: Int)
    /// Everything that is written to the terminal.
    private let output: RunningProgram

    init(_ workplace: Workplace, columns: Int = 80, rows: Int = 30) throws {
        self.workplace = workplace
        size = (columns, rows)
        directory = try TemporaryDirectory()
        tmux = TmuxServer(workplace, in: directory)
        let pipe = directory.path("output")
        guard mkfifo(pipe, 0o600) == 0 else { throw TestSupportError("no pipe") }
        output = try RunningProgram(
            ["/bin/cat", pipe], environment: workplace.environment, directory: directory.path)
        try directory.write(
            """
            # A shell without job control would end with a program that a signal from the keyboard ended.
            trap : INT QUIT
            tmux wait-for begin
            bash -c 'echo $$ > "$0"; exec "$@"' \(directory.path("pid")) "$@"
            printf 'status %s\\n' "$?"
            stty -a > \(directory.path("modes"))
            tmux wait-for -S end
            tmux wait-for never

            """, to: "session.sh")
        try directory.write("set -g default-terminal screen\nset -g remain-on-exit on\n", to: "tmux.conf")
    }

    /// Starts the command, after the output is being read.
    func start(_ command: [String]) throws {
        try open(["/bin/bash", directory.path("session.sh")] + command)
        _ = try tmux.run(["wait-for", "-S", "begin"])
    }

    /// Starts a shell with job control, whose prompt is `$ `.
    func startShell() throws {
        let file = try directory.write("PS1='$ '\n", to: "shellrc")
        try open(["/bin/bash", "--noprofile", "--rcfile", file, "-i"])
        try waitForScreen { $0.last == "$" }
    }

    private func open(_ command: [String]) throws {
        _ = try tmux.run(
            [
                "-f", directory.path("tmux.conf"), "new-session", "-d", "-x", "\(size.columns)", "-y", "\(size.rows)",
            ] + command)
        _ = try tmux.run(["pipe-pane", "cat > \(directory.path("output"))"])
    }

    func waitForOutput(until condition: (String) -> Bool) throws {
        try output.waitForOutput(until: condition)
    }

    /// Waits until the lines on the screen that have something on them fulfil a condition, and returns them.
    ///
    /// The screen is looked at whenever something was written to it.
    @discardableResult
    func waitForScreen(until condition: ([String]) -> Bool) throws -> [String] {
        var screen: [String] = []
        do {
            try output.waitForOutput { _ in
                screen = (try? self.screen()) ?? []
                return condition(screen)
            }
        } catch {
            throw TestSupportError(
                "the screen never showed what was awaited; it shows\n" + screen.joined(separator: "\n"))
        }
        return screen
    }

    /// Waits until the command has ended and its status is on the screen.
    func waitForEnd() throws {
        _ = try tmux.run(["wait-for", "end"])
    }

    func press(_ keys: String...) throws {
        _ = try tmux.run(["send-keys"] + keys)
    }

    /// Types a line for the shell.
    func type(_ line: String) throws {
        _ = try tmux.run(["send-keys", "-l", line])
        try press("Enter")
    }

    /// Sends a signal to the command.
    func send(_ signal: Int32) throws {
        let text = directory.read("pid").map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard let number = Int32(text.filter(\.isNumber)), kill(number, signal) == 0 else {
            throw TestSupportError("no command to be sent a signal")
        }
    }

    func resize(columns: Int, rows: Int) throws {
        _ = try tmux.run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The lines on the screen that have something on them, without the marks that keep rows from being turned.
    func screen() throws -> [String] {
        try tmux.run(["capture-pane", "-p"]).lines.map { line in
            var text = ""
            text.unicodeScalars.append(contentsOf: line.unicodeScalars.filter { $0 != "\u{200e}" })
            return text
        }
    }

    /// What is on the screen and what has left it at its top.
    func history() throws -> [String] {
        try tmux.run(["capture-pane", "-p", "-S", "-"]).lines
    }

    func title() throws -> String {
        try tmux.run(["display-message", "-p", "#{pane_title}"]).output
    }

    func isCursorVisible() throws -> Bool {
        try tmux.run(["display-message", "-p", "#{cursor_flag}#{wrap_flag}"]).lines == ["11"]
    }

    /// The terminal's modes as stty(1) tells them after the command's end.
    func modes() -> Set<String> {
        let text = directory.read("modes").map { String(decoding: $0, as: UTF8.self) } ?? ""
        return Set(text.split { $0 == " " || $0 == ";" || $0 == "\n" }.map(String.init))
    }
}
