import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into two calls: the first asks a run to stop, the second to stop at once. The third
/// ends the process there and then, whatever it waits for.
///
/// The default actions stay off until the process ends; ``ExitCode/end()`` restores the one it needs.
final class SignalWatch {
    private let sources: [any DispatchSourceSignal]
    private let tally = Tally()

    /// The signal that stopped the process first, if any.
    var received: Int32? { tally.first }

    /// Watches from now on.
    ///
    /// - Parameters:
    ///   - stop: on the first signal, with its name; on a queue of the watch, as `abort`.
    ///   - abort: on the second.
    init(stop: @escaping @Sendable (_ name: String) -> Void, abort: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "runner.signals")
        // Whatever the calls wait for, signals are counted.
        let calls = DispatchQueue(label: "runner.signals.calls")
        let tally = tally
        sources = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP")].compactMap { number, name in
            // nohup(1) has SIGHUP ignored, a shell without job control the SIGINT of what it starts in the background.
            if isIgnored(number) { return nil }
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                for _ in 0..<max(1, source.data) {
                    switch tally.count(number) {
                    case 1: calls.async { stop(name) }
                    case 2: calls.async { abort() }
                    default:
                        TerminalGuard.giveBackTerminal()
                        ExitCode.signal(number).end()
                    }
                }
            }
            source.activate()
            return source
        }
    }

    /// Stops watching.
    func cancel() {
        for source in sources { source.cancel() }
    }

    /// How many signals came, and which was the first.
    private final class Tally: Sendable {
        private let state = Mutex<(first: Int32?, count: Int)>((nil, 0))

        var first: Int32? { state.withLock(\.first) }

        func count(_ number: Int32) -> Int {
            state.withLock { state in
                state.first = state.first ?? number
                state.count += 1
                return state.count
            }
        }
    }
}

/// Whether a signal is passed over, as its number was inherited or set.
func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
