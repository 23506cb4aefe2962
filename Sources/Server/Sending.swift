internal import CMicrohttpd
internal import Glibc

/// Hands a response to libmicrohttpd, on its thread.
func send(
    _ response: Response, for exchange: Exchange, head: RequestHead?, on connection: OpaquePointer
) -> MHD_Result {
    let response = head.map { response.resolved(for: $0.method, $0.headers) } ?? response
    guard let made = made(response, for: exchange, on: connection) else {
        response.abandon()
        return .NO
    }
    // The connection has a reference of its own to the response.
    defer { MHD_destroy_response(made) }
    let fields = response.headers + [("X-Content-Type-Options", "nosniff")]
    for field in fields where MHD_add_response_header(made, field.name, field.value) == .NO {
        // A header with a line break in it, say: a fault of the caller's.
        return .NO
    }
    return MHD_queue_response(connection, UInt32(response.status), made)
}

private func made(_ response: Response, for exchange: Exchange, on connection: OpaquePointer) -> OpaquePointer? {
    switch response.body {
    case .data(let bytes):
        return bytes.withUnsafeBytes { bytes in
            // It copies, and does not write: the parameter is not const for the other modes.
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
    case .file(let file):
        let range = response.range ?? 0..<file.size
        let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        // The response closes the copy.
        let made = MHD_create_response_from_fd_at_offset64(
            UInt64(range.count), copy, UInt64(range.lowerBound))
        if made == nil { close(copy) }
        return made
    case .events(let stream):
        exchange.begin(stream)
        cmicrohttpd_keep_open(connection)
        let source = StreamSource(stream: stream, connection: connection)
        // Released by `releaseStream`, which libmicrohttpd calls once for each response.
        let kept = Unmanaged.passRetained(source).toOpaque()
        let made = MHD_create_response_from_callback(
            UInt64.max, 16 * 1024, readStream, kept, releaseStream)
        if made == nil { releaseStream(kept) }
        return made
    }
}

/// A stream and the connection that takes it, whose pointer is used on the server's thread only, while it is valid.
private final class StreamSource {
    let stream: EventStream
    let connection: OpaquePointer

    init(stream: EventStream, connection: OpaquePointer) {
        self.stream = stream
        self.connection = connection
    }
}

private func readStream(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let context, let buffer else { return -2 }
    let source = Unmanaged<StreamSource>.fromOpaque(context).takeUnretainedValue()
    return source.stream.read(into: UnsafeMutableBufferPointer(start: buffer, count: size), of: source.connection)
}

private func releaseStream(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<StreamSource>.fromOpaque(context).takeRetainedValue().stream.ended()
}
