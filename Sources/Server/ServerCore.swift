internal import CLinux
internal import CMicrohttpd
internal import Dispatch
internal import Glibc
internal import HTTP

/// What the callbacks of libmicrohttpd reach: the connections, the requests that are being answered, and the clock.
final class ServerCore: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: ServerConnection] = [:]
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        var isTicking = false
        var isStopping = false
    }

    let limits: ServerLimits
    private let isUnixSocket: Bool
    private let handler: HTTPServer.Handler
    private let state = Locked(State())
    /// Entered for each request that reached its handler, until it is over.
    private let answering = DispatchGroup()
    private let clock = DispatchQueue(label: "server clock")

    init(limits: ServerLimits, isUnixSocket: Bool, handler: @escaping HTTPServer.Handler) {
        self.limits = limits
        self.isUnixSocket = isUnixSocket
        self.handler = handler
    }

    // MARK: - Connections

    func opened(_ descriptor: Int32) -> ServerConnection {
        let deadline = Monotonic.now().advanced(byMicroseconds: limits.requestTime)
        let connection = ServerConnection(descriptor, deadline: deadline, isWelcome: isWelcome(descriptor))
        let begins = state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = connection
            defer { state.isTicking = true }
            return !state.isTicking
        }
        if begins { tickLater() }
        return connection
    }

    func closed(_ connection: ServerConnection) {
        connection.close()
        state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// On a Unix socket only this user and root are; the folder's mode keeps others out already.
    private func isWelcome(_ descriptor: Int32) -> Bool {
        guard isUnixSocket else { return true }
        var user = uid_t()
        return clinux_peer_user(descriptor, &user) == 0 && (user == geteuid() || user == 0)
    }

    /// While there are connections; a server without any sleeps.
    private func tickLater() {
        clock.asyncAfter(deadline: .now() + .microseconds(Int(limits.tick))) { [weak self] in self?.tick() }
    }

    private func tick() {
        let connections = state.withLock { state in
            state.isTicking = !state.connections.isEmpty && !state.isStopping
            return Array(state.connections.values)
        }
        let now = Monotonic.now()
        for connection in connections { connection.tick(now: now, limits) }
        if !connections.isEmpty, state.withLock({ $0.isTicking }) { tickLater() }
    }

    // MARK: - Requests

    /// Hands a request to the handler. False when the server stops.
    func begin(_ exchange: Exchange, _ head: RequestHead, body: [UInt8]) -> Bool {
        exchange.connection.setDeadline(nil)
        let isOpen = state.withLock { state in
            guard !state.isStopping else { return false }
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            answering.enter()
            return true
        }
        guard isOpen else { return false }
        let request = Request(
            method: head.method, path: head.target.path, query: head.target.query, headers: head.headers, body: body)
        handler(request, Responder(exchange))
        return true
    }

    func end(_ exchange: Exchange) {
        exchange.end()
        exchange.connection.setStream(nil)
        exchange.connection.setDeadline(Monotonic.now().advanced(byMicroseconds: limits.keepAlive))
        if state.withLock({ $0.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) }) != nil { answering.leave() }
    }

    func stop(draining: Int64) {
        let exchanges = state.withLock { state in
            state.isStopping = true
            return Array(state.exchanges.values)
        }
        for exchange in exchanges { exchange.stop() }
        _ = answering.wait(timeout: .now() + .microseconds(Int(draining)))
        // A stream that was not taken in time would be waited for without end.
        for exchange in state.withLock({ Array($0.exchanges.values) }) { exchange.connection.shutDown() }
    }
}
