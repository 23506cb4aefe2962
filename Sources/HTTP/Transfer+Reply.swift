internal import CCurl
import Glibc

/// What libcurl's callbacks do. False ends the transfer.
extension Transfer {
    /// The most of a discarded body that is read to keep its connection.
    private static let discardedBytes: Int64 = 64 * 1024

    /// Takes one line of a header block or of a trailer.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        receivedBytes += line.count
        headerBytes += line.count
        headerLines += 1
        if headerBytes > HTTPHeaders.maximumBytes || headerLines > HTTPHeaders.maximumLines {
            return fail(
                .protocolError,
                "the reply's header exceeds \(HTTPHeaders.maximumLines) lines or \(HTTPHeaders.maximumBytes) bytes")
        }
        if head != nil {
            if HTTPHeaders.mayBeDigest(line) { trailer.append(contentsOf: line) }
            return true
        }
        block.append(line)
        if HTTPHeaders.mayBeDigest(line) { hasDigest = true }
        if HTTPHeaders.isVary(line) { hasVary = true }
        guard line.first == 0x0D || line.first == 0x0A else { return true }
        let status = handle.long(CURLINFO_RESPONSE_CODE)
        if status < 200 {
            block.removeAll()  // an interim reply (RFC 9110, 15.2)
            return true
        }
        return beginReply(status: status)
    }

    /// Takes the next decoded bytes of the body.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        receivedBytes += bytes.count
        request?.profile.configuration.bandwidth?.debit(bytes.count)
        bodyBytes += Int64(bytes.count)
        switch action {
        case .discard:
            return bodyBytes <= Self.discardedBytes
        case .deliver, .reject:
            let limit = request?.maximumBytes ?? 0
            if bodyBytes > limit || (isCoded && handle.offset(CURLINFO_SIZE_DOWNLOAD_T) > limit) {
                return fail(.tooLarge, "the body exceeds \(limit) bytes")
            }
            return exchange?.receive(bytes) == true || fail(.rejected, "the body was refused")
        }
    }

    /// The request is about to be sent over a connection, new or reused, to this address.
    func willSend(to address: UnsafePointer<CChar>?) -> Bool {
        wasSent = true
        stallClock.start(at: engine.openTime(hold: hold), bytes: receivedBytes)
        if hold >= 0 { engine.willSend(over: handle.socket, hold: hold) }
        guard guardsAddresses, !usesProxy else { return true }
        let text = address.map { String(cString: $0) } ?? ""
        if let address = AddressText(text), engine.isReachable(address.bytes) { return true }
        refusedAddress = text
        return fail(.blockedAddress, Self.blocked(text))
    }

    /// Opens the socket for a connection to an address, unless the request may not go there: then -1, and
    /// libcurl tries the next address.
    func openSocket(_ address: curl_sockaddr, _ socketAddress: UnsafeRawPointer) -> Int32 {
        if guardsAddresses, !usesProxy, !engine.isReachable(addressBytes(socketAddress)) {
            refusedAddress = addressDescription(socketAddress, length: address.addrlen)
            return -1
        }
        let descriptor = socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.`protocol`)
        if descriptor < 0 {
            socketError = errno
        } else {
            openedSockets += 1
            if let bandwidth = request?.profile.configuration.bandwidth {
                bandwidth.limitReceiveBuffer(of: descriptor)
            }
        }
        return descriptor
    }

    /// What is said of an address that is refused.
    static func blocked(_ address: String) -> String {
        "\(address) is not a globally reachable address"
    }

    /// Whether this status never has a body (RFC 9110, 6.4.1).
    static func hasNoBody(_ status: Int) -> Bool {
        status == 204 || status == 304
    }

    private func beginReply(status: Int) -> Bool {
        let headers = HTTPHeaders(copying: block.bytes)
        // Differing lengths are how replies are smuggled (RFC 9112, 6.3).
        var isMalformed = false
        if !headers.has("transfer-encoding") {
            do { declaredLength = try headers.contentLength } catch { isMalformed = true }
        }
        let head = HTTPHead(
            status: status, headers: headers, version: protocolVersion, length: declaredLength, hasDigest: hasDigest,
            hasVary: hasVary)
        self.head = head
        if isMalformed { return fail(.protocolError, "the reply's Content-Length is not one number") }
        isCoded = headers.has("content-encoding")
        action = exchange?.begin(head) ?? .reject
        if declaredLength == nil { watchForClose(head) }
        let expected = Self.hasNoBody(status) ? 0 : declaredLength ?? 0
        switch action {
        case .deliver:
            let limit = request?.maximumBytes ?? 0
            return expected <= limit || fail(.tooLarge, "the body has \(expected) bytes, more than \(limit)")
        case .discard:
            return expected <= Self.discardedBytes
        case .reject:
            return fail(.rejected, "the reply was refused")
        }
    }

    /// A body without a length and chunks ends with the connection, and over TLS only by its close_notify: anybody can end
    /// TCP (RFC 9112, 8). libcurl with OpenSSL takes either for the end.
    private func watchForClose(_ head: HTTPHead) {
        guard head.version.hasPrefix("1"), request?.url.scheme == "https", !Self.hasNoBody(head.status),
            !head.headers.has("transfer-encoding")
        else { return }
        needsCleanClose = ccurl_note_close(handle.raw, hasClosed) != 0
    }

    private var protocolVersion: String {
        switch handle.long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): "1.0"
        case Int(CURL_HTTP_VERSION_2_0): "2"
        case Int(CURL_HTTP_VERSION_3): "3"
        default: "1.1"
        }
    }

    /// Notes why the transfer ends; the first reason stays.
    private func fail(_ kind: HTTPFailure.Kind, _ detail: String) -> Bool {
        verdict = verdict ?? HTTPFailure(kind, detail)
        return false
    }

    private func addressBytes(_ address: UnsafeRawPointer) -> [UInt8] {
        switch Int32(address.load(as: sockaddr.self).sa_family) {
        case AF_INET: withUnsafeBytes(of: address.load(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6: withUnsafeBytes(of: address.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: []
        }
    }

    private func addressDescription(_ address: UnsafeRawPointer, length: UInt32) -> String {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        getnameinfo(
            address.assumingMemoryBound(to: sockaddr.self), length, &text, socklen_t(text.count), nil, 0,
            NI_NUMERICHOST)
        return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }  // the array is never empty
    }
}
