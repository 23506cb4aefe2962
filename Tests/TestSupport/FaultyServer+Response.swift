extension FaultyServer {
    /// What a `FaultyServer` answers: a proper reply, or one with a fault put into it.
    ///
    ///     .ok("hello")                                a reply as it should be
    ///     .ok(body).declaring(length: 99)             a lie about the length
    ///     .ok(body).cut(after: 10, .reset)            ten bytes of the body, then a reset
    ///     .chunked(["a", "b"]).cut(after: 1, .close)  a chunked body without its end
    ///     .raw("garbage\r\n\r\n")                     anything
    package struct Response: Sendable {
        /// What to do on the connection, in order.
        package enum Step: Sendable {
            case send([UInt8])
            case drip([UInt8], everyMilliseconds: Int)
            /// The same bytes for ever.
            case endless([UInt8])
            case stall
            case reset
            case close
        }

        /// How a reply breaks off.
        package enum Cut: Sendable { case reset, stall, close }

        private enum Body {
            case length([UInt8])
            case chunks([[UInt8]])
            case untilClose([UInt8])
            case endless
            case absent
            case steps([Step])
        }

        private var status = 200
        private var headers: [(String, String)] = []
        private var body: Body
        private var declaredLength: Int?
        private var cutPoint: (bytes: Int, cut: Cut)?
        private var dripInterval: Int?
        private var dripsHead = false
        private var isLast = false

        /// A complete reply with a Content-Length.
        package static func ok(_ body: [UInt8], headers: [(String, String)] = []) -> Response {
            .status(200, body, headers: headers)
        }

        package static func ok(_ body: String, headers: [(String, String)] = []) -> Response {
            .ok(Array(body.utf8), headers: headers)
        }

        package static func status(_ status: Int, _ body: [UInt8] = [], headers: [(String, String)] = []) -> Response {
            var response = Response(body: status == 204 || status == 304 ? .absent : .length(body))
            response.status = status
            response.headers = headers
            return response
        }

        package static func redirect(to location: String, status: Int = 302) -> Response {
            .status(status, headers: [("Location", location)])
        }

        /// A 206 with the bytes from `start` of `whole`, and a Content-Range that says so, or what is given.
        package static func partial(
            of whole: [UInt8], from start: Int, contentRange: String? = nil, headers: [(String, String)] = []
        ) -> Response {
            let range = ("Content-Range", contentRange ?? "bytes \(start)-\(whole.count - 1)/\(whole.count)")
            return .status(206, Array(whole[start...]), headers: [range] + headers)
        }

        /// A chunked reply, a chunk each.
        package static func chunked(_ chunks: [String], headers: [(String, String)] = []) -> Response {
            var response = Response(body: .chunks(chunks.map { Array($0.utf8) }))
            response.headers = headers
            return response
        }

        /// The head of a chunked reply with an entity tag and its first bytes, in one chunk, then the end of the connection
        /// without the last chunk.
        package static func brokenChunks(prefix count: Int, of body: [UInt8], tag: String = "\"v1\"") -> Response {
            let head =
                "HTTP/1.1 200 OK\r\nETag: \(tag)\r\nTransfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n"
            return .steps([.send(Array(head.utf8)), .send(Array(body.prefix(count)) + [13, 10]), .close])
        }

        /// A reply whose end is the end of the connection.
        package static func untilClose(_ body: String) -> Response { Response(body: .untilClose(Array(body.utf8))) }

        /// A chunked reply that never ends.
        package static func endless() -> Response { Response(body: .endless) }

        /// Nothing, until the client gives up.
        package static func silence() -> Response { .steps([.stall]) }

        /// The text as it is, then the end of the connection.
        package static func raw(_ text: String) -> Response { .steps([.send(Array(text.utf8)), .close]) }

        package static func steps(_ steps: [Step]) -> Response { Response(body: .steps(steps)) }

        /// With this Content-Length instead of the true one. A longer one than true ends the connection.
        package func declaring(length: Int) -> Response { with { $0.declaredLength = length } }

        /// Breaks off after so many bytes of the body as it is sent, chunk sizes included.
        package func cut(after bytes: Int, _ cut: Cut) -> Response { with { $0.cutPoint = (bytes, cut) } }

        /// The body byte by byte.
        package func dripping(everyMilliseconds interval: Int) -> Response { with { $0.dripInterval = interval } }

        /// The header byte by byte, as well as the body.
        package func drippingHead(everyMilliseconds interval: Int) -> Response {
            with {
                $0.dripInterval = interval
                $0.dripsHead = true
            }
        }

        /// With `Connection: close`, and the end of the connection.
        package func closing() -> Response { with { $0.isLast = true } }

        private func with(_ change: (inout Response) -> Void) -> Response {
            var copy = self
            change(&copy)
            return copy
        }

        /// What a connection does to send this.
        var steps: [Step] {
            var length: Int?
            var bytes: [UInt8] = []
            var ending: [Step] = []
            switch body {
            case .steps(let steps): return steps
            case .absent: break
            case .length(let body):
                length = declaredLength ?? body.count
                bytes = body
                if let length, length > body.count { ending = [.close] }
            case .untilClose(let body):
                bytes = body
                ending = [.close]
            case .chunks(let chunks):
                bytes = chunks.flatMap { Self.chunk($0) } + Self.chunk([])
            case .endless:
                ending = [.endless(Self.chunk([UInt8](repeating: 0x61, count: 1_024)))]
            }
            var fields = headers
            if let length { fields.append(("Content-Length", "\(length)")) }
            if case .chunks = body { fields.append(("Transfer-Encoding", "chunked")) }
            if case .endless = body { fields.append(("Transfer-Encoding", "chunked")) }
            if isLast { fields.append(("Connection", "close")) }
            let head = "HTTP/1.1 \(status) Status\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
            if isLast { ending = [.close] }
            if let cutPoint {
                bytes = Array(bytes.prefix(cutPoint.bytes))
                ending =
                    switch cutPoint.cut {
                    case .reset: [.reset]
                    case .stall: [.stall]
                    case .close: [.close]
                    }
            }
            guard let dripInterval else { return [.send(Array(head.utf8) + bytes)] + ending }
            let headStep: Step =
                dripsHead ? .drip(Array(head.utf8), everyMilliseconds: dripInterval) : .send(Array(head.utf8))
            return [headStep, .drip(bytes, everyMilliseconds: dripInterval)] + ending
        }

        private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
            Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
        }

        private init(body: Body) { self.body = body }
    }
}
