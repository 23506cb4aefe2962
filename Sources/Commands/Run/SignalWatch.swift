import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into two calls: the first asks a run to stop, the second to stop at once.
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
    ///   - stop: on the first signal, with its name; on a queue of the watch.
    ///   - abort: on the second and each later one.
    init(stop: @escaping @Sendable (_ name: String) -> Void, abort: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "runner.signals")
        let tally = tally
        sources = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP")].compactMap { number, name in
            // nohup(1) has SIGHUP ignored, and it stays so.
            if number == SIGHUP, isIgnored(number) { return nil }
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { tally.count(number) == 1 ? stop(name) : abort() }
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
