import Core

/// What keys do to a session.
final class RunKeys: Sendable {
    private let session: Session
    private let display: RunDisplay

    init(_ session: Session, _ display: RunDisplay) {
        self.session = session
        self.display = display
    }

    func press(_ key: Key) {
        if session.isStopping {
            // Whatever stopped it; the other keys steer what begins.
            if key == .quit { session.abort(.request) }
            return
        }
        switch key {
        case .pause:
            // It may have been paused from elsewhere.
            if session.isPaused { session.resume() } else { session.pause() }
        case .more: session.changeConcurrency { min(Self.most, $0 + Self.step($0)) }
        case .fewer: session.changeConcurrency { $0 - Self.step($0) }
        case .quit:
            session.stop(.request)
            display.tellStop("q: no new transfers; q again stops those in flight")
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
