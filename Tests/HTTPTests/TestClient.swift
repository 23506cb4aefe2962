import HTTP
import System
import TestSupport

/// A loop for tests: requests are queued from the test's thread and awaited there.
///
/// It owns the driver instead of being it: the loop's thread holds the driver during a turn, and whoever stops
/// the loop when it goes must not go on that thread.
final class TestClient: Sendable {
    typealias Work = @Sendable (HTTPLoop) -> Void

    private final class Driver: HTTPLoopDriver {
        let pending = Monitor<[Work]>([])

        func turn(on loop: HTTPLoop, now: Monotonic) -> Monotonic? {
            let works = pending.withLock { pending in
                defer { pending = [] }
                return pending
            }
            for work in works { work(loop) }
            return nil
        }
    }

    let loop: HTTPLoop
    private let driver = Driver()

    init() throws {
        loop = try HTTPLoop(driver: driver)
        loop.start()
    }

    /// A loop to which only the addresses for which `isReachable` is true are global ones.
    init(isReachable: @escaping @Sendable ([UInt8]) -> Bool) throws {
        loop = try HTTPLoop(driver: driver, isReachable: isReachable)
        loop.start()
    }

    deinit {
        loop.stop()
    }

    /// Runs `work` on the loop's thread soon.
    func run(_ work: @escaping Work) {
        driver.pending.withLock { $0.append(work) }
        loop.wake()
    }

    /// Runs `work` on the loop's thread and waits for what it returns.
    func ask<Answer: Sendable>(_ work: @escaping @Sendable (HTTPLoop) -> Answer) throws -> Answer {
        let answer = Monitor<Answer?>(nil)
        run { loop in
            let value = work(loop)
            answer.withLock { $0 = value }
        }
        guard let value = answer.wait(until: { $0 }) else { throw TestSupportError("the loop does not answer") }
        return value
    }

    func stop() { loop.stop() }

    /// Begins a request; `wait()` on what it returns.
    func begin(
        _ request: HTTPRequest, action: HTTPBodyAction = .deliver, onBegin: (@Sendable (HTTPHead) -> Void)? = nil,
        onReceive: (@Sendable (Int) -> Bool)? = nil
    ) -> Fetch {
        let fetch = Fetch(action: action, onBegin: onBegin, onReceive: onReceive)
        run { loop in
            let ticket = loop.begin(request, fetch)
            fetch.state.withLock { $0.ticket = ticket }
        }
        return fetch
    }

    /// Fetches a URL from the loopback interface and waits for the end.
    func fetch(
        _ url: String, _ configure: (inout HTTPProfile.Configuration) -> Void = { _ in },
        request change: (inout HTTPRequest) -> Void = { _ in }, action: HTTPBodyAction = .deliver
    ) throws -> Fetch.State {
        try begin(try request(url, configure, change), action: action).wait()
    }

    /// A request that may go to any address.
    func request(
        _ url: String, _ configure: (inout HTTPProfile.Configuration) -> Void = { _ in },
        _ change: (inout HTTPRequest) -> Void = { _ in }
    ) throws -> HTTPRequest {
        var configuration = HTTPProfile.Configuration(userAgent: "test/1")
        configuration.proxy = .none
        configure(&configuration)
        var request = HTTPRequest(url: try WebURL(url), profile: try HTTPProfile(configuration), addresses: .any)
        change(&request)
        return request
    }
}

/// An exchange that records what it is told.
// Reason for `@unchecked`: all that changes is in the monitor.
final class Fetch: HTTPExchange, @unchecked Sendable {
    struct State: Sendable {
        var ticket: HTTPTicket?
        var heads: [HTTPHead] = []
        var body: [UInt8] = []
        var results: [HTTPResult] = []

        /// The one result; a second one is a fault that this makes show.
        var result: HTTPResult {
            precondition(results.count == 1, "finished \(results.count) times")
            return results[0]
        }
        var text: String { String(decoding: body, as: UTF8.self) }
        var failure: HTTPFailure? { result.failure }
    }

    let state = Monitor(State())
    private let action: HTTPBodyAction
    private let onBegin: (@Sendable (HTTPHead) -> Void)?
    private let onReceive: (@Sendable (Int) -> Bool)?

    init(
        action: HTTPBodyAction = .deliver, onBegin: (@Sendable (HTTPHead) -> Void)? = nil,
        onReceive: (@Sendable (Int) -> Bool)? = nil
    ) {
        self.action = action
        self.onBegin = onBegin
        self.onReceive = onReceive
    }

    func begin(_ head: HTTPHead) -> HTTPBodyAction {
        state.withLock { $0.heads.append(head) }
        onBegin?(head)
        return action
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = state.withLock { state in
            state.body.append(contentsOf: bytes)
            return state.body.count
        }
        return onReceive?(count) ?? true
    }

    func finish(_ result: HTTPResult) {
        state.withLock { $0.results.append(result) }
    }

    /// Waits for the end.
    func wait() throws -> State {
        guard let state = state.wait(until: { $0.results.isEmpty ? nil : $0 }) else {
            throw TestSupportError("the transfer does not finish")
        }
        return state
    }

    /// Waits for the ticket, which comes when the request has begun.
    func ticket() throws -> HTTPTicket {
        guard let ticket = state.wait(until: { $0.ticket }) else { throw TestSupportError("not begun") }
        return ticket
    }

    /// Waits until so many bytes of the body have come.
    func waitForBody(_ count: Int) throws {
        guard state.wait(until: { $0.body.count >= count ? true : nil }) != nil else {
            throw TestSupportError("\(count) bytes do not come")
        }
    }
}
