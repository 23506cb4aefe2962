import Testing

@testable import Commands
@testable import Model

@Suite("Exit code of a run", .timeLimit(.minutes(1)))
struct RunCommandTests {
    @Test(
        "failures within allow_failed are forgiven, a cut or broken run is not",
        arguments: [
            (.complete, false, .success),
            (.partial, false, .partial),
            (.partial, true, .success),
            (.failed, false, .failed),
        ] as [(RunOutcome, Bool, ExitCode)])
    func codes(outcome: RunOutcome, isAcceptable: Bool, code: ExitCode) {
        var run = RunFinished.of("flags", outcome)
        run.isAcceptable = isAcceptable
        #expect(RunCommand.code(of: run) == code)
    }
}
