/// Speaks HTTP/2 in clear on a connection of a `FaultyServer`, rightly or wrongly (RFC 9113).
///
/// It knows requests by their stream alone: what the server does is decided by the connection's number.
///
///     let server = try FaultyServer { request, connection in
///         HTTP2Script.serve(connection) { [.headers(length: 5), .data("hello", isLast: true)] }
///     }
package enum HTTP2Script {
    /// What to do about a request.
    package enum Step: Sendable {
        /// `:status: 200`, and the length that is declared.
        case headers(length: Int?, more: [(String, String)] = [])
        case data([UInt8], isLast: Bool)
        /// RST_STREAM with an error code: 2 internal error, 7 refused stream.
        case resetStream(UInt8)
        /// GOAWAY: streams above this number were not processed.
        case goAway(last: UInt8, code: UInt8)
        case raw([UInt8])
        /// The end of the connection.
        case close
    }

    /// The request line that begins HTTP/2, which a `FaultyServer` takes for a request.
    package static func isPreface(_ request: FaultyServer.Request) -> Bool { request.method == "PRI" }

    /// Answers what comes on a connection until it ends.
    package static func serve(_ connection: FaultyServer.Connection, _ answer: () -> [Step]) {
        guard connection.receive(6) == Array("SM\r\n\r\n".utf8) else { return connection.end() }
        connection.send(frame(4, 0, 0, []))
        while connection.isOpen, let head = connection.receive(9) {
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard connection.receive(length) != nil else { break }
            switch head[3] {
            case 4 where head[4] & 1 == 0: connection.send(frame(4, 1, 0, []))
            case 1: for step in answer() where connection.isOpen { perform(step, connection, stream: head[8]) }
            default: break
            }
        }
        connection.end()
    }

    private static func perform(_ step: Step, _ connection: FaultyServer.Connection, stream: UInt8) {
        switch step {
        case .headers(let length, let more):
            // Index 8 of the static table is `:status: 200`; the others are literals without indexing (RFC 7541, 6.2.2).
            let fields = (length.map { [("content-length", "\($0)")] } ?? []) + more
            let block = fields.reduce([0x88]) { block, field in
                block + [0, UInt8(field.0.utf8.count)] + Array(field.0.utf8) + [UInt8(field.1.utf8.count)]
                    + Array(field.1.utf8)
            }
            connection.send(frame(1, 4, stream, block))
        case .data(let bytes, let isLast):
            var rest = bytes[...]
            repeat {
                let piece = rest.prefix(16_384)
                rest = rest.dropFirst(piece.count)
                connection.send(frame(0, isLast && rest.isEmpty ? 1 : 0, stream, Array(piece)))
            } while !rest.isEmpty
        case .resetStream(let code): connection.send(frame(3, 0, stream, [0, 0, 0, code]))
        case .goAway(let last, let code): connection.send(frame(7, 0, 0, [0, 0, 0, last, 0, 0, 0, code]))
        case .raw(let bytes): connection.send(bytes)
        case .close: connection.end()
        }
    }

    private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags, 0, 0, 0, stream]
            + payload
    }
}
