import HTTP
import System
import TestSupport
import Testing

@Suite("Bandwidth", .timeLimit(.minutes(1)))
struct BandwidthTests {
    /// What 8 MB at 4 MB a second may come to: at the end, the bodies in flight, a tenth of all, may still be owed,
    /// and a busy machine is slower.
    private static let rates = 2_000_000.0...4_700_000

    @Test("transfers that share a bandwidth keep to it together, and the others are not slowed")
    func shared() throws {
        let server = try FaultyServer { _ in .ok([UInt8](repeating: 0x61, count: 200_000)) }
        let bandwidth = HTTPBandwidth(bytesPerSecond: 4_000_000)
        let limited = try ManyRequests(server: server, count: 40, inFlight: 4) { $0.bandwidth = bandwidth }
        let free = try TestClient().fetch(server.url("/free")).result
        try limited.waitUntilDone()
        #expect(limited.outcome.failures == [])
        #expect(Self.rates.contains(limited.outcome.rate))
        #expect(free.phases.total < 1_000_000)
    }

    @Test("a bandwidth holds over several loops")
    func severalLoops() throws {
        let server = try FaultyServer { _ in .ok([UInt8](repeating: 0x61, count: 200_000)) }
        let bandwidth = HTTPBandwidth(bytesPerSecond: 4_000_000)
        let halves = try (0..<2).map { _ in
            try ManyRequests(server: server, count: 20, inFlight: 2) { $0.bandwidth = bandwidth }
        }
        for half in halves { try half.waitUntilDone() }
        let whole = halves[0].outcome.merged(with: halves[1].outcome)
        #expect(whole.failures == [])
        #expect(Self.rates.contains(whole.rate))
    }

    @Test("transfers that begin together take no more at once than the bytes of a second")
    func burst() throws {
        let server = try FaultyServer { _ in .ok([UInt8](repeating: 0x61, count: 2_000_000)) }
        let bandwidth = HTTPBandwidth(bytesPerSecond: 8_000_000)
        #expect(bandwidth.mostTransfers >= 16)
        // How long reading has to rest is what was taken too soon.
        let longest = Monitor<Int64>(0)
        let requests = try ManyRequests(
            server: server, count: 16, inFlight: 16, profile: { $0.bandwidth = bandwidth },
            whenFinished: {
                let delay = bandwidth.delay(at: .now())
                longest.withLock { $0 = max($0, delay) }
            })
        try requests.waitUntilDone()
        #expect(longest.withLock { $0 } <= 1_000_000)
    }

    @Test("a small bandwidth bears few transfers", arguments: [(100_000, 1), (500_000, 4), (2_000_000, 16)])
    func fewTransfers(_ rate: Int64, _ count: Int) {
        #expect(HTTPBandwidth(bytesPerSecond: rate).mostTransfers == count)
    }

    @Test("waiting for bandwidth is no stall")
    func noStall() throws {
        let server = try FaultyServer { _ in .ok([UInt8](repeating: 0x61, count: 200_000)) }
        let client = try TestClient()
        let bandwidth = HTTPBandwidth(bytesPerSecond: 400_000)
        let request = try client.request(server.url()) {
            $0.bandwidth = bandwidth
            $0.stallTimeout = 100_000
        }
        let fetches = (0..<3).map { _ in client.begin(request) }
        for fetch in fetches { #expect(try fetch.wait().failure == nil) }
    }

    @Test("a stall under a bandwidth is still a stall")
    func stall() throws {
        let server = try FaultyServer { _ in .ok("0123456789").cut(after: 5, .stall) }
        let client = try TestClient()
        let failure = try client.fetch(server.url()) {
            $0.bandwidth = HTTPBandwidth(bytesPerSecond: 1_000)
            $0.stallTimeout = 100_000
        }.failure
        #expect(failure?.kind == .stalled)
    }

    @Test("the long-run average of a bucket is its rate, however it is debited")
    func average() {
        let start = Monotonic(microseconds: 0)
        let bandwidth = HTTPBandwidth(bytesPerSecond: 1_000_000, now: start)
        var now = start
        var bytes = 0
        var size = 1
        while now - start < 100_000_000 {
            let delay = bandwidth.delay(at: now)
            if delay > 0 {
                now = now.advanced(byMicroseconds: delay)
            } else {
                size = size * 7 % 131_071
                bandwidth.debit(size)
                bytes += size
                now = now.advanced(byMicroseconds: 20)
            }
        }
        #expect(abs(Double(bytes) / 100_000_000 - 1) < 0.01)
    }
}
