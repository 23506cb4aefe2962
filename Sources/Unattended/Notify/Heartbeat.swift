import Dispatch
package import HTTP
package import Model
import System

/// Tells a service in the form of healthchecks.io that a run began or how it ended, so that it raises an alarm about a run that
/// failed, and about one that never came.
package final class Heartbeat: Sendable {
    package enum Signal: Sendable, Hashable {
        case start
        case exit(Int32)
        /// Stopped by a signal.
        case failure

        fileprivate var segment: String {
            switch self {
            case .start: "start"
            case .exit(let code): "\(code)"
            case .failure: "fail"
            }
        }
    }

    /// How long it tries.
    package struct Patience: Sendable {
        /// Microseconds for a request with its redirects.
        package var time: Int64 = 5_000_000
        package var tries = 3
        /// Microseconds between two tries.
        package var pause: Int64 = 1_000_000

        package init() {}
    }

    private static let mostRedirects = 5
    /// The most bytes of a summary; the service keeps 100 kB.
    private static let longestBody = 10_000

    private let url: WebURL
    private let profile: HTTPProfile
    private let secrets: Secrets
    private let patience: Patience
    /// Counts up when nobody needs the signal any more.
    private let abandonment = DispatchSemaphore(value: 0)
    private let state = Locked(State())

    private struct State {
        var isAbandoned = false
        var requests: SingleRequests?
    }

    /// - Parameters:
    ///   - url: as the job file has it, with its secrets.
    ///   - profile: proxy and certificates are the job's.
    package init(
        _ url: String, _ profile: HTTPProfile, hiding secrets: Secrets, patience: Patience = Patience()
    ) throws(WebURLError) {
        self.url = try WebURL(url)
        self.profile = profile
        self.secrets = secrets
        self.patience = patience
    }

    /// Ends the sending of a signal that has been overtaken, such as that of a beginning by that of the end. Any
    /// thread.
    package func abandon() {
        let requests = state.withLock { state in
            state.isAbandoned = true
            return state.requests
        }
        requests?.cancel()
        abandonment.signal()
    }

    /// Sends a signal, and tries again what may pass. Blocks: not from the cooperative pool.
    ///
    /// - Parameters:
    ///   - run: pairs the signals of a run, a UUID.
    ///   - summary: what the service keeps beside the signal.
    /// - Returns: why it did not get there; nil where it did, or was abandoned.
    package func send(_ signal: Signal, run: String, summary: String) -> String? {
        do {
            let address = try address(of: signal, run: run)
            let requests = try SingleRequests()
            state.withLock { $0.requests = requests }
            defer { state.withLock { $0.requests = nil } }
            var reason = ""
            for attempt in 1...patience.tries {
                if attempt > 1 {
                    _ = abandonment.wait(timeout: .now() + .microseconds(Int(patience.pause)))
                }
                guard !isAbandoned else { return nil }
                let answer = ask(address, summary, requests)
                guard !isAbandoned else { return nil }
                switch answer {
                case .good: return nil
                case .bad(let text): return text
                case .transient(let text): reason = text
                }
            }
            return "\(reason), \(patience.tries) times"
        } catch {
            return secrets.hide("\(error)")
        }
    }

    private var isAbandoned: Bool { state.withLock(\.isAbandoned) }

    /// `https://host/uuid` with `/start?rid=…`; what the URL has behind `?` stays there.
    private func address(of signal: Signal, run: String) throws(WebURLError) -> WebURL {
        let text = url.text.prefix { $0 != "#" }
        var path = String(text.prefix { $0 != "?" })
        let query = text.dropFirst(path.count)
        while path.hasSuffix("/") { path.removeLast() }
        return try WebURL("\(path)/\(signal.segment)\(query)\(query.isEmpty ? "?" : "&")rid=\(run)")
    }

    private var seconds: String {
        patience.time % 1_000_000 == 0 ? "\(patience.time / 1_000_000) s" : "\(patience.time / 1_000) ms"
    }

    private enum Answer {
        case good, bad(String), transient(String)
    }

    private func ask(_ address: WebURL, _ summary: String, _ requests: SingleRequests) -> Answer {
        let end = Monotonic.now().advanced(byMicroseconds: patience.time)
        var request = HTTPRequest(url: address, profile: profile, addresses: .any)
        request.extraHeaders = [HTTPHeader("Content-Type", "text/plain; charset=utf-8")]
        request.body = Array(summary.utf8.prefix(Self.longestBody))
        request.maximumBytes = 65_536
        for _ in 0...Self.mostRedirects {
            request.timeLimit = max(1_000, end - Monotonic.now())
            let result = requests.send(request)
            // A page of an error may be long; it is not read.
            if let failure = result.failure, failure.kind != .tooLarge {
                // The time is this signal's, not that of the job's transfers.
                let isLate = failure.kind == .timeout || failure.kind == .stalled
                return .transient(isLate ? "no answer within \(seconds)" : secrets.hide(failure.detail))
            }
            switch result.status {
            case 200..<300: return .good
            case 301, 302, 303, 307, 308:
                guard let location = result.headers["Location"], let next = try? request.url.resolving(location),
                    request.url.scheme == "http" || next.scheme == "https"
                else { return .bad("the server redirects to nowhere") }
                // What follows a POST (RFC 9110, 15.4).
                if ![307, 308].contains(result.status) { request.body = nil }
                request.url = next
            case 408, 425, 429, 500...599: return .transient("the server answered \(result.status)")
            default: return .bad("the server answered \(result.status)")
            }
        }
        return .bad("more than \(Self.mostRedirects) redirects")
    }
}
