internal import CMicrohttpd
internal import Glibc
internal import HTTP

// What libmicrohttpd calls, all on the server's thread. Each pointer that it keeps for us is an object that was retained when
// it was given, and is released when it is given back for the last time.

/// A connection begins or ends.
func noteConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ event: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let slot else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    if event == .CONNECTION_NOTIFY_STARTED {
        slot.pointee = Unmanaged.passRetained(core.opened(cmicrohttpd_descriptor(connection))).toOpaque()
    } else if let kept = slot.pointee {
        core.closed(Unmanaged<ServerConnection>.fromOpaque(kept).takeRetainedValue())
        slot.pointee = nil
    }
}

/// A request line came, whose target is not decoded yet. What is returned stays with the request.
func seeTarget(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let target, let connection, let kept = cmicrohttpd_context(connection) else { return nil }
    let record = Unmanaged<ServerConnection>.fromOpaque(kept).takeUnretainedValue()
    let bytes = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    return Unmanaged.passRetained(Exchange(target: bytes, connection: record)).toOpaque()
}

/// The head of a request came, part of its body, its end, or its answer.
func handleRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ bytes: UnsafePointer<CChar>?,
    _ count: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let method, let count, let kept = slot?.pointee else { return .NO }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let exchange = Unmanaged<Exchange>.fromOpaque(kept).takeUnretainedValue()
    guard exchange.connection.isWelcome else { return .NO }
    switch exchange.state.withLock({ $0.stage }) {
    case .begun:
        do throws(Problem) {
            let head = try RequestHead(
                method: String(cString: method), target: exchange.target, headers: headers(of: connection))
            exchange.state.withLock { $0.stage = .readingBody(head) }
            return .YES
        } catch {
            // Whatever follows on the connection is not understood.
            var response = error.response
            response.headers.append(("Connection", "close"))
            return send(response, for: exchange, head: nil, on: connection)
        }
    case .readingBody(let head):
        if count.pointee > 0, let bytes {
            let part = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
            count.pointee = 0
            let length = exchange.state.withLock { state in
                state.body += part
                return state.body.count
            }
            return length <= RequestHead.longestBody ? .YES : .NO
        }
        let body = exchange.state.withLock { state in
            state.stage = .answering(head)
            defer { state.body = [] }
            return state.body
        }
        guard body.count == head.contentLength, core.begin(exchange, head, body: body) else { return .NO }
        return answer(exchange, head, on: connection)
    case .answering(let head):
        return answer(exchange, head, on: connection)
    }
}

private func answer(_ exchange: Exchange, _ head: RequestHead, on connection: OpaquePointer) -> MHD_Result {
    guard let response = exchange.responseOrSuspend(connection) else { return .YES }
    return send(response, for: exchange, head: head, on: connection)
}

private func headers(of connection: OpaquePointer) -> Headers {
    var fields: [(name: String, value: String)] = []
    withUnsafeMutablePointer(to: &fields) { fields in
        _ = MHD_get_connection_values(connection, .HEADER_KIND, collectHeader, fields)
    }
    return Headers(fields)
}

private func collectHeader(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let context, let name else { return .NO }
    let fields = context.assumingMemoryBound(to: [(name: String, value: String)].self)
    fields.pointee.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
    return .YES
}

/// A request is over, answered or not.
func completeRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ end: MHD_RequestTerminationCode
) {
    guard let context, let slot, let kept = slot.pointee else { return }
    slot.pointee = nil
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    core.end(Unmanaged<Exchange>.fromOpaque(kept).takeRetainedValue())
}
