import Glibc

/// An HTTP server on the loopback interface that does what a test tells it to, wrong things above all.
///
/// A handler answers each request, from a thread of the request's connection: with a ready `Response`, or by
/// hand through the `Connection`. Requests are recorded; the server can hold replies back until the test
/// releases them. It stops when it goes, or by `stop()`.
///
///     let server = try FaultyServer { request in .ok("hello") }
///     let url = server.url("/greeting")
package final class FaultyServer: Sendable {
    /// One request as it came.
    package struct Request: Sendable {
        package let method: String
        /// Path and query, or what else the request line has.
        package let target: String
        package let headers: [(name: String, value: String)]
        /// Of a POST.
        package let body: [UInt8]
        /// The connection it came on, from 0 in the order of accepting.
        package let connection: Int
        /// How many requests came on the connection before.
        package let index: Int
        /// Microseconds on the monotonic clock.
        package let time: Int64

        /// The target without its query.
        package var path: String { String(target.prefix { $0 != "?" }) }

        /// The first header of that name, in any case.
        package subscript(name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    package typealias Handler = @Sendable (Request, Connection) -> Void

    struct State {
        var requests: [Request] = []
        var connections: [Int: Int32] = [:]
        var accepted = 0
        var held: Set<String> = []
        var isStopped = false
        var hasStoppedAccepting = false
    }

    package let port: Int
    private let socket: LoopbackSocket
    private let host: String
    private let state = Monitor(State())

    /// Starts a server whose handler answers by hand.
    ///
    /// - Parameter isIPv6: whether it is at `::1` instead of 127.0.0.1.
    package init(isIPv6: Bool = false, handling handler: @escaping Handler) throws {
        socket = try LoopbackSocket(isIPv6: isIPv6)
        host = isIPv6 ? "[::1]" : "127.0.0.1"
        port = socket.port
        let listener = socket.descriptor
        guard listen(listener, 512) == 0 else {
            throw TestSupportError("no server: \(String(cString: strerror(errno)))")
        }
        let state = state
        spawnThread {
            Self.accept(listener, state, handler)
            state.withLock { $0.hasStoppedAccepting = true }
        }
    }

    /// Starts a server that answers each request with a response.
    package convenience init(answering respond: @escaping @Sendable (Request) -> Response) throws {
        try self.init(handling: { request, connection in connection.send(respond(request)) })
    }

    deinit {
        stop()
    }

    /// The URL of a target, such as "/a?b".
    package func url(_ target: String = "/") -> String { "http://\(host):\(port)\(target)" }

    /// The requests so far, in the order in which they came.
    package var requests: [Request] { state.withLock { $0.requests } }

    /// How many connections were accepted so far.
    package var connectionCount: Int { state.withLock { $0.accepted } }

    /// Waits until so many requests have come, those that are held included, and returns them.
    @discardableResult
    package func waitForRequests(_ count: Int, path: String? = nil) throws -> [Request] {
        let found = state.wait { state -> [Request]? in
            let matching = state.requests.filter { path == nil || $0.path == path }
            return matching.count >= count ? matching : nil
        }
        guard let found else { throw TestSupportError("\(count) requests did not come") }
        return found
    }

    /// Waits until so many connections have been accepted.
    package func waitForConnections(_ count: Int) throws {
        guard state.wait(until: { $0.accepted >= count ? true : nil }) != nil else {
            throw TestSupportError("\(count) connections did not come")
        }
    }

    /// Waits until no connection is open.
    package func waitForNoConnections() throws {
        guard state.wait(until: { $0.connections.isEmpty ? true : nil }) != nil else {
            throw TestSupportError("connections stay open")
        }
    }

    /// Records requests for that path, but hands them to the handler only after `release`.
    package func hold(_ path: String) { state.withLock { _ = $0.held.insert(path) } }

    package func release(_ path: String) { state.withLock { _ = $0.held.remove(path) } }

    /// Closes all connections and the port; returns when no handler runs any more.
    package func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            for descriptor in state.connections.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return !state.isStopped
        }
        guard isFirst else { return }
        // Ends the accepting thread; the number is free only when the server goes.
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
        _ = state.wait { $0.connections.isEmpty && $0.hasStoppedAccepting ? true : nil }
    }

    private static func accept(_ listener: Int32, _ state: Monitor<State>, _ handler: @escaping Handler) {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            if descriptor < 0 {
                if state.withLock({ $0.isStopped }) { return }
                continue
            }
            // A program that a test starts must not hold the connection open.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let number = state.withLock { state -> Int? in
                if state.isStopped { return nil }
                defer { state.accepted += 1 }
                state.connections[state.accepted] = descriptor
                return state.accepted
            }
            guard let number else {
                close(descriptor)
                return
            }
            spawnThread {
                let connection = Connection(descriptor: descriptor)
                serve(connection, number, state, handler)
                // Closed under the lock, so that `stop` cannot meet a number that was given out again.
                state.withLock { state in
                    connection.close()
                    state.connections[number] = nil
                }
            }
        }
    }

    private static func serve(
        _ connection: Connection, _ number: Int, _ state: Monitor<State>, _ handler: Handler
    ) {
        var index = 0
        while connection.isOpen, let head = connection.readHead() {
            var lines = head.split(separator: "\r\n").map(String.init)
            let words = lines.isEmpty ? [] : lines.removeFirst().split(separator: " ").map(String.init)
            let headers = lines.map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.dropFirst().first ?? ""
                return (name: String(parts[0]), value: String(value.drop { $0 == " " }))
            }
            var body: [UInt8] = []
            if words.first == "POST" {
                let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
                guard let bytes = connection.receive(length) else { return }
                body = bytes
            }
            let request = Request(
                method: words.first ?? "", target: words.dropFirst().first ?? "", headers: headers, body: body,
                connection: number, index: index, time: monotonicMicroseconds())
            index += 1
            state.withLock { $0.requests.append(request) }
            let mayAnswer = state.wait(seconds: 120) { state in
                state.isStopped ? false : state.held.contains(request.path) ? nil : true
            }
            guard mayAnswer == true else { return }
            handler(request, connection)
        }
    }
}

/// Microseconds on the monotonic clock.
package func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}
