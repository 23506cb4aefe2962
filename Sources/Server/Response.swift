/// What a request is answered with. `Date`, `Content-Length` and `X-Content-Type-Options: nosniff` come by themselves.
package struct Response: Sendable {
    package enum Body: Sendable {
        case data([UInt8])
        /// Sent by the system from the file, with its ranges (RFC 9110, section 14).
        case file(FileBody)
        case events(EventStream)
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body
    /// The strong entity tag without its quotes: it answers If-None-Match, and If-Range of files.
    package var entityTag: String?
    /// The part of a file that is sent; nil for all of it.
    var range: Range<Int64>?

    package init(
        status: Int = 200, headers: [(name: String, value: String)] = [], body: Body = .data([]),
        entityTag: String? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.entityTag = entityTag
    }

    /// A JSON document that nobody may keep.
    package static func json(_ bytes: [UInt8], status: Int = 200) -> Response {
        Response(
            status: status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .data(bytes))
    }

    /// An event stream (text/event-stream), open until it is finished or the client goes.
    package static func events(_ stream: EventStream) -> Response {
        Response(
            headers: [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")], body: .events(stream))
    }

    /// Ends a stream that is not going to be sent.
    func abandon() {
        if case .events(let stream) = body { stream.close() }
    }
}
