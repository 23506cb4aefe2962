import TestSupport
import Testing

@testable import Model

extension FaultMatrix {
    @Suite("TLS", .timeLimit(.minutes(2)), .enabled(if: NginxServer.isInstalled))
    struct Secure {
        private let directory: TemporaryDirectory
        private static let body = picture(50_000)

        init() throws {
            directory = try TemporaryDirectory()
            for name in 0..<40 { try directory.write(Self.body, to: "www/\(name).png") }
        }

        private func server(
            _ certificate: TestCertificate, hasHTTP2: Bool = false, extra: String = ""
        ) throws -> NginxServer {
            var options = NginxServer.Options(root: directory.path("www"))
            options.certificate = certificate
            options.hasHTTP2 = hasHTTP2
            options.extra = extra
            return try NginxServer(options)
        }

        private func bench(_ port: Int, authority: String?, name: String = "secure.test") throws -> Bench {
            var transfer = "connect_to: {'\(name):443': '127.0.0.1:\(port)'}"
            if let authority { transfer += "\nca_file: \(authority)" }
            return try Bench(transfer: transfer)
        }

        private func item(_ bench: Bench, _ path: String, name: String = "secure.test") -> ListedItem {
            let item = bench.item("/\(path)", title: String(path.prefix { $0 != "." })).with(
                url: "https://\(name)/\(path)")
            return item
        }

        enum Certificate: String, CaseIterable, Sendable { case expired, selfSigned, unknownAuthority, wrongName }

        @Test(
            "a certificate that proves nothing fails for good, before anything is asked",
            arguments: Certificate.allCases)
        func certificate(_ fault: Certificate) async throws {
            FaultTally.count()
            let made = try TestCertificate(in: directory, host: "secure.test", isExpired: fault == .expired)
            let server = try server(fault == .selfSigned ? made.selfSigned : made)
            let name = fault == .wrongName ? "other.test" : "secure.test"
            let hasAuthority = fault == .expired || fault == .wrongName
            let bench = try bench(server.port, authority: hasAuthority ? made.authority : nil, name: name)
            let report = try await bench.run([item(bench, "1.png", name: name)])
            let row = try report["1.png"]
            #expect(row.outcome == "failed")
            #expect(row.failure == "tls", "\(row.detail)")
            #expect(row.attempts == 1)
            #expect(row.state == "failed")
            #expect(bench.files == [])
            server.stop()
            #expect(try server.accessLog() == [])
        }

        @Test("a redirect from https to http is not followed")
        func downgrade() async throws {
            FaultTally.count()
            let made = try TestCertificate(in: directory, host: "secure.test")
            let server = try server(made, extra: "location /1.png { return 302 http://secure.test/2.png; }")
            let bench = try bench(server.port, authority: made.authority)
            let row = try await bench.run([item(bench, "1.png")])["1.png"]
            #expect(row.failure == "redirect", "\(row.detail)")
            #expect(row.detail.contains("from https to http"))
            #expect(bench.files == [])
        }

        @Test("a body without a length must end with a clean end of TLS", arguments: [true, false])
        func close(_ isCut: Bool) async throws {
            FaultTally.count()
            let upstream = try FaultyServer { _ in .untilClose(String(repeating: "a", count: 5_000)) }
            let made = try TestCertificate(in: directory, host: "secure.test")
            let server = try server(
                made,
                extra: """
                    location /open { proxy_pass http://127.0.0.1:\(upstream.port); proxy_buffering off;
                        chunked_transfer_encoding off; }
                    """)
            let relay = try TLSRelay(to: server.port)
            let bench = try bench(isCut ? relay.port : server.port, authority: made.authority)
            let row = try await bench.run([item(bench, "open")])["open"]
            #expect(row.outcome == (isCut ? "failed" : "downloaded"), "\(row.detail)")
            #expect(row.attempts == (isCut ? 3 : 1))
            if isCut { #expect(["reset", "truncated"].contains(row.failure?.text), "\(row.detail)") }
            #expect(bench.files.count == (isCut ? 0 : 1))
        }

        @Test("a server that ends its connections after three requests costs no item", arguments: [true, false])
        func shortConnections(_ hasHTTP2: Bool) async throws {
            FaultTally.count()
            let made = try TestCertificate(in: directory, host: "secure.test")
            let server = try server(made, hasHTTP2: hasHTTP2, extra: "keepalive_requests 3;")
            let bench = try bench(server.port, authority: made.authority)
            let report = try await bench.run((0..<40).map { item(bench, "\($0).png") })
            #expect(report.outcome == .complete)
            #expect(report.items.values.allSatisfy { $0.outcome == "downloaded" })
            #expect(report.items.values.allSatisfy { $0.transfer["http_version"] == .text(hasHTTP2 ? "2" : "1.1") })
            #expect(bench.files.count == 40)
        }
    }
}
