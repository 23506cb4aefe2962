import HTTP
import System

/// On which hosts HTTP/2 failed, so that one on which it failed twice is asked by HTTP/1.1 for the rest of the run.
///
/// All that goes over a connection fails with it: requests that were begun before the last failure count with it.
struct HTTP2Failures: Sendable {
    private var failures: [HTTPOrigin: (count: Int, last: Monotonic)] = [:]

    var isEmpty: Bool { failures.isEmpty }

    mutating func note(at origin: HTTPOrigin, begun: Monotonic, now: Monotonic) {
        let (count, last) = failures[origin] ?? (0, begun)
        if count == 0 || begun >= last { failures[origin] = (count + 1, now) }
    }

    func isGivenUp(at origin: HTTPOrigin) -> Bool {
        failures[origin].map { $0.count >= 2 } ?? false
    }
}
