import Jobs
import Run
import TestSupport
import Testing

@testable import Model

/// Which header fields go where.
@Suite("Header fields of requests", .timeLimit(.minutes(1)))
struct HeaderTests {
    private let transfer = """
        headers: {X-Plain: plain, Authorization: Basic abc, X-Token: "t-${TOKEN}"}
        allow_private_addresses: true
        """

    private func bench(_ responses: [String: [FaultyServer.Response]]) throws -> Bench {
        try Bench(responses, transfer: transfer, environment: ["TOKEN": "s3cret"])
    }

    @Test("a host that the job file names gets all of the job's header fields")
    func authored() async throws {
        let bench = try bench(["/a": [.ok("x")]])
        _ = try await bench.run("/a")
        let request = try #require(bench.server.requests.first)
        #expect(request["X-Plain"] == "plain")
        #expect(request["Authorization"] == "Basic abc")
        #expect(request["X-Token"] == "t-s3cret")
        #expect(request["User-Agent"]?.hasPrefix("runner/0-test libcurl/") == true)
        #expect(request["Accept-Encoding"] == "identity")
    }

    @Test("of a name that job and list both have one field is sent: the job's where it is private, else the list's")
    func oneOfAName() async throws {
        let bench = try bench(["/a": [.ok("x")]])
        let item = bench.item("/a").with(
            headers: [
                ListedHeader(name: "authorization", value: "Basic other"), ListedHeader(name: "x-plain", value: "own"),
                ListedHeader(name: "X-PLAIN", value: "again"), ListedHeader(name: "x-token", value: "mine"),
            ])
        _ = try await bench.run([item])
        let request = try #require(bench.server.requests.first)
        func values(_ name: String) -> [String] {
            request.headers.filter { $0.name.lowercased() == name }.map(\.value)
        }
        #expect(values("authorization") == ["Basic abc"])
        #expect(values("x-token") == ["t-s3cret"])
        #expect(values("x-plain") == ["own"])
    }

    @Test("what a job file names over https gets neither private fields nor trust in clear, at the same host and port")
    func otherScheme() async throws {
        var bench = try bench(["/a": [.ok("x")]])
        bench.job.trust.authored = [Authority(scheme: "https", host: "127.0.0.1", port: bench.server.port)]
        let item = bench.item("/a").with(headers: [ListedHeader(name: "Cookie", value: "a=b")])
        _ = try await bench.run([item])
        let request = try #require(bench.server.requests.first)
        #expect(request["X-Plain"] == "plain")
        for name in ["Authorization", "X-Token", "Cookie"] { #expect(request[name] == nil, "\(name)") }
        bench.job.trust.allowsPrivateAddresses = false
        #expect(try await bench.run([bench.item("/b")])["b"].failure == "blocked-address")
    }

    @Test("another host of the list gets no credentials")
    func listed() async throws {
        let bench = try bench(["/a": [.ok("x")]])
        let item = bench.item("/a").with(
            url: "http://localhost:\(bench.server.port)/a",
            headers: [
                ListedHeader(name: "X-Item", value: "1"), ListedHeader(name: "Cookie", value: "a=b"),
                ListedHeader(name: "Range", value: "bytes=5-"), ListedHeader(name: "Bad Name", value: "1"),
                ListedHeader(name: "X-Broken", value: "a\r\nX-Injected: 1"),
            ])
        _ = try await bench.run([item])
        let request = try #require(bench.server.requests.first)
        #expect(request["X-Plain"] == "plain")
        #expect(request["X-Item"] == "1")
        for name in ["Authorization", "X-Token", "Cookie", "Range", "X-Injected"] {
            #expect(request[name] == nil, "\(name)")
        }
    }

    @Test("a redirect to another host drops the fields, one within the host keeps them")
    func redirected() async throws {
        let responses: [String: [FaultyServer.Response]] = [
            "/a": [.redirect(to: "/b")], "/c": [.ok("x")],
        ]
        var bench = try bench(responses)
        bench.script.set("/b", .redirect(to: "http://localhost:\(bench.server.port)/c"))
        bench.job.trust.authored.insert(Authority(scheme: "http", host: "localhost", port: bench.server.port))
        let item = bench.item("/a").with(headers: [ListedHeader(name: "X-Item", value: "1")])
        #expect(try await bench.run([item])["a"].outcome == "downloaded")
        let names = ["X-Plain", "Authorization", "X-Token", "X-Item"]
        let within = try #require(bench.requests("/b").first)
        #expect(names.allSatisfy { within[$0] != nil })
        let elsewhere = try #require(bench.requests("/c").first)
        #expect(names.allSatisfy { elsewhere[$0] == nil })
    }

    @Test("a listed field with a secret goes to hosts of the job file alone")
    func listedSecretElsewhere() async throws {
        let bench = try bench(["/a": [.ok("x")]])
        let headers = [
            ListedHeader(name: "X-Key", value: "k-s3cret-${TOKEN}"), ListedHeader(name: "X-Item", value: "1"),
        ]
        _ = try await bench.run([
            bench.item("/a").with(url: "http://localhost:\(bench.server.port)/a", headers: headers)
        ])
        let request = try #require(bench.server.requests.first)
        #expect(request["X-Item"] == "1")
        #expect(request["X-Key"] == nil)
    }

    @Test("a listed field with a secret is sent as it is in every run")
    func listedSecret() async throws {
        let bench = try bench(["/a": [.status(403)]])
        let item = bench.item("/a").with(headers: [ListedHeader(name: "X-Key", value: "k-s3cret-${TOKEN}")])
        _ = try await bench.run([item])
        _ = try await bench.run([]) { $0.selection.isFailedOnly = true }
        #expect(bench.server.requests.map { $0["X-Key"] } == ["k-s3cret-${TOKEN}", "k-s3cret-${TOKEN}"])
    }
}
