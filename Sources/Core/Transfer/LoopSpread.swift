import HTTP
import System

/// An exchange that knows the loop its request was given to.
protocol PlacedExchange: HTTPExchange {
    /// Guarded by the engine.
    var loop: Int { get set }
    /// Names the request in flight on that loop; used on its thread.
    var ticket: HTTPTicket? { get set }

    /// Where the request of an attempt goes. Looks at nothing but the exchange.
    func url(ofAttempt attempt: Int) -> WebURL

    /// The next request: an attempt from the start, or the hop of a redirect. On the loop's thread; it may read files.
    ///
    /// - Parameters:
    ///   - attempt: 1 for the first; the same number again for a hop.
    ///   - wall: microseconds since 1970 UTC.
    func request(attempt: Int, version: HTTPVersion, now: Monotonic, wall: Int64) -> HTTPRequest
    /// Ends what is under way, the request in flight or what comes after it. On the loop's thread.
    func breakOff(on loop: HTTPLoop)
}

extension PlacedExchange {
    func breakOff(on loop: HTTPLoop) {
        if let ticket { loop.cancel(ticket) }
    }
}

/// Which loop a request goes to, and what each has been given and has not begun.
struct LoopSpread<Work> {
    private var given: [[Work]]
    /// Requests given to each loop that have not ended.
    private var inFlight: [Int]

    init(_ count: Int) {
        given = Array(repeating: [], count: count)
        inFlight = Array(repeating: 0, count: count)
    }

    /// The loop with the least to do; the one that asks when that is as good, since its connections are idle.
    ///
    /// All requests of an `https` origin go to one loop: a client should have no more than one HTTP/2 connection to a
    /// server (RFC 9113 section 9.1), and loops share none.
    func choose(for origin: HTTPOrigin, from own: Int) -> Int {
        guard inFlight.count > 1 else { return 0 }
        if origin.scheme == "https" { return abs(origin.hashValue % inFlight.count) }
        let least = inFlight.indices.min { inFlight[$0] < inFlight[$1] } ?? own
        return inFlight[least] < inFlight[own] ? least : own
    }

    mutating func give(_ work: consuming Work, to loop: Int) {
        if given[loop].isEmpty { given[loop].reserveCapacity(16) }
        given[loop].append(work)
        inFlight[loop] += 1
    }

    mutating func take(_ loop: Int) -> [Work] {
        guard !given[loop].isEmpty else { return [] }
        defer { given[loop] = [] }
        return given[loop]
    }

    /// Loops that have something to begin.
    var waiting: [Int] { given.indices.filter { !given[$0].isEmpty } }

    /// Whether every loop has something to do.
    var isEverywhere: Bool { inFlight.allSatisfy { $0 > 0 } }

    mutating func ended(on loop: Int) {
        inFlight[loop] -= 1
    }
}
