import Glibc

/// A program that shows a text a screen at a time, on the terminal behind stdout: what `$PAGER` says.
struct Pager: Equatable, Sendable {
    /// For sh(1), which reads the text from its standard input.
    let command: String
    let environment: [String: String]

    /// The pager of the environment, as POSIX has it for man(1): the value of `PAGER`, `less` where it is not set. Nil
    /// where there is none to be used: `PAGER` is empty or `cat`, the terminal has no cursor, or there is no less.
    init?(environment: [String: String]) {
        let chosen = environment["PAGER"]?.trimmingSpaces
        switch chosen {
        case "", "cat": return nil
        case nil where !Self.isInstalled("less", environment["PATH"] ?? ""): return nil
        default: self.init(command: chosen ?? "less", environment: environment)
        }
    }

    init(command: String, environment: [String: String]) {
        self.command = command
        self.environment = environment
    }

    /// Whether lines that are wider than the terminal can be scrolled to: in less(1), unless its flags say otherwise.
    var scrollsSideways: Bool {
        let program = command.prefix { $0 != " " }
        return (program == "less" || program.hasSuffix("/less"))
            && (environment["LESS"] ?? Self.lessFlags).contains("S")
    }

    /// Quit if all is on one screen, pass colours on, chop long lines, leave the text on the screen.
    private static let lessFlags = "FRSX"

    private static func isInstalled(_ program: String, _ path: String) -> Bool {
        path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Runs the pager while `body` writes to it, and waits for its end.
    ///
    /// - Returns: false where the pager could not be started, and nothing was shown.
    /// - Throws: what `body` throws; ``OutputError/closedPipe`` when the pager was left before the end.
    func show(_ body: (ByteOutput) throws -> Void) throws -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        let (reading, writing) = (ends[0], ends[1])
        // Else the pager would hold the end that it waits for.
        _ = fcntl(writing, F_SETFD, FD_CLOEXEC)
        let process = start(reading: reading)
        close(reading)
        guard let process else {
            close(writing)
            return false
        }
        // Ctrl-C is for the pager; it would be left alone with the terminal.
        let interrupt = signal(SIGINT, SIG_IGN)
        let quit = signal(SIGQUIT, SIG_IGN)
        defer {
            signal(SIGINT, interrupt)
            signal(SIGQUIT, quit)
        }
        let result = Result {
            let output = ByteOutput(descriptor: writing, capacity: 65_536)
            try body(output)
            try output.flush()
        }
        close(writing)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // 126 and 127: the shell's words for a program that can't be run, or is not there.
        if status & 0x7F == 0, [126, 127].contains(status >> 8 & 0xFF) { return false }
        try result.get()
        return true
    }

    private func start(reading descriptor: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
        if descriptor != STDIN_FILENO { posix_spawn_file_actions_addclose(&actions, descriptor) }

        // What this process ignores, its children would ignore, too.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

        let variables = ["LESS": Self.lessFlags].merging(environment) { $1 }
        let arguments = ["sh", "-c", command]
        var words = arguments.map { strdup($0) } + [nil]
        var entries = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + entries { free(text) } }
        var process = pid_t()
        guard posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, &entries) == 0 else { return nil }
        return process
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
