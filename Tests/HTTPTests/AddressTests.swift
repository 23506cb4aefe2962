import Glibc
import HTTP
import TestSupport
import Testing

@Suite("Addresses", .timeLimit(.minutes(1)))
struct AddressTests {
    @Test(
        "addresses of the public internet are reachable",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255",
            "192.0.0.9", "192.0.0.10", "192.0.1.0", "192.31.196.1", "192.52.193.1", "192.167.255.255", "192.169.0.0",
            "192.175.48.1", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255",
            "203.0.114.0", "223.255.255.255", "2606:4700:4700::1111", "2001:4860:4860::8888", "2a00::1", "2001:1::1",
            "2001:1::2", "2001:1::3", "2001:3::1", "2001:4:112::1", "2001:20::1", "2001:30::1", "2001:200::1",
            "2620:4f:8000::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "3ffe::1",
            "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
        ])
    func reachable(_ address: String) throws {
        #expect(isGloballyReachable(try bytes(address)))
    }

    @Test(
        "all other addresses are not, in whatever form",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.8",
            "192.0.0.11",
            "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
            "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::2",
            "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "64:ff9b:1::808:808", "100::1", "100:0:0:1::1",
            "2001::1", "2001:0:7f00:1::f7f7:f7f7", "2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:1::", "2001:1::4",
            "2001:2::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::1", "2002:a00:1::1", "2002:a9fe:a9fe::1",
            "3fff::1", "3fff:fff::1", "5f00::1", "4000::1", "fc00::1", "fd12::1", "fe80::1", "febf::1", "fec0::1",
            "ff02::1", "ffff::1",
        ])
    func unreachable(_ address: String) throws {
        #expect(!isGloballyReachable(try bytes(address)))
    }

    @Test("bytes that are no address are not reachable", arguments: [0, 3, 5, 8, 15, 17])
    func notAnAddress(_ count: Int) {
        #expect(!isGloballyReachable([UInt8](repeating: 8, count: count)))
    }

    @Test(
        "under globalOnly no connection is made to this machine, however it is written",
        arguments: ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"])
    func blocked(_ host: String) throws {
        let server = try FaultyServer { _ in .ok("") }
        let client = try TestClient()
        let result = try client.fetch("http://\(host):\(server.port)/", request: { $0.addresses = .globalOnly }).result
        #expect(result.failure?.kind == .blockedAddress)
        #expect(result.failure?.isTransient == false)
        #expect(result.failure?.detail.contains("globally reachable") == true)
        #expect(server.connectionCount == 0)
    }

    @Test("a blocked address names itself")
    func blockedDetail() throws {
        let client = try TestClient()
        let failure = try client.fetch("http://169.254.169.254/", request: { $0.addresses = .globalOnly }).failure
        #expect(failure?.detail == "169.254.169.254 is not a globally reachable address")
    }

    @Test("a kept connection to a blocked address is not used again under globalOnly")
    func blockedReuse() throws {
        let server = try FaultyServer { _ in .ok("x") }
        let client = try TestClient()
        #expect(try client.fetch(server.url()).failure == nil)
        let failure = try client.fetch(server.url(), request: { $0.addresses = .globalOnly }).failure
        #expect(failure?.kind == .blockedAddress)
        #expect(server.requests.count == 1)
    }

    @Test("of a name's addresses, one that is allowed is tried although another is not")
    func oneAllowed() throws {
        let server = try FaultyServer { _ in .ok("x") }
        // libcurl knows localhost as 127.0.0.1 and ::1, where this server does not listen.
        let seen = Monitor<[[UInt8]]>([])
        let client = try TestClient(isReachable: { address in
            seen.withLock { $0.append(address) }
            return address.count == 16
        })
        let state = try client.fetch(
            "http://localhost:\(server.port)/", request: { $0.addresses = .globalOnly })
        #expect(state.failure?.kind == .connect)
        #expect(seen.withLock { $0 } == [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]])
        #expect(server.connectionCount == 0)
    }

    @Test("a route's target may be any address, since the author of the settings wrote it")
    func route() throws {
        let server = try FaultyServer { _ in .ok("x") }
        let client = try TestClient()
        let state = try client.fetch("http://www.example.com/a") {
            $0.routes = [
                HTTPRoute(host: "www.example.com", port: 80, targetHost: "127.0.0.1", targetPort: server.port)
            ]
        } request: {
            $0.addresses = .globalOnly
        }
        #expect(state.failure == nil)
        #expect(server.requests.first?["host"] == "www.example.com")
    }

    private func bytes(_ address: String) throws -> [UInt8] {
        var storage = in6_addr()
        let family = address.contains(":") ? AF_INET6 : AF_INET
        try #require(inet_pton(family, address, &storage) == 1)
        return withUnsafeBytes(of: storage) { Array($0.prefix(family == AF_INET6 ? 16 : 4)) }
    }
}
