import Dispatch
import TestSupport
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

    @Test(
        "hosts are taken from URLs of any format and from lines, each once, addresses not",
        arguments: [
            (
                "https://a.example/x,second.part?q=1\nhttp://me:secret@A.example:8080/\nb.example\n",
                ["a.example", "b.example"]
            ),
            ("url,title\nhttps://a.example/,v1.2 of it\n# c.example\n", ["a.example"]),
            ("[{\"url\": \"https://a.example/1\"}, {\"url\":\"https://b.example\"}]", ["a.example", "b.example"]),
            ("http://127.0.0.1/\nhttp://[::1]:80/\n10.0.0.1\n1.5\nbücher.example\r\n", ["bücher.example"]),
            (String(repeating: " ", count: 100_000) + "\"https://a.example/\"", ["a.example"]),
        ])
    func hosts(_ text: String, _ hosts: [String]) throws {
        let temporary = try TemporaryDirectory()
        try temporary.write(text, to: "list")
        #expect(try HostSample.read(temporary.path("list")).hosts == hosts)
    }

    @Test("of many hosts some are taken, from the first to the last")
    func sample() {
        let sample = HostSample(evenly: (0..<1_000).map { "h\($0).example" })
        #expect(sample.hosts.count == 200 && sample.count == 1_000)
        #expect(sample.hosts.first == "h0.example" && sample.hosts.last == "h995.example")
    }

    @Test(
        "a list without hosts, or that can't be read, is named",
        arguments: [
            ("empty", "", " names no host: wanted are URLs, or a host in each line"),
            ("missing", nil, ": No such file or directory"), (".", nil, ": Is a directory"),
        ])
    func unreadable(_ name: String, _ text: String?, _ words: String) throws {
        let temporary = try TemporaryDirectory()
        if let text { try temporary.write(text, to: name) }
        let error = #expect(throws: UnreadableList.self) { try HostSample.read(temporary.path(name)) }
        #expect(error?.description.contains(temporary.path(name) + words) == true)
    }

    @Test("hosts that do not exist are no fault of the resolver; more than one failure in twenty is")
    func resolver() {
        func findings(failing: Int, absent: Int) -> [Finding] {
            let hosts = (0..<100).map(String.init)
            let probe = ResolverProbe(
                look: { host in
                    let number = Int(host) ?? 0
                    return number < failing ? .failed("busy") : number < failing + absent ? .absent : .found
                })
            return probe.findings(HostSample(evenly: hosts), nameServers: ["192.0.2.1"])
        }
        let well = findings(failing: 5, absent: 60)
        #expect(well.map(\.severity) == [.ok, .ok, .ok])
        #expect(well[0].state == "192.0.2.1")
        #expect(well[1].state.hasPrefix("100 hosts: 35 found, 60 without an address, 5 failed (busy); half within "))
        let ill = findings(failing: 6, absent: 0)
        #expect(ill.map(\.severity) == [.ok, .problem])
        #expect(ill[1].advice?.contains("unbound") == true)
    }

    @Test("a resolver that does not answer is not waited for")
    func patience() {
        let silence = DispatchSemaphore(value: 0)
        let probe = ResolverProbe(
            look: { host in
                if host == "silent" { silence.wait() }
                return .found
            }, patience: 200_000)
        let findings = probe.findings(HostSample(evenly: ["silent", "a"]), nameServers: [])
        silence.signal()
        #expect(findings.last?.severity == .problem)
        #expect(findings.last?.state.hasPrefix("2 hosts: 1 found, 1 without an answer after 200 ms") == true)
    }

    @Test("name servers are those of resolv.conf")
    func nameServers() {
        #expect(
            ResolverProbe.nameServers(in: "# nameserver 1.1.1.1\nsearch x\nnameserver\t192.0.2.1\n nameserver ::1\n")
                == ["192.0.2.1", "::1"])
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
