internal import CMicrohttpd
internal import HTTP

/// One request on its way to its response: read on the server's thread, answered from any.
final class Exchange: Sendable {
    enum Stage {
        case begun
        case readingBody(RequestHead)
        case answering(RequestHead)
    }

    struct State {
        var stage = Stage.begun
        var body: [UInt8] = []
        /// What the handler answered with, until it is handed to libmicrohttpd.
        var response: Response?
        var isAnswered = false
        /// The connection, while it waits for the answer.
        var suspended: OpaquePointer?
        /// What the response goes on with.
        var stream: EventStream?
        /// Whether a stream that begins now has to end at once.
        var isStopping = false
    }

    /// As it came, up to the first NUL.
    let target: [UInt8]
    let connection: ServerConnection
    let state = Locked(State())

    init(target: [UInt8], connection: ServerConnection) {
        self.target = target
        self.connection = connection
    }

    /// Answers the request, if nobody has. Any thread.
    func answer(_ response: Response) {
        let isFirst = state.withLock { state in
            guard !state.isAnswered else { return false }
            state.isAnswered = true
            state.response = response
            if let suspended = state.suspended {
                state.suspended = nil
                MHD_resume_connection(suspended)
            }
            return true
        }
        if !isFirst { response.abandon() }
    }

    /// The response, where there is one; else suspends the connection until there is. On the server's thread.
    func responseOrSuspend(_ connection: OpaquePointer) -> Response? {
        state.withLock { state in
            if let response = state.response {
                state.response = nil
                return response
            }
            state.suspended = connection
            MHD_suspend_connection(connection)
            return nil
        }
    }

    /// The response goes on with a stream. On the server's thread.
    func begin(_ stream: EventStream) {
        let isStopping = state.withLock { state in
            state.stream = stream
            return state.isStopping
        }
        connection.setStream(stream)
        stream.begin(on: connection)
        if isStopping { stream.finish() }
    }

    /// The server stops: whoever waits gets an answer, a stream ends.
    func stop() {
        let stream = state.withLock { state in
            state.isStopping = true
            return state.stream
        }
        stream?.finish()
        answer(Problem(503, "Stopping", "the program is about to end").response)
    }

    /// libmicrohttpd is done with the request: an answer that comes now goes nowhere.
    func end() {
        let unsent = state.withLock { state in
            state.isAnswered = true
            state.suspended = nil
            defer { state.response = nil }
            return state.response
        }
        unsent?.abandon()
    }
}

/// The duty to answer a request, once, from any thread. One that is let go of without answers with an internal error.
package final class Responder: Sendable {
    private let exchange: Exchange

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }

    deinit {
        exchange.answer(Problem(500, "No answer", "the program has none, which is a fault of its own").response)
    }

    package func answer(_ response: Response) {
        exchange.answer(response)
    }
}
