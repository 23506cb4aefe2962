internal import HTTP

/// Those who want to know when what the page shows may have changed.
final class Changes: Sendable {
    private let listeners = Locked<[Int: @Sendable () -> Void]>([:])

    /// Something changed. Any thread.
    func note() {
        for listener in listeners.withLock({ Array($0.values) }) { listener() }
    }

    /// - Returns: what ends the listening.
    func listen(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let key = listeners.withLock { listeners in
            let key = (listeners.keys.max() ?? 0) + 1
            listeners[key] = body
            return key
        }
        return { [listeners] in listeners.withLock { $0[key] = nil } }
    }
}
