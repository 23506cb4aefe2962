import Run
import Schedule
import TestSupport
import Testing

@testable import Model

extension FaultMatrix {
    /// Proxies, and both kinds of addresses.
    @Suite("Ways to a server", .timeLimit(.minutes(2)))
    struct Ways {
        private func bench(proxy port: Int) throws -> Bench {
            var bench = try Bench(transfer: "proxy: 'http://127.0.0.1:\(port)'")
            bench.options.backoff.limit = 1_000
            return bench
        }

        private func item(_ bench: Bench, _ url: String) -> ListedItem {
            let item = bench.item("/a").with(url: url)
            return item
        }

        @Test("through a proxy, which resolves the name")
        func proxy() async throws {
            FaultTally.count()
            let proxy = try FaultyServer { _ in .ok(Fault.body) }
            let bench = try bench(proxy: proxy.port)
            #expect(try await bench.run([item(bench, "http://no-such-host.example/a")])["a"].outcome == "downloaded")
            #expect(proxy.requests.map(\.target) == ["http://no-such-host.example/a"])
        }

        @Test("a proxy that refuses fails for good", arguments: [403, 407, 502])
        func refusal(_ status: Int) async throws {
            FaultTally.count()
            let proxy = try FaultyServer { _ in .status(status) }
            let bench = try bench(proxy: proxy.port)
            let row = try await bench.run([item(bench, "https://example.org/a")])["a"]
            #expect(row.failure == "proxy", "\(row.detail)")
            #expect(row.attempts == 1)
            #expect(proxy.requests.map(\.method) == ["CONNECT"])
            #expect(bench.files == [])
        }

        @Test("a proxy that is not there is tried again, and named")
        func absence() async throws {
            FaultTally.count()
            let bench = try bench(proxy: 1)
            let row = try await bench.run([item(bench, "http://example.org/a")])["a"]
            #expect(row.failure == "connect")
            #expect(row.attempts == 3)
            #expect(row.detail.contains("proxy"), "\(row.detail)")
        }

        @Test("an IPv6 address is as good as an IPv4 one, and as private", arguments: [true, false])
        func addresses(_ isAllowed: Bool) async throws {
            FaultTally.count()
            let server = try FaultyServer(isIPv6: true) { _, connection in connection.send(.ok(Fault.body)) }
            let bench = try Bench(transfer: "allow_private_addresses: \(isAllowed)")
            let row = try await bench.run([item(bench, server.url("/a"))])["a"]
            #expect(row.outcome == (isAllowed ? "downloaded" : "failed"), "\(row.detail)")
            #expect(row.failure == (isAllowed ? .null : "blocked-address"))
            if isAllowed { #expect(row.transfer["address"] == "::1") }
            #expect(server.connectionCount == (isAllowed ? 1 : 0))
        }
    }
}
