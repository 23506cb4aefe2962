import Run
import Testing

@Suite("Delays of --jitter")
struct StableDelayTests {
    @Test("a job on a machine has one delay, below the limit; others have others")
    func stable() {
        let limit: Int64 = 600_000_000
        let delays = (0..<1_000).map { stableDelay(of: "job\($0)", on: "host", within: limit) }
        #expect(delays.allSatisfy { (0..<limit).contains($0) })
        #expect(delays == (0..<1_000).map { stableDelay(of: "job\($0)", on: "host", within: limit) })
        #expect(Set(delays).count > 990)
        // Every tenth of the time gets its share.
        for part in 0..<10 {
            let count = delays.count { $0 / (limit / 10) == part }
            #expect((50...150).contains(count))
        }
        #expect(stableDelay(of: "job", on: "a", within: limit) != stableDelay(of: "job", on: "b", within: limit))
    }

    @Test("no limit is no delay, and the longest one is no overflow")
    func extremes() {
        #expect(stableDelay(of: "job", on: "host", within: 0) == 0)
        #expect(stableDelay(of: "job", on: "host", within: -1) == 0)
        #expect(stableDelay(of: "job", on: "host", within: .max) >= 0)
    }
}
