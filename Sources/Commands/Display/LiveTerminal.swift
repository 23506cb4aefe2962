import Glibc

/// The terminal that a session is shown on: its size, its keys, and whose turn it is. On the display's queue only.
///
/// While the process is in the foreground, keys come one by one and are not echoed. In the background the terminal
/// belongs to another job: nothing is read, and no mode is changed.
final class LiveTerminal {
    private let screen: Int32
    private let keyboard: Int32?
    private let fallback: ScreenSize
    private var reader = KeyReader()
    /// Modes as they were, once they have been changed.
    private var original: termios?
    private var hasModes = false

    /// - Parameter fallback: for terminals that do not tell their size.
    init(screen: Int32 = STDERR_FILENO, keyboard: Int32 = STDIN_FILENO, fallback: ScreenSize = .standard) {
        self.screen = screen
        self.fallback = fallback
        self.keyboard = Self.takesKeys(keyboard, output: STDOUT_FILENO) ? keyboard : nil
    }

    /// From now on a write from the background, under `stty tostop`, does not stop the process, and a read fails there.
    static func surviveBackground() {
        signal(SIGTTOU, SIG_IGN)
        signal(SIGTTIN, SIG_IGN)
    }

    /// Keys are for whoever is alone at the keyboard: behind a pipe there may be a pager.
    private static func takesKeys(_ keyboard: Int32, output: Int32) -> Bool {
        var information = stat()
        guard isatty(keyboard) == 1, tcgetpgrp(keyboard) >= 0 else { return false }
        return fstat(output, &information) != 0 || information.st_mode & S_IFMT != S_IFIFO
    }

    var hasKeyboard: Bool { keyboard != nil }

    var size: ScreenSize { Terminal.size(of: screen) ?? fallback }

    /// Whether the process may draw. A terminal that is not the process's controlling one has no foreground.
    var isForeground: Bool {
        let group = tcgetpgrp(screen)
        return group < 0 || group == getpgrp()
    }

    /// Takes the keys. Nothing changes when they are taken already, or in the background.
    func enter() {
        guard let keyboard, !hasModes, isForeground else { return }
        var modes = termios()
        guard tcgetattr(keyboard, &modes) == 0 else { return }
        // Modes without lines are this process's own, left when it was stopped by a signal that nobody can catch.
        if original == nil || modes.c_lflag & tcflag_t(ICANON) != 0 { original = modes }
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &modes.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        guard tcsetattr(keyboard, TCSANOW, &modes) == 0 else { return }
        hasModes = true
        if let original { TerminalGuard.arm(original, keyboard: keyboard, screen: screen) }
    }

    /// Gives the keys back.
    func leave() {
        TerminalGuard.disarm()
        guard let keyboard, hasModes, var original, isForeground else { return }
        hasModes = false
        _ = tcsetattr(keyboard, TCSANOW, &original)
    }

    /// The process was stopped and goes on: a shell may have changed the modes in between.
    func resume() {
        hasModes = false
    }

    /// The keys that were pressed since the last call; never waits.
    func keys() -> [Key] {
        guard let keyboard, hasModes else { return [] }
        var wait = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        var buffer = [UInt8](repeating: 0, count: 64)
        guard poll(&wait, 1, 0) > 0, wait.revents & Int16(POLLIN) != 0 else { return [] }
        let count = read(keyboard, &buffer, buffer.count)
        return count > 0 ? reader.keys(in: buffer.prefix(count)) : []
    }

    /// Stops the process as Ctrl-Z would have, and returns when it goes on.
    static func stopProcess() {
        var previous = sigaction()
        var standard = sigaction()
        standard.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(SIGTSTP, &standard, &previous)
        var set = sigset_t()
        var blocked = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &set, &blocked)
        // To this thread: one that is sent to the process could be read by Dispatch, which watches it.
        pthread_kill(pthread_self(), SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &blocked, nil)
        sigaction(SIGTSTP, &previous, nil)
    }
}
