import Testing

@testable import Commands
@testable import HTTP

@Suite("Doctor", .timeLimit(.minutes(1)))
struct DoctorTests {
    @Test("a finding is a line with advice below it")
    func text() {
        let findings: [Finding] = [
            .ok("runner", "0.1.0"), .problem("catalog", "x.sqlite: no\u{1B}", advice: "move it away"),
        ]
        #expect(
            DoctorCommand.text(findings) == """
                ok       runner   0.1.0
                problem  catalog  x.sqlite: no\u{FFFD}
                                  move it away

                """)
    }

    @Test("the password of a proxy is never shown")
    func proxies() {
        let environment = [
            "http_proxy": "http://user:pa@ss@proxy:3128", "ALL_PROXY": "me:secret@host:1", "NO_PROXY": "a,b",
            "https_proxy": "", "HTTP_PROXY": "http://ignored",
        ]
        #expect(
            Doctor.proxies(environment) == [
                .ok("http_proxy", "http://***@proxy:3128"), .ok("ALL_PROXY", "***@host:1"), .ok("NO_PROXY", "a,b"),
            ])
        #expect(Doctor.proxies([:]) == [.ok("proxy", "none in the environment")])
    }

    @Test("a libcurl without TLS is a problem, one without HTTP/2 a warning")
    func libcurl() {
        #expect(Doctor.libcurl(.with()).severity == .ok)
        #expect(Doctor.libcurl(.with(hasHTTP2: false)).severity == .warning)
        #expect(Doctor.libcurl(.with(tlsLibrary: nil)).severity == .problem)
    }

    @Test("missing authorities are a problem")
    func authorities() {
        #expect(Doctor.authorities(.with(caFile: "/nonexistent/ca.crt")).severity == .problem)
        #expect(Doctor.authorities(.with(caFile: "/nonexistent/ca.crt", caDirectory: "/")).severity == .ok)
    }

    @Test("few open files are a warning")
    func openFiles() {
        #expect(Doctor.openFiles(soft: 256, hard: 512).severity == .warning)
        #expect(Doctor.openFiles(soft: 1_024, hard: 524_288) == .ok("open files", "1024, may be raised to 524288"))
    }
}

extension CurlFeatures {
    fileprivate static func with(
        tlsLibrary: String? = "OpenSSL/3.0", hasHTTP2: Bool = true, caFile: String? = nil, caDirectory: String? = nil
    ) -> CurlFeatures {
        CurlFeatures(
            version: "7.88.1", tlsLibrary: tlsLibrary, hasHTTP2: hasHTTP2,
            hasInternationalNames: true, caFile: caFile, caDirectory: caDirectory)
    }
}
