import Testing

@testable import Core

@Suite("Rates", .timeLimit(.minutes(1)))
struct RateMeterTests {
    @Test("a rate is that of the last seconds, not of the whole run")
    func window() throws {
        var meter = RateMeter(start: 0)
        #expect(meter.items == nil)
        for second in 1...60 {
            // 100 items a second for half a minute, then 10.
            let items = second <= 30 ? second * 100 : 3_000 + (second - 30) * 10
            meter.record(items: items, bytes: Int64(items) * 1_000, at: Int64(second) * 1_000_000)
        }
        #expect(try abs(#require(meter.items) - 10) < 0.01)
        #expect(try abs(#require(meter.bytes) - 10_000) < 10)
    }

    @Test("a stall brings the rate to nothing")
    func stall() {
        var meter = RateMeter(start: 0)
        meter.record(items: 100, bytes: 100, at: 1_000_000)
        for tick in 11...70 { meter.record(items: 100, bytes: 100, at: Int64(tick) * 100_000) }
        #expect(meter.items == 0)
    }

    @Test("samples in quick succession cost nothing")
    func bursts() {
        var meter = RateMeter(start: 0)
        for tick in 1...100_000 { meter.record(items: tick, bytes: 0, at: Int64(tick) * 10) }
        #expect(meter.items == 100_000)
    }
}
