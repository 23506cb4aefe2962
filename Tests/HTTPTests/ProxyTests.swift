import HTTP
import TestSupport
import Testing

@Suite("Proxies", .timeLimit(.minutes(1)))
struct ProxyTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let environment: [String: String]
        let url: String
        let proxy: String?

        init(_ testDescription: String, _ environment: [String: String], _ url: String, _ proxy: String?) {
            self.testDescription = testDescription
            self.environment = environment
            self.url = url
            self.proxy = proxy
        }
    }

    @Test(
        "the environment's variables mean what they mean to curl",
        arguments: [
            Case("none", [:], "http://a/", nil),
            Case("http", ["http_proxy": "p"], "http://a/", "p"),
            Case("http in capitals is ignored", ["HTTP_PROXY": "p"], "http://a/", nil),
            Case("http is not for https", ["http_proxy": "p"], "https://a/", nil),
            Case("https", ["https_proxy": "p"], "https://a/", "p"),
            Case("https in capitals", ["HTTPS_PROXY": "p"], "https://a/", "p"),
            Case("small letters first", ["HTTPS_PROXY": "q", "https_proxy": "p"], "https://a/", "p"),
            Case("all", ["ALL_PROXY": "p"], "http://a/", "p"),
            Case("the scheme's before all", ["all_proxy": "q", "https_proxy": "p"], "https://a/", "p"),
            Case("empty is unset", ["http_proxy": "", "all_proxy": "p"], "http://a/", "p"),
            Case("except all", ["http_proxy": "p", "no_proxy": "*"], "http://a/", nil),
            Case("except a host", ["http_proxy": "p", "no_proxy": "b, a"], "http://a/", nil),
            Case("except a domain", ["http_proxy": "p", "no_proxy": ".example.com"], "http://www.example.com/", nil),
            Case("the domain itself", ["http_proxy": "p", "no_proxy": ".example.com"], "http://example.com/", nil),
            Case(
                "without the dot too", ["http_proxy": "p", "NO_PROXY": "example.com"], "http://a.b.example.com/", nil),
            Case(
                "not a name that ends alike", ["http_proxy": "p", "no_proxy": "example.com"], "http://myexample.com/",
                "p"),
            Case("case does not matter", ["http_proxy": "p", "no_proxy": "EXAMPLE.com"], "http://example.COM/", nil),
            Case("that port", ["http_proxy": "p", "no_proxy": "a:8080"], "http://a:8080/", nil),
            Case("another port", ["http_proxy": "p", "no_proxy": "a:8080"], "http://a/", "p"),
            Case("an IPv4 address", ["http_proxy": "p", "no_proxy": "127.0.0.1"], "http://127.0.0.1/", nil),
            Case("an IPv6 address", ["http_proxy": "p", "no_proxy": "::1"], "http://[::1]/", nil),
            Case("an IPv6 address in brackets", ["http_proxy": "p", "no_proxy": "[::1]:81"], "http://[::1]:81/", nil),
            Case(
                "an IPv6 address spelled at length", ["http_proxy": "p", "no_proxy": "0:0::0:1"], "http://[::1]/", nil),
            Case("a network", ["http_proxy": "p", "no_proxy": "10.0.0.0/8"], "http://10.250.3.4/", nil),
            Case("beside a network", ["http_proxy": "p", "no_proxy": "10.0.0.0/8"], "http://11.0.0.1/", "p"),
            Case(
                "a network within a byte", ["http_proxy": "p", "no_proxy": "172.16.0.0/12"], "http://172.31.0.1/", nil),
            Case("beside such a one", ["http_proxy": "p", "no_proxy": "172.16.0.0/12"], "http://172.32.0.1/", "p"),
            Case("a network of all", ["http_proxy": "p", "no_proxy": "0.0.0.0/0"], "http://8.8.8.8/", nil),
            Case(
                "a network of all IPv4, and IPv6", ["http_proxy": "p", "no_proxy": "0.0.0.0/0"], "http://[::1]/", "p"),
            Case("a network of one", ["http_proxy": "p", "no_proxy": "10.1.2.3/32"], "http://10.1.2.3/", nil),
            Case("an IPv6 network", ["http_proxy": "p", "no_proxy": "fd00::/8"], "http://[fd12::1]/", nil),
            Case("beside an IPv6 network", ["http_proxy": "p", "no_proxy": "fd00::/8"], "http://[fe80::1]/", "p"),
            Case(
                "a network in a list", ["http_proxy": "p", "no_proxy": "a,192.168.0.0/16"], "http://192.168.7.7/", nil),
            Case("a name is in no network", ["http_proxy": "p", "no_proxy": "10.0.0.0/8"], "http://10.example/", "p"),
            Case("too long a prefix", ["http_proxy": "p", "no_proxy": "10.0.0.1/33"], "http://10.0.0.1/", "p"),
            Case("no prefix", ["http_proxy": "p", "no_proxy": "10.0.0.1/x"], "http://10.0.0.1/", "p"),
            Case("a prefix of a name", ["http_proxy": "p", "no_proxy": "example.com/8"], "http://example.com/", "p"),
        ])
    func environment(_ example: Case) throws {
        #expect(HTTPProxyRules(environment: example.environment).proxy(for: try WebURL(example.url)) == example.proxy)
    }

    @Test("a request in clear goes to the proxy with its whole URL, and the proxy's own address is allowed")
    func plain() throws {
        let proxy = try FaultyServer { request in .ok(request.target) }
        let client = try TestClient()
        let state = try client.fetch("http://www.example.com/a") {
            $0.proxy = .url(proxy.url())
        } request: {
            $0.addresses = .globalOnly
        }
        #expect(state.failure == nil)
        #expect(state.text == "http://www.example.com/a")
        #expect(state.result.address == "127.0.0.1")
        #expect(
            proxy.requests.first?.headers.filter { $0.name.lowercased() == "user-agent" }.map(\.value) == ["test/1"])
    }

    @Test(
        "behind a proxy, addresses of this network and the names of this machine are refused by their text",
        arguments: [
            "127.0.0.1", "10.1.2.3", "[::1]", "[::ffff:10.0.0.1]", "localhost", "localhost.", "a.localhost",
            "127.0.0.1.", "0x7f.1", "0x7f.1.", "0177.0.0.1.", "017700000001.", "2130706433.", "10.1.", "LOCALHOST.",
            "LocalHost", "[fe80::1%25eth0]", "[::FFFF:127.0.0.1]", "%31%32%37.0.0.1.",
        ])
    func judgedByText(_ host: String) throws {
        let proxy = try FaultyServer { _ in .ok("") }
        let client = try TestClient()
        let failure = try client.fetch("http://\(host)/a") {
            $0.proxy = .url(proxy.url())
        } request: {
            $0.addresses = .globalOnly
        }.failure
        #expect(failure?.kind == .blockedAddress)
        #expect(proxy.requests.isEmpty)
    }

    @Test("a proxy that refuses to connect through is a failure of the proxy", arguments: [403, 407, 502])
    func refusedTunnel(_ status: Int) throws {
        let proxy = try FaultyServer { _ in .status(status) }
        let client = try TestClient()
        let state = try client.fetch("https://www.example.com/") { $0.proxy = .url(proxy.url()) }
        #expect(state.failure?.kind == .proxy)
        #expect(state.failure?.detail.contains("\(status)") == true)
        #expect(state.result.status == 0)
        #expect(state.heads.isEmpty)
        #expect(proxy.requests.first?.method == "CONNECT")
        #expect(proxy.requests.first?["user-agent"] == "test/1")
    }

    @Test("a proxy that is not there is a failure to connect that names the proxy")
    func absent() throws {
        let port = try { try FaultyServer { _ in .ok("") }.port }()
        let client = try TestClient()
        let failure = try client.fetch("http://www.example.com/") { $0.proxy = .url("http://127.0.0.1:\(port)") }
            .failure
        #expect(failure?.kind == .connect)
        #expect(failure?.detail.contains("proxy") == true)
    }
}
