internal import CCurl
import Glibc
import System

/// How a transfer went.
extension CurlSlot {
    /// The result of the transfer so far. `code` is libcurl's, nil when the transfer was interrupted.
    func result(_ code: CURLcode?, now: Monotonic) -> HTTPResult {
        let wireBytes = max(handle.offset(CURLINFO_SIZE_DOWNLOAD_T), codedBytes)
        let isReused = wasSent && handle.long(CURLINFO_NUM_CONNECTS) == 0
        let own = max(0, now - startedAt)
        let phases = HTTPPhases(
            marks: HTTPPhases.Marks(
                resolved: handle.offset(CURLINFO_NAMELOOKUP_TIME_T),
                connected: handle.offset(CURLINFO_CONNECT_TIME_T),
                secured: handle.offset(CURLINFO_APPCONNECT_TIME_T),
                firstByte: handle.offset(CURLINFO_STARTTRANSFER_TIME_T)),
            isReused: isReused, isSecure: request?.url.scheme == "https",
            // libcurl's total is exact to the last byte; of a transfer that was broken off it knows none.
            total: code == nil ? own : min(own, handle.offset(CURLINFO_TOTAL_TIME_T)))
        let address = wasSent || openedSockets > 0 ? handle.text(CURLINFO_PRIMARY_IP) : nil
        return HTTPResult(
            status: head?.status ?? 0, version: head?.version ?? versionOfFault(code),
            headers: head?.headers ?? HTTPHeaders(),
            trailers: trailer.isEmpty ? HTTPHeaders() : HTTPHeaders(block: trailer),
            phases: phases, startedAt: startedAt, finishedAt: startedAt.advanced(byMicroseconds: phases.total),
            wireBytes: wireBytes, bodyBytes: action == .deliver ? bodyBytes : 0, isConnectionReused: isReused,
            address: address?.isEmpty == false ? address : nil, failure: failure(code, wireBytes: wireBytes, own: own),
            hasUncertainEnd: hasUncertainEnd)
    }

    /// Whether nothing shows that the body is whole. libcurl tells a stream that HTTP/2 ended by its last frame from one that
    /// the server broke off without an error, or that ended with its connection, by nothing but the declared length.
    private var hasUncertainEnd: Bool {
        guard declaredLength == nil, decoder == nil, let head else { return false }
        return !head.version.hasPrefix("1") && !Self.hasNoBody(head.status)
    }

    /// The version that failed before there was a reply, as far as that is known.
    private func versionOfFault(_ code: CURLcode?) -> String? {
        switch code {
        case CURLE_HTTP2, CURLE_HTTP2_STREAM: "2"
        // The server is known to speak it, and the request was to go over such a connection.
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
            wasSent && (waitsForConnection || isByPriorKnowledge) ? "2" : nil
        default: nil
        }
    }

    /// Whether HTTP/2 is spoken in clear from the first byte.
    private var isByPriorKnowledge: Bool { request?.version == .http2 && request?.url.scheme == "http" }

    private func failure(_ code: CURLcode?, wireBytes: Int64, own: Int64) -> HTTPFailure? {
        if head != nil, action == .discard, verdict?.kind != .cancelled { return nil }
        if let verdict { return verdict }
        guard let code else { return HTTPFailure(.cancelled, "cancelled") }
        switch code {
        case CURLE_OK:
            return incompleteness(wireBytes: wireBytes)
                ?? decoder?.faultAtEnd.map { HTTPFailure(.encoding, $0.detail) }
        case CURLE_PARTIAL_FILE:
            return incompleteness(wireBytes: wireBytes) ?? makeFailure(code, detail: handle.errorMessage)
        case CURLE_OPERATION_TIMEDOUT:
            return timeout(own)
        case CURLE_COULDNT_CONNECT where openedSockets == 0 && refusedAddress != nil:
            return HTTPFailure(.blockedAddress, Self.blocked(refusedAddress ?? ""))
        case CURLE_COULDNT_CONNECT where openedSockets == 0 && socketError != 0:
            return HTTPFailure(.resource, "no socket: \(String(cString: strerror(socketError)))")
        case CURLE_COULDNT_CONNECT where usesProxy:
            return HTTPFailure(.connect, "the proxy: \(handle.errorMessage)")
        case CURLE_HTTP2 where head == nil && handle.errorMessage.isEmpty:
            // A GOAWAY whose last stream is before this one: of all that ends with this code only it has no message.
            return HTTPFailure(
                kind: .reset, detail: "the server closed the HTTP/2 connection before it took up the request",
                isTransient: true, isUnprocessed: true)
        case CURLE_RECV_ERROR where handle.long(CURLINFO_HTTP_CONNECTCODE) >= 300:
            return HTTPFailure(
                .proxy, "the proxy answered \(handle.long(CURLINFO_HTTP_CONNECTCODE)) to CONNECT")
        case CURLE_RECV_ERROR where handle.errorMessage.hasSuffix("in chunked-encoding"):
            // The code is that of a broken connection; only the message tells broken framing from it.
            return HTTPFailure(.protocolError, handle.errorMessage)
        default:
            return makeFailure(code, detail: handle.errorMessage)
        }
    }

    /// What is missing of a reply that libcurl takes for complete (RFC 9112, 8).
    private func incompleteness(wireBytes: Int64) -> HTTPFailure? {
        guard let head else { return HTTPFailure(.truncated, "the connection ended within the reply's header") }
        if let declaredLength, !Self.hasNoBody(head.status), wireBytes < declaredLength {
            return HTTPFailure(.truncated, "\(wireBytes) of \(declaredLength) bytes came")
        }
        if needsCleanClose, hasClosed.pointee == 0 {
            return HTTPFailure(.truncated, "the TLS connection was cut after \(wireBytes) bytes of no known length")
        }
        return nil
    }

    private func timeout(_ elapsed: Int64) -> HTTPFailure {
        let settings = request?.profile.configuration
        let total = settings?.totalTimeout ?? 0
        // libcurl counts in milliseconds.
        if total > 0, wasSent || elapsed + 1_000 >= request?.timeLimit ?? total {
            return HTTPFailure(.timeout, "not complete within the total timeout of \(describeDuration(total))")
        }
        let limit = describeDuration(settings?.connectTimeout ?? 0)
        return HTTPFailure(
            kind: .timeout, detail: "no connection within the connect timeout of \(limit)", isTransient: true,
            isUnconnected: true)
    }
}

/// A duration for people, such as "250 ms" or "1.5 s".
func describeDuration(_ microseconds: Int64) -> String {
    let milliseconds = (microseconds + 500) / 1_000
    if milliseconds < 1_000 { return "\(milliseconds) ms" }
    let tenths = (milliseconds + 50) / 100
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
}
