package import Files
import HTTP
import Jobs
import Model
import SourceKit
import System

/// Where the body of a source's request goes other than into memory. Called on the loop's thread.
package protocol ListBody: AnyObject {
    /// Begins anew: a reply begins.
    func restart() throws(FileError)
    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError)
}

extension KeptFileWriter: ListBody {}

/// A request of a source on its way: into memory or a file, with redirects and tries like an item's.
final class ListRequest: PlacedExchange, @unchecked Sendable {  // used on the loop's thread once it is begun
    let id: Int64
    let context: RunContext
    var route: RequestRoute
    var ticket: HTTPTicket?
    var loop = 0
    private let headers: [HTTPHeader]
    private let maximumBytes: Int64
    private let transientFailure: @Sendable (FetchedReply) -> String?
    private let file: (any ListBody)?
    private unowned let engine: TransferCoordinator
    private let completion: @Sendable (Result<FetchedReply, FetchError>) -> Void
    private var body: [UInt8] = []
    private var size: Int64 = 0
    /// Found while the reply came.
    private var fault: TransferFailure?
    private var isForFile = false
    private var attempts = 0
    private var budget: AttemptTime
    /// Whether HTTP/1.1 is spoken, whose bodies show that they are whole.
    private var asksByHTTP1 = false

    /// - Parameter file: takes the body of a good reply in place of memory.
    init(
        id: Int64, _ request: FetchRequest, file: (any ListBody)?, context: RunContext, engine: TransferCoordinator,
        completion: @escaping @Sendable (Result<FetchedReply, FetchError>) -> Void
    ) {
        self.id = id
        self.context = context
        headers = request.headers
        maximumBytes = Int64(request.maximumBytes)
        transientFailure = request.transientFailure
        self.file = file
        self.engine = engine
        self.completion = completion
        route = RequestRoute(request.url)
        budget = AttemptTime(context.profile)
    }

    func url(ofAttempt attempt: Int) -> WebURL { attempt == attempts ? route.url : route.start }

    func request(attempt: Int, version: HTTPVersion, now: Monotonic, wall: Int64) -> HTTPRequest {
        if attempt != attempts {
            attempts = attempt
            budget = AttemptTime(context.profile)
            route.restart()
        }
        body = []
        size = 0
        fault = nil
        isForFile = false
        var request = HTTPRequest(url: route.url, profile: context.profile)
        request.version = asksByHTTP1 ? .http1 : version
        request.timeLimit = budget.left
        request.addresses = context.job.trust.addressPolicy(for: route.url)
        if route.isAtHome {
            let trust = context.job.trust
            let isTrusted = trust.isAuthored(route.url)
            // A redirect may lead to another port of the host, or from https to http.
            request.extraHeaders = headers.filter { header in
                isTrusted || !HeaderRules.isCredential(header.name) && !trust.secrets.occur(in: header.value)
            }
        }
        return request
    }

    func begin(_ head: HTTPHead) -> HTTPBodyAction {
        if RequestRoute.isRedirect(head.status) { return .discard }
        guard let file else { return .deliver }
        // What else a server says of a file is in its status.
        guard head.status == 200 || head.status == 203 else { return .discard }
        isForFile = true
        return attempting { () throws(FileError) in try file.restart() } ? .deliver : .reject
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        size += Int64(bytes.count)
        guard size <= maximumBytes else {
            fault = TransferFailure(.tooLarge, "the reply is over \(maximumBytes) bytes")
            return false
        }
        if isForFile, let file { return attempting { () throws(FileError) in try file.append(bytes) } }
        body.append(contentsOf: bytes)
        return true
    }

    private func attempting(_ body: () throws(FileError) -> Void) -> Bool {
        do throws(FileError) {
            try body()
            return true
        } catch {
            fault = TransferFailure(error)
            return false
        }
    }

    func finish(_ result: HTTPResult) {
        ticket = nil
        budget.spend(result.phases.total)
        do throws(TransferFailure) {
            if let fault { throw fault }
            if let failure = result.failure {
                if failure.isUnprocessed, route.mayRepeat() { return engine.ended(self, redirected(), result) }
                throw TransferFailure(failure)
            }
            if RequestRoute.isRedirect(result.status) {
                try route.follow(result.headers, status: result.status, hiding: context.job.trust.secrets)
                let delay = RequestRoute.delay(result.headers, now: wallClockMicroseconds())
                return engine.ended(self, redirected(after: budget.spend(delay)), result)
            }
            if result.status == 206 {
                throw TransferFailure(.protocolError, "the server answered 206 to a request for the whole")
            }
            // A list that was cut would be taken for all that there is.
            if result.hasUncertainEnd, (200..<300).contains(result.status) {
                asksByHTTP1 = true
                return engine.ended(self, redirected(), result)
            }
            let failure = TransferFailure(
                status: result.status, headers: result.headers, now: wallClockMicroseconds())
            // A source reads error replies itself; only what may pass is tried again here.
            if failure.isTransient { throw failure }
            if let fault = transientFailure(makeReply(result)) {
                throw TransferFailure(.http, fault, isTransient: true)
            }
            engine.ended(self, .complete, result)
        } catch {
            engine.ended(self, .failed(error), result)
        }
    }

    private func redirected(after delay: Int64 = 0) -> AttemptResult {
        .redirected(to: route.url.origin, after: delay)
    }

    func reply(_ result: HTTPResult) {
        completion(.success(makeReply(result)))
    }

    private func makeReply(_ result: HTTPResult) -> FetchedReply {
        FetchedReply(
            status: result.status, url: route.url.text, headers: result.headers, body: body, attempts: attempts)
    }

    func fail(_ failure: TransferFailure) {
        completion(
            .failure(
                FetchError(
                    failure: failure.word, description: context.job.trust.secrets.hide(failure.detail),
                    attempts: attempts)))
    }
}
