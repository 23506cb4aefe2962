import Files
import HTTP
import Jobs
import Media
import Model
import Synchronization
import System

/// One item on its way: its attempts and hops, its part file, and what it learned of the reply.
final class ItemDownload: @unchecked Sendable {  // used on the thread of the loop it was given to
    let work: ItemWork
    private unowned let engine: TransferCoordinator
    var context: RunContext { work.context }
    var route: RequestRoute
    var loop = 0
    var ticket: HTTPTicket?
    /// Whether the request in flight is broken off for a pause.
    private(set) var isSuspending = false
    /// Whether a body that is complete need not be judged any more. From any thread.
    let isBrokenOff = Atomic(false)
    var part: PartFile?
    /// The beginning of the body, to tell its type by.
    var head: [UInt8] = [] {
        didSet { sniffed = nil }
    }
    private var sniffed: MediaType??
    /// Where the body of the request in flight goes on; 0 for all of it.
    var offset: Int64 = 0
    /// The version that a resumed body is of.
    var resumed: PartNote.Validator?
    /// Where the body of the reply in flight ends, as its Content-Range says; nil where all of it is due.
    var rangeEnd: Int64?
    /// Found while the reply came.
    var fault: TransferFailure?
    var reply = HTTPHeaders()
    var status = 0
    /// The length of the reply's body, where the reply says it.
    var length: Int64?
    /// When its next attempt is due, while it waits for one.
    private(set) var retryDue: Monotonic?
    /// Why its last attempt failed, once one has.
    private(set) var lastFailure: TransferFailure?
    /// Whether the reply's header says what its bytes hash to.
    var hasDigest = false
    /// What the reply says that its bytes hash to, once they are there; nil for most.
    var digests: ReplyDigests?
    /// Whether the reply has a Vary.
    var hasVary = false
    /// Whether what is stored is asked for in full, for the server contradicted itself when asked whether it changed.
    var asksInFull = false
    /// Whether nothing in the protocol shows that the last body is whole: what follows is asked by HTTP/1.1, which does.
    var asksByHTTP1 = false

    private(set) var attempts = 0
    private(set) var startedAt: Int64 = 0
    /// When the last request was made, microseconds since 1970 UTC.
    private var askedAt: Int64 = 0
    private var started = Monotonic(microseconds: 0)
    private(set) var ended = Monotonic(microseconds: 0)
    private var phases = HTTPPhases()
    private var budget: AttemptTime
    /// The time to the first byte of the last reply; nil when there was none.
    private(set) var wait: Int64?
    private var wireBytes: Int64 = 0
    private var version: String?
    private var isConnectionReused: Bool?
    private var address: String?

    init(_ work: ItemWork, engine: TransferCoordinator) {
        self.work = work
        self.engine = engine
        route = RequestRoute(work.url)
        budget = AttemptTime(work.context.profile)
    }

    /// What breaks off the request in flight is a pause: the part stays, for the next request of the same attempt.
    func suspend() {
        isSuspending = true
    }

    /// A transient failure ended an attempt; another one follows.
    func waitForRetry(due: Monotonic, after failure: TransferFailure?) {
        retryDue = due
        lastFailure = failure
    }

    func breakOff(on loop: HTTPLoop) {
        if !isSuspending { isBrokenOff.store(true, ordering: .relaxed) }
        if let ticket { loop.cancel(ticket) }
    }

    func url(ofAttempt attempt: Int) -> WebURL { attempt == attempts ? route.url : work.url }

    func request(attempt: Int, version: HTTPVersion, now: Monotonic, wall: Int64) -> HTTPRequest {
        if attempt != attempts {
            if attempts == 0 {
                started = now
                startedAt = wall
                resume()
            }
            attempts = attempt
            phases = HTTPPhases()
            budget = AttemptTime(context.profile)
            route.restart()
        }
        fault = nil
        isSuspending = false
        status = 0
        rangeEnd = nil
        retryDue = nil
        hasDigest = false
        digests = nil
        askedAt = wall
        let trust = context.job.trust
        let isTrusted = trust.isAuthored(route.url)
        var request = HTTPRequest(url: route.url, profile: context.profile)
        request.version = asksByHTTP1 ? .http1 : version
        request.timeLimit = budget.left
        request.addresses = trust.addressPolicy(for: route.url)
        if route.isAtHome {
            request.headers = isTrusted ? context.headers.authored : context.headers.others
            request.extraHeaders = work.expectedContent.fields(isTrusted: isTrusted, beside: context.job)
        }
        offset = part?.note == nil ? 0 : part?.size ?? 0
        request.maximumBytes = context.job.transfer.maximumSize.bytes
        if offset > 0, let note = part?.note {
            request.extraHeaders.append(HTTPHeader("Range", "bytes=\(offset)-"))
            request.extraHeaders.append(HTTPHeader("If-Range", note.validator.text))
        } else if isConditional, let freshness = work.stored?.freshness {
            // An entity tag is the better validator; with both the date would be ignored (RFC 9110, 13.2.2).
            if let etag = freshness.etag {
                request.extraHeaders.append(HTTPHeader("If-None-Match", etag))
            } else if let date = freshness.lastModified {
                request.extraHeaders.append(HTTPHeader("If-Modified-Since", date))
            }
        }
        traceBegin(request)
        return request
    }

    /// Whether the request says what is stored, so that 304 may be its answer.
    var isConditional: Bool { work.isConditional && !asksInFull && offset == 0 }

    /// Takes up a part that an earlier run left.
    private func resume() {
        guard !context.leftParts.isEmpty, !context.selection.isRefreshing else { return }
        let output = context.output
        guard context.leftParts.contains(work.partName), let (stored, note) = output.resumable(work.partName),
            note.url == work.shownURL,
            let head = try? output.beginning(ofPart: work.partName, count: MediaType.sniffLength)
        else { return }
        // Of a part that has everything the last byte is asked for once more. Nothing beyond the end can be asked for, and
        // the length alone would not show that the server still has this version.
        let size = stored == note.totalLength ? stored - 1 : stored
        guard size > 0 else { return }
        let part = PartFile(in: output, name: work.partName, hasher: engine.hasher, resumingAt: size)
        part.note = note
        self.part = part
        self.head = head
    }

    /// Begins the body anew: the reply holds all of it.
    func beginBody() throws(FileError) {
        if let part { try part.restart() }
        part =
            part
            ?? PartFile(
                in: context.output, name: work.partName, hasher: engine.hasher, expecting: length,
                hashesAll: length ?? .max > PartFile.inlineHashLimit && engine.isEveryProcessorBusy)
        head = []
        offset = 0
        resumed = nil
        if isLong { noteVersion() }
    }

    /// Makes the part resumable if the reply says of which version it is. A short body, which is seldom cut off, is noted
    /// only when it is.
    private func noteVersion() {
        // A coded body's offsets are not the file's.
        guard let part, !reply.has("Content-Encoding"), let validator = Freshness.strongValidator(reply),
            !context.job.trust.secrets.occur(in: validator)
        else { return }
        part.note = PartNote(
            url: work.shownURL, validator: validator.hasPrefix("\"") ? .etag(validator) : .lastModified(validator),
            totalLength: length)
    }

    /// Notes what came of a short body, so that the next request asks for the rest.
    func noteRest() {
        guard let part, part.note == nil, part.size > 0, status == 200 || status == 203 else { return }
        noteVersion()
    }

    /// The body's type by its bytes.
    var mediaType: MediaType? {
        if let sniffed { return sniffed }
        let type = MediaType(sniffing: head)
        sniffed = .some(type)
        return type
    }

    /// What the last reply, a good one, said of itself.
    func goodReply() -> GoodReply {
        GoodReply(headers: reply, type: mediaType, url: work.url, at: askedAt, resumed: resumed, hasVary: hasVary)
    }

    /// The route's next request follows, as long after as the attempt has time for.
    func redirected(after delay: Int64 = 0) -> AttemptResult {
        .redirected(to: route.url.origin, after: budget.spend(delay))
    }

    // MARK: The end of an attempt

    func add(_ result: HTTPResult) {
        ticket = nil
        phases = phases + result.phases
        budget.spend(result.phases.total)
        wait = context.wait(of: result)
        wireBytes += result.wireBytes
        engine.received[loop].value += result.wireBytes
        version = result.version ?? version
        isConnectionReused = result.isConnectionReused
        address = result.address ?? address
        ended = result.finishedAt
        if result.status != 0 { status = result.status }
    }

    func ended(_ result: AttemptResult, _ response: HTTPResult) {
        engine.ended(self, result, response)
    }

    /// The row, with what is known when the network is done with the item.
    func record(_ outcome: TransferOutcome, bodyBytes: Int64 = 0, _ failure: TransferFailure? = nil) -> TransferRecord {
        var record = TransferRecord(outcome: outcome, failure: failure?.word)
        record.detail = failure.map { context.job.trust.secrets.hide($0.detail) }
        record.attempts = attempts
        record.status = status == 0 ? nil : status
        record.startedAt = startedAt
        var timings = TransferTimings()
        timings.queue = max(0, started - work.listedAt)
        timings.dns = phases.dns
        timings.connect = phases.connect
        timings.tls = phases.tls
        timings.wait = phases.wait
        timings.receive = phases.receive
        timings.elapsed = max(0, ended - started)
        record.timings = timings
        record.wireBytes = wireBytes
        record.bodyBytes = bodyBytes
        record.httpVersion = version
        record.isConnectionReused = isConnectionReused
        record.address = address
        return record
    }

    /// Lets go of the part after a failure: kept when a later run can go on with it. After one that does not pass, such
    /// as a length that the list does not promise, more of the same bytes would not help.
    func dropPart(after failure: TransferFailure) {
        let mayGoOn = failure.isTransient || failure.word == .cancelled
        if mayGoOn, let part, part.note != nil, part.size >= Self.worthKeeping {
            self.part = nil
            // A part that can't be kept has ended all the same.
            if (try? part.keep()) == nil { try? context.output.removePart(work.partName) }
        } else {
            discardPart()
        }
    }

    func discardPart() {
        takePart()?.discard()
    }

    /// Hands over the part, which is the receiver's to seal or remove.
    func takePart() -> PartFile? {
        defer { part = nil }
        return part
    }

    /// Smaller parts are fetched again sooner than they are kept.
    static let worthKeeping: Int64 = 65_536
}

extension PartNote.Validator {
    /// As it is sent.
    var text: String {
        switch self {
        case .etag(let text), .lastModified(let text): text
        }
    }
}
