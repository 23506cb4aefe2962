import TestSupport

/// A tmux(1) server of its own, which ends with this.
final class TmuxServer: Sendable {
    private let workplace: Workplace
    private let directory: TemporaryDirectory

    /// - Parameter directory: where its socket is.
    init(_ workplace: Workplace, in directory: TemporaryDirectory) {
        self.workplace = workplace
        self.directory = directory
    }

    deinit {
        _ = try? run(["kill-server"])
    }

    /// Runs one of tmux's commands; throws what it complains of.
    func run(_ arguments: [String]) throws -> RunningProgram.Result {
        var environment = workplace.environment
        environment["TMUX_TMPDIR"] = directory.path
        let result = try RunningProgram(
            ["tmux", "-u"] + arguments, environment: environment, directory: workplace.directory.path
        ).wait()
        guard result.ending == .exit(0) else { throw TestSupportError("tmux \(arguments): \(result.errors)") }
        return result
    }
}
