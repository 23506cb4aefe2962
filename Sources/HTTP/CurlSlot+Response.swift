internal import CCurl
internal import CLinux
import Glibc

/// What libcurl's callbacks do. False ends the transfer.
extension CurlSlot {
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

    /// Takes the next bytes of the body as they came.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        receivedBytes += bytes.count
        request?.profile.configuration.bandwidth?.debit(bytes.count)
        codedBytes += Int64(bytes.count)
        if action == .discard { return codedBytes <= Self.discardedBytes }
        guard let decoder else { return deliver(bytes) }
        if codedBytes > request?.maximumBytes ?? 0 { return failAsTooLarge() }
        do throws(CodingFault) {
            return try decoder.take(bytes) { deliver($0) }
        } catch {
            return fail(.encoding, error.detail)
        }
    }

    /// Hands on the next bytes of the body, decoded.
    private func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bodyBytes += Int64(bytes.count)
        if bodyBytes > request?.maximumBytes ?? 0 { return failAsTooLarge() }
        return exchange?.receive(bytes) == true || fail(.rejected, "the body was refused")
    }

    private func failAsTooLarge() -> Bool {
        fail(.tooLarge, "the body exceeds \(request?.maximumBytes ?? 0) bytes")
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
        let descriptor = clinux_socket(
            address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.`protocol`)
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
        action = exchange?.begin(head) ?? .reject
        if action == .deliver, !Self.hasNoBody(status) {
            do throws(CodingFault) { try prepareDecoding(headers) } catch { return fail(.encoding, error.detail) }
        }
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

    /// libcurl undoes chunks. It undoes other transfer codings, too, and takes what came for all of it; none was asked for
    /// (RFC 9112, 7.4).
    private func prepareDecoding(_ headers: HTTPHeaders) throws(CodingFault) {
        if declaredLength == nil {
            let codings = headers.all("transfer-encoding").flatMap { $0.split(separator: ",") }
            for coding in codings.map({ $0.filter { $0 != " " && $0 != "\t" }.lowercased() })
            where !["", "chunked", "identity"].contains(coding) {
                throw CodingFault("the transfer coding '\(coding.prefix(40))' was not asked for")
            }
        }
        decoder = headers.has("content-encoding") ? try BodyDecoder(headers.all("content-encoding")) : nil
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
