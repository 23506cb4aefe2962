import TestSupport
import Testing

@Suite("End to end: TLS and HTTP/2", .wholeProgramLimit)
struct TLSTests {
    /// nginx with a certificate of an authority of its own, for a name that no name server knows.
    private struct Site {
        let directory: TemporaryDirectory
        let server: NginxServer
        let authority: String

        init() throws {
            directory = try TemporaryDirectory()
            let certificate = try TestCertificate(in: directory, host: "flags.test")
            authority = certificate.authority
            for name in 0..<20 { try directory.write("body \(name)", to: "site/\(name).bin") }
            var options = NginxServer.Options(root: directory.path("site"))
            options.certificate = certificate
            options.hasHTTP2 = true
            server = try NginxServer(options)
        }
    }

    private func job(_ workplace: Workplace, _ site: Site, authority: String?) throws {
        var transfer = ["connect_to: {'flags.test:443': '127.0.0.1:\(site.server.port)'}"]
        if let authority { transfer.append("ca_file: \(authority)") }
        try workplace.writeJob(
            source: ["template: 'https://flags.test/{n}.bin'", "count: 20"], transfer: transfer)
    }

    @Test("a made-up host behind connect_to, trusted through ca_file, over HTTP/2")
    func trusted() throws {
        let workplace = try Workplace()
        let site = try Site()
        // Relative to the job file.
        try workplace.directory.write(contents(of: site.authority) ?? [], to: "authority.pem")
        try job(workplace, site, authority: "authority.pem")
        let result = try workplace.run(["job.yaml"])
        #expect(result.ending == .exit(0), "\(result.errors)")
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.values("SELECT DISTINCT http_version FROM transfer") == ["2"])
        #expect(try catalog.number("SELECT count(*) FROM transfer WHERE connection_reused = 0 AND tls_us > 0") >= 1)
        #expect(try catalog.number("SELECT count(*) FROM transfer WHERE connection_reused = 1 AND tls_us > 0") == 0)
        #expect(try catalog.values("SELECT DISTINCT address FROM transfer") == ["127.0.0.1"])
        #expect(try catalog.value("SELECT url FROM item WHERE key = '7'") == "https://flags.test/7.bin")
        let requests = try site.server.requests()
        #expect(requests.count { $0.version == "HTTP/2.0" && $0.status == 200 } == 20)
        #expect(workplace.read("out/list/7.bin") == Array("body 7".utf8))
    }

    @Test("http_version: 1.1 is kept to")
    func oldVersion() throws {
        let workplace = try Workplace()
        let site = try Site()
        try job(workplace, site, authority: site.authority)
        #expect(try workplace.run(["job.yaml", "--set", "transfer.http_version=1.1"]).ending == .exit(0))
        #expect(try workplace.catalog().values("SELECT DISTINCT http_version FROM transfer") == ["1.1"])
        #expect(try site.server.requests().count { $0.version == "HTTP/1.1" && $0.status == 200 } == 20)
    }

    @Test("a certificate that is not trusted fails for good: one attempt, no request", arguments: [true, false])
    func untrusted(_ hasOtherAuthority: Bool) throws {
        let workplace = try Workplace()
        let site = try Site()
        let other = hasOtherAuthority ? try TestCertificate(in: workplace.directory).authority : nil
        try job(workplace, site, authority: other)
        let result = try workplace.run(["job.yaml", "--limit", "1"])
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("failed  list 0: tls: "))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(
            try catalog.values("SELECT outcome || ' ' || failure || ' ' || attempts FROM transfer") == ["failed tls 1"])
        #expect(try site.server.requests().contains { $0.target == "/0.bin" } == false)
        #expect(workplace.files() == [])
    }

    @Test("a certificate for another name fails for good")
    func otherName() throws {
        let workplace = try Workplace()
        let site = try Site()
        try workplace.writeJob(
            source: ["items: [{key: a, url: 'https://other.test/0.bin'}]"],
            transfer: [
                "connect_to: {'other.test:443': '127.0.0.1:\(site.server.port)'}", "ca_file: \(site.authority)",
            ])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        #expect(try workplace.catalog().outcomes() == ["a failed tls"])
    }
}
