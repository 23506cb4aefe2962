import Glibc

/// How the process ends.
package enum ExitCode: Equatable, Sendable {
    case success
    /// Some items failed, or the deadline or a key cut the run; `doctor`: a problem.
    case partial
    /// The list, the disk or the catalog failed.
    case failed
    /// EX_USAGE of sysexits.h.
    case usage
    /// EX_UNAVAILABLE: no such run is at work.
    case unavailable
    /// EX_TEMPFAIL: another run holds the job's lock.
    case locked
    /// EX_CONFIG: a job file is invalid or missing.
    case invalidJob
    /// The process ends by the signal that stopped it, so that a shell sees 128 and its number.
    case signal(Int32)

    /// As a shell shows it in `$?`.
    var number: Int32 {
        switch self {
        case .success: 0
        case .partial: 1
        case .failed: 2
        case .usage: 64
        case .unavailable: 69
        case .locked: 75
        case .invalidJob: 78
        case .signal(let signal): 128 + signal
        }
    }

    /// The worst of several endings: a signal, then 2, 1, 75 and 0. What stops a command before anything runs, 64 and
    /// 78, is worse than any but a signal.
    static func worst(of codes: [ExitCode]) -> ExitCode {
        codes.max { $0.rank < $1.rank } ?? .success
    }

    private var rank: Int {
        switch self {
        case .success: 0
        case .locked, .unavailable: 1
        case .partial: 2
        case .failed: 3
        case .invalidJob: 4
        case .usage: 5
        case .signal: 6
        }
    }

    /// Ends the process: by the signal itself where one stopped it, so that a shell or a supervisor sees the cause.
    func end() -> Never {
        if case .signal(let number) = self {
            Glibc.signal(number, SIG_DFL)
            // Dispatch leaves signals that it watched blocked in the threads that met them.
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, number)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            kill(getpid(), number)
        }
        exit(self.number)
    }
}
