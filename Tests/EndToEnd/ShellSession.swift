import Glibc
import TestSupport

/// A shell at its prompt, into which a test types: bash(1) or zsh(1) in a terminal of tmux(1).
///
/// What stands on the command line is asked of the shell itself, which answers when it has done with the keys before.
final class ShellSession: Sendable {
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh
    }

    private let workplace: Workplace
    private let shell: Shell
    private let directory: TemporaryDirectory
    private let tmux: TmuxServer
    /// The command lines that the shell answered with, a line each.
    private let answers: RunningProgram

    init(_ shell: Shell, in workplace: Workplace) throws {
        self.workplace = workplace
        self.shell = shell
        directory = try TemporaryDirectory()
        tmux = TmuxServer(workplace, in: directory)
        let pipe = directory.path("answers")
        guard mkfifo(pipe, 0o600) == 0 else { throw TestSupportError("no pipe") }
        answers = try RunningProgram(["/bin/cat", pipe], environment: workplace.environment, directory: directory.path)
        let program = Workplace.Program.runner.path
        let script = try workplace.run(["completions", shell.rawValue], with: .runner).output
        switch shell {
        case .bash:
            try directory.write(script, to: "completion")
            try directory.write(
                """
                PATH=\(program.dropLast("/runner".count)):$PATH PS1='> '
                exec 9<>\(pipe)
                answer() { printf '%s\\n' "$READLINE_LINE" >&9; READLINE_LINE= READLINE_POINT=0; }
                bind 'set bell-style none' 2>/dev/null
                bind -x '"\\C-g": answer'
                bind '"\\C-t": insert-completions'
                source \(directory.path("completion"))
                echo ready >&9

                """, to: "rc")
        case .zsh:
            // Where the shell looks for functions, as `make install` puts it.
            try directory.write(script, to: "functions/_runner")
            try directory.write(
                """
                PATH=\(program.dropLast("/runner".count)):$PATH PS1='> '
                exec 9<>\(pipe)
                fpath=(\(directory.path("functions")) $fpath)
                autoload -Uz compinit && compinit -u -d \(directory.path("dump"))
                answer() { print -r -- "$BUFFER" >&9; BUFFER= }
                zle -N answer
                bindkey -e
                bindkey '^G' answer
                zle -C all complete-word _generic
                zstyle ':completion:all:*' completer _all_matches _complete
                zstyle ':completion:all:*' insert true
                bindkey '^T' all
                setopt no_beep
                echo ready >&9

                """, to: ".zshrc")
        }
        try start()
        try answers.waitForOutput { $0.hasPrefix("ready\n") }
    }

    private func start() throws {
        let command =
            switch shell {
            case .bash: ["/bin/bash", "--noprofile", "--rcfile", directory.path("rc"), "-i"]
            case .zsh: ["env", "ZDOTDIR=\(directory.path)", "zsh", "-i"]
            }
        _ = try tmux.run(
            ["-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50", "-c", workplace.directory.path] + command)
    }

    /// What the line is after a tab; spaces at its end show that the word is complete.
    func complete(_ typed: String) throws -> String {
        try press("Tab", after: typed)
    }

    /// The line with all completions of the last word in its place.
    func completions(_ typed: String) throws -> [String] {
        try press("C-t", after: typed).split(separator: " ").map(String.init)
    }

    private func press(_ key: String, after typed: String) throws -> String {
        var before = 0
        try answers.waitForOutput { text in
            before = text.split(separator: "\n", omittingEmptySubsequences: false).count
            return true
        }
        _ = try tmux.run(["send-keys", "-l", typed])
        _ = try tmux.run(["send-keys", key])
        _ = try tmux.run(["send-keys", "C-g"])
        var answer = ""
        try answers.waitForOutput { text in
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.count > before else { return false }
            answer = String(lines[before - 1])
            return true
        }
        return answer
    }
}
