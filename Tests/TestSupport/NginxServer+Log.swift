extension NginxServer {
    /// A request as nginx's access log has it.
    package struct LoggedRequest: Sendable {
        /// As `HTTP/1.1`.
        package let version: String
        package let status: Int
        /// Bytes of the body that were sent.
        package let bytes: Int64
        /// The number of the connection.
        package let connection: Int
        /// Path and query.
        package let target: String
    }

    /// All requests that were answered before this call.
    ///
    /// nginx writes a request's line after the reply's last byte, so the client may be ahead of it. Being one process, it
    /// has written it once it answers a later request, which is made here and left out.
    package func requests() throws -> [LoggedRequest] {
        let barrier = "/.barrier"
        try LoopbackSocket.exchange("GET \(barrier) HTTP/1.0\r\n\r\n", port: port)
        return try accessLog().compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 4).map(String.init)
            guard fields.count == 5, let status = Int(fields[1]), let bytes = Int64(fields[2]),
                let connection = Int(fields[3]), fields[4] != barrier
            else { return nil }
            return LoggedRequest(
                version: fields[0], status: status, bytes: bytes, connection: connection, target: fields[4])
        }
    }
}
