import Testing

@testable import Commands

@Suite("Exit codes", .timeLimit(.minutes(1)))
struct ExitCodeTests {
    @Test(
        "several jobs end as the worst of them: a signal, 2, 1, 75, 0",
        arguments: [
            ([], ExitCode.success),
            ([.success, .success], .success),
            ([.success, .locked], .locked),
            ([.locked, .partial, .success], .partial),
            ([.partial, .failed, .locked], .failed),
            ([.failed, .signal(2), .partial], .signal(2)),
        ] as [([ExitCode], ExitCode)])
    func worst(codes: [ExitCode], expected: ExitCode) {
        #expect(ExitCode.worst(of: codes) == expected)
        #expect(ExitCode.worst(of: codes.reversed()) == expected)
    }

    @Test(
        "a shell sees the documented numbers",
        arguments: [
            (ExitCode.success, 0), (.partial, 1), (.failed, 2), (.usage, 64), (.locked, 75), (.invalidJob, 78),
            (.signal(2), 130), (.signal(15), 143), (.signal(1), 129),
        ] as [(ExitCode, Int32)])
    func numbers(code: ExitCode, number: Int32) {
        #expect(code.number == number)
    }
}
