import HTTP
import Testing

@testable import Transfer

@Suite("The spread over loops", .timeLimit(.minutes(1)))
struct LoopSpreadTests {
    private let plain = HTTPOrigin(scheme: "http", host: "a.example", port: 80)

    @Test("work goes evenly to all loops, whichever asks")
    func even() {
        var spread = LoopSpread<Int>(2)
        for item in 0..<16 { spread.give(item, to: spread.choose(for: plain, from: 0)) }
        #expect(spread.take(0).count == 8)
        #expect(spread.take(1).count == 8)
    }

    @Test("a loop whose request has ended takes the next one itself")
    func refill() {
        var spread = LoopSpread<Int>(2)
        for item in 0..<16 { spread.give(item, to: spread.choose(for: plain, from: 0)) }
        spread.ended(on: 1)
        #expect(spread.choose(for: plain, from: 1) == 1)
        #expect(spread.choose(for: plain, from: 0) == 1)
    }

    @Test("one request at a time stays on one loop, where its connection is")
    func single() {
        var spread = LoopSpread<Int>(2)
        for item in 0..<5 {
            #expect(spread.choose(for: plain, from: 0) == 0)
            spread.give(item, to: 0)
            #expect(spread.take(0) == [item])
            spread.ended(on: 0)
        }
    }

    @Test("all requests of an https origin go to one loop, so that one HTTP/2 connection serves them")
    func secure() {
        var spread = LoopSpread<Int>(2)
        for port in 1...20 {
            let origin = HTTPOrigin(scheme: "https", host: "a.example", port: port)
            let loops = Set(
                (0..<8).map { item in
                    let loop = spread.choose(for: origin, from: item % 2)
                    spread.give(item, to: loop)
                    return loop
                })
            #expect(loops.count == 1)
        }
    }

    @Test("only loops that were given something wait to begin it, once")
    func waiting() {
        var spread = LoopSpread<Int>(2)
        spread.give(7, to: 1)
        #expect(spread.waiting == [1])
        #expect(spread.take(1) == [7])
        #expect(spread.waiting.isEmpty)
        #expect(spread.take(1).isEmpty)
    }
}
