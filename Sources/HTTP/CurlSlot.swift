internal import CCurl
import System

/// One place for a transfer: an easy handle that is used again and again, and the state of its current request.
///
/// Confined to the loop's thread. libcurl's callbacks find it by the handle's context; it outlives them, since
/// the engine keeps every transfer until its handle is gone.
final class CurlSlot {
    /// The most bytes that one read takes. Against libcurl's 16 KiB, large bodies cost 15 % less time of the processor
    /// and small ones the same; 256 KiB make small ones dearer.
    private static let bufferSize = 128 * 1024
    /// What libcurl was given for it.
    private var currentBufferSize = 0

    let handle: EasyHandle
    let slot: Int32
    /// The engine that owns this transfer, and so outlives it.
    unowned let engine: CurlLoop
    var generation: UInt32 = 0

    var request: HTTPRequest?
    var exchange: (any HTTPExchange)?
    var startedAt = Monotonic(microseconds: 0)
    var usesProxy = false
    /// Whether only globally reachable addresses may be connected to.
    var guardsAddresses = false
    /// Which of the engine's holds withholds reading; -1 for none.
    var hold: Int32 = -1
    /// Why the transfer ends, when that is known better here than by libcurl's code.
    var verdict: HTTPFailure?

    // What is known of the connection.
    var openedSockets = 0
    var refusedAddress: String?
    var socketError: Int32 = 0
    var wasSent = false

    // What is known of the reply; see Transfer+Reply.swift.
    let block = HeaderBlock()
    var headerBytes = 0
    var headerLines = 0
    var hasDigest = false
    var hasVary = false
    var head: HTTPHead?
    /// Lines of the trailer that may be digests (RFC 9530, section 2).
    var trailer: [UInt8] = []
    var action = HTTPBodyAction.deliver
    var declaredLength: Int64?
    /// Decodes the body; nil where it is not coded or of no interest.
    var decoder: BodyDecoder?
    /// Whether only the end of the TLS connection ends the body, so that its close_notify must come.
    var needsCleanClose = false
    /// Becomes 1 when it has. The connection, which libcurl closes with the transfer, points here.
    let hasClosed = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    /// Of the body, as they came.
    var codedBytes: Int64 = 0
    /// Of the body, decoded.
    var bodyBytes: Int64 = 0
    /// Bytes of header and body, for the stall clock.
    var receivedBytes = 0
    var stallClock = StallClock()

    // The options set on the handle, to set only those that differ.
    private var profile: HTTPProfile?
    private var proxy: String?
    private var version: HTTPVersion?
    /// Microseconds.
    private var timeLimit: Int64 = 0
    private var isSecure: Bool?
    /// Set for servers that speak HTTP/2.
    private(set) var waitsForConnection = false
    /// Whether the handle sends a body.
    private var isPosting = false
    /// What `CURLOPT_USERAGENT` is.
    private var proxyAgent: String?
    private var target: RequestTarget
    private var headers = CurlList()
    /// Where `headers` are from; nil when some are of one request alone.
    private var headerOrigin: (profile: HTTPProfile, shared: HTTPHeaderList?)?

    /// Makes the handle and sets what no request changes. Sockets, which outlive a
    /// transfer, have the engine as their context.
    init(slot: Int32, engine: CurlLoop) throws(HTTPFailure) {
        hasClosed.initialize(to: 0)
        handle = try EasyHandle()
        target = try RequestTarget()
        self.slot = slot
        self.engine = engine
        do {
            try applyConstants()
        } catch {
            throw error.failure
        }
    }

    deinit {
        hasClosed.deallocate()
    }

    /// Readies the handle for a request. Throws when the request cannot be made as it is.
    func prepare(_ request: HTTPRequest, proxy: String?, waitsForConnection: Bool) throws(HTTPFailure) {
        if let failure = request.headers?.failure { throw failure }
        if usesProxy, guardsAddresses, !AddressText.mayBeGlobal(host: request.url.host) {
            throw HTTPFailure(.blockedAddress, "\(request.url.host) is not a globally reachable host")
        }
        try applyHeaders(of: request)
        try target.set(request.url)
        do {
            if profile !== request.profile { try apply(request.profile) }
            try apply(request, proxy: proxy, waitsForConnection: waitsForConnection)
        } catch {
            throw error.failure
        }
    }

    /// Forgets the request. The handle must be out of the multi handle.
    func reset() {
        generation &+= 1
        request = nil
        exchange = nil
        hold = -1
        verdict = nil
        openedSockets = 0
        refusedAddress = nil
        socketError = 0
        wasSent = false
        block.removeAll()
        headerBytes = 0
        headerLines = 0
        hasDigest = false
        hasVary = false
        head = nil
        trailer = []
        action = .deliver
        declaredLength = nil
        decoder = nil
        needsCleanClose = false
        codedBytes = 0
        bodyBytes = 0
        receivedBytes = 0
        handle.clearErrorMessage()
        stallClock = StallClock()
    }

    private func applyConstants() throws(CurlError) {
        // Unretained: the engine owns this transfer and frees its handle first.
        let context = Unmanaged.passUnretained(self).toOpaque()
        try handle.setContext(context)
        try ccurl_set_write(handle.raw, transferDidReceiveBody, context).check()
        try ccurl_set_header(handle.raw, transferDidReceiveHeader, context).check()
        try ccurl_set_prerequest(handle.raw, transferWillSend, context).check()
        try ccurl_set_open_socket(handle.raw, transferOpenSocket, context).check()
        try ccurl_set_close_socket(handle.raw, engineCloseSocket, engine.context).check()
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_UNRESTRICTED_AUTH, 0)
        try handle.set(CURLOPT_HTTP09_ALLOWED, 0)
        try handle.set(target)
        // What a server codes unasked is decoded here; see `BodyDecoder`, and `HTTPProfile.headers` for what is asked for.
        try handle.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        // A proxy's reply to CONNECT is not the reply.
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        // The exceptions were judged already, see `HTTPProxyRules`; the environment's must not be read again.
        try handle.set(CURLOPT_NOPROXY, "")
        try handle.set(CURLOPT_PROXY, "")
    }

    private func apply(_ new: HTTPProfile) throws(CurlError) {
        profile = nil  // applied in part until the end
        let settings = new.configuration
        let size = settings.bandwidth?.bufferSize ?? Self.bufferSize
        if size != currentBufferSize {
            try handle.set(CURLOPT_BUFFERSIZE, size)
            currentBufferSize = size
        }
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(settings.connectTimeout))
        try handle.set(CURLOPT_CONNECT_TO, new.routeList)
        try applyTrust(caFile: settings.caFile)
        profile = new
    }

    /// The system's certificates, and the file's.
    ///
    /// libcurl knows one file and one folder. It keeps the parsed file between connections only if there is no
    /// folder, so the folder is used just where a file of the author's takes the place of the system's.
    private func applyTrust(caFile: String?) throws(CurlError) {
        let system = curlFeatures()
        if let caFile {
            try handle.set(CURLOPT_CAINFO, caFile)
            try handle.set(CURLOPT_CAPATH, system.caDirectory ?? "/etc/ssl/certs")
        } else if let systemFile = system.caFile {
            try handle.set(CURLOPT_CAINFO, systemFile)
            try handle.set(CURLOPT_CAPATH, nil as String?)
        }
    }

    private func apply(_ request: HTTPRequest, proxy: String?, waitsForConnection: Bool) throws(CurlError) {
        try handle.set(CURLOPT_URL, request.url.text)
        if timeLimit != request.timeLimit {
            try handle.set(CURLOPT_TIMEOUT_MS, milliseconds(request.timeLimit))
            timeLimit = request.timeLimit
        }
        let isSecure = request.url.scheme == "https"
        if version != request.version || self.isSecure != isSecure {
            let number =
                switch request.version {
                case .http1: CURL_HTTP_VERSION_1_1
                case .http2 where !isSecure: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
                case .http2, .automatic: CURL_HTTP_VERSION_2TLS
                }
            try handle.set(CURLOPT_HTTP_VERSION, Int(number))
            let isOwn = number == CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE && !keepsPriorKnowledgeConnections
            try handle.set(CURLOPT_FRESH_CONNECT, isOwn ? 1 : 0)
            try handle.set(CURLOPT_FORBID_REUSE, isOwn ? 1 : 0)
            version = request.version
            self.isSecure = isSecure
        }
        if self.proxy != proxy {
            try handle.set(CURLOPT_PROXY, proxy ?? "")
            self.proxy = proxy
        }
        if request.body != nil || isPosting { try apply(body: request.body) }
        // Only for what is said to the proxy itself.
        let proxyAgent = proxy == nil ? nil : request.profile.configuration.userAgent
        if self.proxyAgent != proxyAgent {
            try handle.set(CURLOPT_USERAGENT, proxyAgent)
            self.proxyAgent = proxyAgent
        }
        if self.waitsForConnection != waitsForConnection {
            try handle.set(CURLOPT_PIPEWAIT, waitsForConnection ? 1 : 0)
            self.waitsForConnection = waitsForConnection
        }
    }

    private func apply(body: [UInt8]?) throws(CurlError) {
        if let body {
            try handle.set(CURLOPT_POSTFIELDSIZE, body.count)
            try handle.setCopied(CURLOPT_COPYPOSTFIELDS, body)
        } else {
            try handle.set(CURLOPT_HTTPGET, 1)
        }
        isPosting = body != nil
    }

    /// Makes the list of header fields, unless it is that of the request before: the request's own, those it shares, and
    /// those of the profile that it has none of.
    private func applyHeaders(of request: HTTPRequest) throws(HTTPFailure) {
        if request.extraHeaders.isEmpty, let headerOrigin, headerOrigin.profile === request.profile,
            headerOrigin.shared === request.headers
        {
            return
        }
        let extra = request.extraHeaders
        let shared = request.headers?.headers ?? []
        let chosen = extra + shared.filter { field in !extra.contains { $0.hasName(field.name) } }
        var list = CurlList()
        for header in chosen {
            try header.validate()
            try list.append(header.line)
        }
        for header in request.profile.headers where !chosen.contains(where: { $0.hasName(header.name) }) {
            try list.append(header.line)
        }
        do { try handle.set(CURLOPT_HTTPHEADER, list.head) } catch { throw error.failure }
        headers = list
        headerOrigin = request.extraHeaders.isEmpty ? (request.profile, request.headers) : nil
    }
}

/// libcurl's milliseconds, at least 1, for 0 is its word for no limit.
private func milliseconds(_ microseconds: Int64) -> Int {
    microseconds <= 0 ? 0 : Int(max(1, min(microseconds / 1_000, longestMilliseconds)))
}

/// What libcurl takes for a time: 24 days.
private let longestMilliseconds = Int64(Int32.max)
