import Core
import Synchronization

/// What keys do to a session.
final class RunKeys: Sendable {
    private struct State {
        var isPaused = false
        var isStopping = false
    }

    private let session: Session
    private let display: RunDisplay
    private let state = Mutex(State())

    init(_ session: Session, _ display: RunDisplay) {
        self.session = session
        self.display = display
    }

    func press(_ key: Key) {
        switch key {
        case .pause:
            let isPaused = state.withLock { state in
                state.isPaused.toggle()
                return state.isPaused
            }
            if isPaused { session.pause() } else { session.resume() }
        case .more: session.changeConcurrency { min(Self.most, $0 + Self.step($0)) }
        case .fewer: session.changeConcurrency { $0 - Self.step($0) }
        case .quit:
            let isFirst = state.withLock { state in
                defer { state.isStopping = true }
                return !state.isStopping
            }
            if isFirst {
                session.stop(.request)
                display.tell("q: no new transfers; q again stops those in flight")
            } else {
                session.abort(.request)
            }
        case .help, .redraw: break
        }
    }

    /// As `--concurrency` takes it.
    private static let most = 1_024

    /// An eighth: a press is felt with 200 in flight as with 8.
    private static func step(_ concurrency: Int) -> Int {
        max(1, concurrency / 8)
    }
}
