import Server
import TestSupport
import Testing

/// A server of 127.0.0.1 for a test.
func testServer(
    limits: ServerLimits = ServerLimits(), _ handler: @escaping HTTPServer.Handler = sayHello
) throws -> HTTPServer {
    try HTTPServer(try Listener(try #require(ListenAddress("127.0.0.1:0"))), limits: limits, handler: handler)
}

@Sendable func sayHello(_ request: Request, _ responder: Responder) {
    responder.answer(Response(body: .data(Array("hello \(request.path)".utf8))))
}

extension HTTPServer {
    func connect() throws -> RawConnection { try RawConnection(port: listener.port) }

    /// One request on a connection of its own.
    func ask(_ line: String, _ headers: [String] = [], body: String = "") throws -> RawResponse {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let head = (["\(line) HTTP/1.1", "Host: \(listener.name)"] + length + headers).joined(separator: "\r\n")
        return try connect().exchange(head + "\r\n\r\n" + body)
    }
}
