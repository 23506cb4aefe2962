import HTTP
import System
import TestSupport

/// Keeps so many requests in flight until a number of them is done.
final class ManyRequests: Sendable {
    struct Outcome: Sendable {
        var begun = 0
        var finished = 0
        var peak = 0
        var bodies: Set<String> = []
        var failures: [String] = []
        var wireBytes: Int64 = 0
        var start: Monotonic?
        var end: Monotonic?

        func merged(with other: Outcome) -> Outcome {
            var sum = self
            sum.failures += other.failures
            sum.wireBytes += other.wireBytes
            sum.start = [start, other.start].compactMap { $0 }.min()
            sum.end = [end, other.end].compactMap { $0 }.max()
            return sum
        }

        /// Bytes a second between the first and the last of the transfers.
        var rate: Double {
            guard let start, let end else { return 0 }
            return Double(wireBytes) * 1_000_000 / Double(end - start)
        }
    }

    private final class Driver: HTTPLoopDriver {
        let requests: [HTTPRequest]
        let limit: Int
        let state = Monitor(Outcome())
        let whenFinished: @Sendable () -> Void

        init(_ requests: [HTTPRequest], limit: Int, whenFinished: @escaping @Sendable () -> Void) {
            self.requests = requests
            self.limit = limit
            self.whenFinished = whenFinished
        }

        func turn(on loop: HTTPLoop, now: Monotonic) -> Monotonic? {
            while loop.inFlight < limit, let request = next() {
                let body = HTTPMemoryBody(maximumBytes: 10_000_000) { [state, whenFinished] result, bytes in
                    whenFinished()
                    state.withLock { state in
                        state.finished += 1
                        state.start = min(state.start ?? result.startedAt, result.startedAt)
                        state.end = max(state.end ?? result.finishedAt, result.finishedAt)
                        state.wireBytes += result.wireBytes
                        state.bodies.insert(String(decoding: bytes, as: UTF8.self))
                        if let failure = result.failure { state.failures.append("\(failure)") }
                    }
                }
                _ = loop.begin(request, body)
                let inFlight = loop.inFlight
                state.withLock { $0.peak = max($0.peak, inFlight) }
            }
            return nil
        }

        private func next() -> HTTPRequest? {
            state.withLock { state in
                guard state.begun < requests.count else { return nil }
                state.begun += 1
                return requests[state.begun - 1]
            }
        }
    }

    private let driver: Driver
    private let loop: HTTPLoop

    var outcome: Outcome { driver.state.withLock { $0 } }

    /// Begins requests for "/0", "/1" and so on.
    convenience init(
        server: FaultyServer, count: Int, inFlight: Int,
        profile change: (inout HTTPProfile.Configuration) -> Void = { _ in },
        whenFinished: @escaping @Sendable () -> Void = {}
    ) throws {
        try self.init(
            urls: (0..<count).map { server.url("/\($0)") }, inFlight: inFlight, profile: change,
            whenFinished: whenFinished)
    }

    init(
        urls: [String], inFlight: Int, profile change: (inout HTTPProfile.Configuration) -> Void,
        whenFinished: @escaping @Sendable () -> Void = {}
    ) throws {
        var configuration = HTTPProfile.Configuration(userAgent: "test/1")
        configuration.proxy = .none
        change(&configuration)
        let profile = try HTTPProfile(configuration)
        let requests = try urls.map { HTTPRequest(url: try WebURL($0), profile: profile, addresses: .any) }
        driver = Driver(requests, limit: inFlight, whenFinished: whenFinished)
        loop = try HTTPLoop(driver: driver)
        loop.start()
    }

    deinit {
        loop.stop()
    }

    func waitUntilDone() throws {
        guard driver.state.wait(until: { $0.finished == driver.requests.count ? true : nil }) != nil else {
            throw TestSupportError("\(outcome.finished) requests finished")
        }
    }

    func stop() { loop.stop() }
}
