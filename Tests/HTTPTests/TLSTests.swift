import HTTP
import TestSupport
import Testing

@Suite("TLS and HTTP/2", .timeLimit(.minutes(1)), .enabled(if: NginxServer.isInstalled))
struct TLSTests {
    private let directory: TemporaryDirectory
    private let certificate: TestCertificate

    init() throws {
        directory = try TemporaryDirectory()
        certificate = try TestCertificate(in: directory)
        try directory.write("hello", to: "www/a")
        try directory.write([UInt8](repeating: 0x61, count: 3_000_000), to: "www/large")
    }

    private func server(hasHTTP2: Bool, extra: String = "") throws -> NginxServer {
        var options = NginxServer.Options(root: directory.path("www"))
        options.certificate = certificate
        options.hasHTTP2 = hasHTTP2
        options.extra = extra
        return try NginxServer(options)
    }

    @Test("a certificate that nobody vouches for is a permanent failure, and one of the given authority is not")
    func authority() throws {
        let server = try server(hasHTTP2: false)
        let client = try TestClient()
        let refused = try client.fetch(server.url("/a")).result
        #expect(refused.failure?.kind == .tls)
        #expect(refused.failure?.isTransient == false)
        #expect(refused.phases.total == refused.phases.dns + refused.phases.connect + refused.phases.tls)
        let accepted = try client.fetch(server.url("/a")) { $0.caFile = certificate.authority }
        #expect(accepted.failure == nil)
        #expect(accepted.text == "hello")
        #expect(accepted.result.version == "1.1")
        #expect(accepted.result.phases.tls > 0)
        #expect(try client.fetch(server.url("/a")).failure?.kind == .tls, "the trust was for that profile alone")
    }

    @Test("a certificate for another name is a permanent failure")
    func wrongName() throws {
        let server = try server(hasHTTP2: false)
        let client = try TestClient()
        let failure = try client.fetch("https://127.0.0.2:443/a") {
            $0.caFile = certificate.authority
            $0.routes = [HTTPRoute(host: "127.0.0.2", port: 443, targetHost: "127.0.0.1", targetPort: server.port)]
        }.failure
        #expect(failure?.kind == .tls)
        #expect(failure?.isTransient == false)
    }

    @Test("an authority file that is not there is a permanent failure")
    func missingAuthority() throws {
        let server = try server(hasHTTP2: false)
        let failure = try TestClient().fetch(server.url("/a")) { $0.caFile = directory.path("absent.pem") }.failure
        #expect(failure?.kind == .tls)
        #expect(failure?.isTransient == false)
    }

    @Test("a server that does not speak TLS is a transient failure of TLS")
    func noTLS() throws {
        let plain = try NginxServer(NginxServer.Options(root: directory.path("www")))
        let result = try TestClient().fetch("https://127.0.0.1:\(plain.port)/").result
        #expect(result.failure?.kind == .tls)
        #expect(result.failure?.isTransient == true)
    }

    @Test("HTTP/2 is spoken where it is offered, over one connection for all requests, unless it is turned off")
    func multiplexing() throws {
        let server = try server(hasHTTP2: true)
        let client = try TestClient()
        let request = try client.request(server.url("/a")) { $0.caFile = certificate.authority }
        #expect(try client.begin(request).wait().result.version == "2")
        let fetches = (0..<50).map { _ in client.begin(request) }
        for fetch in fetches {
            let state = try fetch.wait()
            #expect(state.failure == nil)
            #expect(state.text == "hello")
            #expect(state.result.version == "2")
            #expect(state.result.isConnectionReused)
        }
        var older = request
        older.version = .http1
        #expect(try client.begin(older).wait().result.version == "1.1")
        client.stop()
        server.stop()
        let connections = Set(
            try server.accessLog().filter { $0.hasPrefix("HTTP/2.0") }.map { $0.split(separator: " ")[3] })
        #expect(connections.count == 1)
    }

    @Test("HTTP/2 in clear is spoken to a server that is known to")
    func priorKnowledge() throws {
        var options = NginxServer.Options(root: directory.path("www"))
        options.hasHTTP2 = true
        let server = try NginxServer(options)
        let client = try TestClient()
        let request = try client.request(server.url("/a"), { _ in }) { $0.version = .http2 }
        for atOnce in [1, 1, 5] {
            let fetches = (0..<atOnce).map { _ in client.begin(request) }
            for fetch in fetches {
                let state = try fetch.wait()
                #expect(state.failure == nil)
                #expect(state.result.version == "2")
                #expect(state.text == "hello")
            }
        }
    }

    @Test(
        "a body over HTTP/2 that ends before its length is truncated, and the connection goes on",
        arguments: [true, false])
    func shortBody(_ isSecure: Bool) throws {
        // nginx passes on what it gets of a reply that breaks off, with the length that was declared.
        let upstream = try FaultyServer { _ in .ok("0123456789").cut(after: 4, .close) }
        var options = NginxServer.Options(root: directory.path("www"))
        options.certificate = isSecure ? certificate : nil
        options.hasHTTP2 = true
        options.extra = "location /short { proxy_pass http://127.0.0.1:\(upstream.port); }"
        let server = try NginxServer(options)
        let client = try TestClient()
        let short = try client.request(server.url("/short"), { $0.caFile = certificate.authority }) {
            $0.version = .http2
        }
        let state = try client.begin(short).wait()
        #expect([.truncated, .reset].contains(state.failure?.kind))
        #expect(state.failure?.isTransient == true)
        #expect(state.body.count < 10)
        var whole = short
        whole.url = try WebURL(server.url("/a"))
        let next = try client.begin(whole).wait()
        #expect(next.text == "hello", "\(state.result) \(next.result)")
        #expect(next.result.version == "2")
    }

    @Test("a bandwidth holds over TLS, where libcurl reads on without being asked", arguments: [true, false])
    func bandwidth(_ hasHTTP2: Bool) throws {
        let server = try server(hasHTTP2: hasHTTP2)
        let requests = try ManyRequests(urls: (0..<5).map { _ in server.url("/large") }, inFlight: 1) {
            $0.caFile = certificate.authority
            $0.bandwidth = HTTPBandwidth(bytesPerSecond: 15_000_000)
        }
        try requests.waitUntilDone()
        #expect(requests.outcome.failures == [])
        #expect((5_000_000...20_000_000).contains(requests.outcome.rate))
    }

    @Test("a large body arrives whole over HTTP/2 and over TLS", arguments: HTTPVersion.allTested)
    func large(_ version: HTTPVersion) throws {
        let server = try server(hasHTTP2: true)
        let client = try TestClient()
        let request = try client.request(server.url("/large"), { $0.caFile = certificate.authority }) {
            $0.version = version
        }
        let fetches = (0..<4).map { _ in client.begin(request) }
        for fetch in fetches {
            let state = try fetch.wait()
            #expect(state.failure == nil)
            #expect(state.body.count == 3_000_000)
            #expect(state.result.wireBytes == 3_000_000)
        }
    }
}

extension HTTPVersion {
    fileprivate static let allTested: [HTTPVersion] = [.automatic, .http1]
}
