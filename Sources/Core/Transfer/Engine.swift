import Files
import HTTP

/// Runs the scheduler's decisions: begins transfers on the loop, tells the scheduler how they ended, and hands finished
/// items to the recorder in batches. One for all jobs of the process.
final class Engine: HTTPLoopDriver {
    struct State {
        var scheduler: Scheduler
        /// What is needed to begin the scheduler's ready items.
        var ready: [Int64: ItemWork] = [:]
        /// Items that were begun and are not over.
        var transfers: [Int64: ItemTransfer] = [:]
        /// Requests of sources that are not over.
        var requests: [Int64: ListRequest] = [:]
        var lastRequest: Int64 = 0
        /// Large bodies whose digest is there, and small ones at once.
        var sealed: [(ItemTransfer, Result<SealedPart, FileError>)] = []
        var finished: [FinishedItem] = []
        var started: [StartedItem] = []
        /// Transfers to be broken off.
        var cancelled: Set<Int64> = []
        /// How often HTTP/2 failed, by origin.
        var http2Failures: [HTTPOrigin: Int] = [:]
    }

    let hasher = HashWorker()
    let recorder: Recorder
    private let state: Locked<State>
    // Set once before the loop starts, which is before any other use.
    nonisolated(unsafe) private var loop: HTTPLoop!

    init(recorder: Recorder, scheduler: Scheduler = Scheduler()) throws {
        self.recorder = recorder
        state = Locked(State(scheduler: scheduler))
        loop = try HTTPLoop(driver: self)
        recorder.whenDrained { [weak self] in self?.loop.wake() }
        loop.start()
    }

    /// Ends the loop; what is in flight is cancelled first.
    func stop() {
        loop.stop()
    }

    // MARK: Work

    /// Enters a job; its number in the scheduler.
    func addJob(_ limits: Scheduler.Limits) -> Scheduler.JobIndex {
        state.withLock { $0.scheduler.addJob(limits) }
    }

    /// Takes items in list order.
    ///
    /// - Returns: false when the job is stopped and the items are the caller's to record as cancelled.
    func add(_ work: [ItemWork], _ context: RunContext) -> Bool {
        guard !work.isEmpty else { return true }
        let isTaken = state.withLock { state in
            guard !state.scheduler.isStopped(job: context.index) else { return false }
            var start = 0
            while start < work.count {
                let origin = work[start].url.origin
                let collection = work[start].collectionID
                var end = start + 1
                while end < work.count, work[end].collectionID == collection, work[end].url.origin == origin {
                    end += 1
                }
                let ready = state.scheduler.add(
                    work[start..<end].map(\.id)[...], job: context.index, origin: origin, collection: collection)
                for item in work[start..<start + ready] { state.ready[item.id] = item }
                start = end
            }
            return true
        }
        loop.wake()
        return isTaken
    }

    /// Gives back what a ``Scheduler/Load`` asked for.
    ///
    /// - Returns: false when the job is stopped and the items are the caller's to record as cancelled.
    func loaded(_ load: Scheduler.Load, _ work: [ItemWork]) -> Bool {
        let isTaken = state.withLock { state in
            let isTaken = state.scheduler.loaded(
                work.map(\.id), of: load.ids.count, job: load.job, origin: load.origin, collection: load.collection)
            if isTaken { for item in work { state.ready[item.id] = item } }
            return isTaken
        }
        loop.wake()
        return isTaken
    }

    /// Asks for a reply in a source's name, a small one unless there is a file for its body.
    func fetch(
        _ wanted: FetchRequest, into file: (any ListBody)? = nil, _ context: RunContext
    ) async throws -> FetchedReply {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { state in
                state.lastRequest -= 1
                let request = ListRequest(id: state.lastRequest, wanted, file: file, context: context, engine: self) {
                    continuation.resume(with: $0)
                }
                guard !state.scheduler.isStopped(job: context.index) else { return request.fail(Self.stopped) }
                state.requests[request.id] = request
                state.scheduler.addRequest(request.id, job: context.index, origin: wanted.url.origin)
            }
            loop.wake()
        }
    }

    // MARK: Control

    func setPaused(_ isPaused: Bool, _ context: RunContext) {
        state.withLock { $0.scheduler.setPaused(isPaused, job: context.index) }
        loop.wake()
    }

    func setConcurrency(_ concurrency: Int, _ context: RunContext) {
        state.withLock { $0.scheduler.setConcurrency(concurrency, job: context.index) }
        loop.wake()
    }

    func prioritise(_ items: Set<Int64>, _ context: RunContext) {
        state.withLock { $0.scheduler.prioritise(items, job: context.index) }
        loop.wake()
    }

    /// Gives up items; those that never began are the caller's to record.
    ///
    /// - Returns: those that were begun and end by themselves.
    func cancel(_ items: Set<Int64>, _ context: RunContext) -> Set<Int64> {
        let begun = state.withLock { state in
            let inFlight = state.scheduler.cancel(items, job: context.index)
            state.cancelled.formUnion(inFlight)
            let waiting = items.subtracting(inFlight)
            return inFlight.union(waiting.subtracting(giveUp(Array(waiting), &state, Self.cancelled)))
        }
        loop.wake()
        return begun
    }

    /// Ends what waits: what was begun before, for another try or a redirect, as cancelled.
    ///
    /// - Returns: what never began.
    private func giveUp(_ ids: [Int64], _ state: inout State, _ failure: TransferFailure) -> [Int64] {
        ids.filter { id in
            state.ready[id] = nil
            guard let transfer = state.transfers.removeValue(forKey: id) else { return true }
            state.finished.append(finish(transfer, .failure(failure)))
            return false
        }
    }

    /// Begins nothing more of a job.
    ///
    /// - Returns: the items that never began, for the caller to record as cancelled.
    func stop(_ context: RunContext) -> [Int64] {
        let waiting = state.withLock { state in
            let waiting = state.scheduler.stop(job: context.index)
            for id in waiting { state.requests.removeValue(forKey: id)?.fail(Self.stopped) }
            return giveUp(waiting.filter { $0 >= 0 }, &state, Self.stopped)
        }
        loop.wake()
        return waiting
    }

    /// Breaks off what a stopped job has in flight.
    func abort(_ context: RunContext) {
        state.withLock { state in
            state.cancelled.formUnion(state.transfers.filter { $0.value.context === context }.keys)
            state.cancelled.formUnion(state.requests.filter { $0.value.context === context }.keys)
        }
        loop.wake()
    }

    private static let stopped = TransferFailure(.cancelled, "the run is being stopped")
    private static let cancelled = TransferFailure(.cancelled, "given up on request")

    // MARK: The loop's turn

    func turn(on loop: HTTPLoop, now: Monotonic) -> Monotonic? {
        let cancelled = state.withLock { state in
            // Here, on the loop's thread, all that was begun has its ticket.
            defer { state.cancelled = [] }
            return state.cancelled.compactMap { state.transfers[$0]?.ticket ?? state.requests[$0]?.ticket }
        }
        for ticket in cancelled { loop.cancel(ticket) }
        let wall = wallClockMicroseconds()
        let isOpen = !recorder.isFull
        let turn = state.withLock { state in
            settleSealed(&state, now: now)
            let admissions = isOpen ? state.scheduler.admit(now) : []
            let begun = admissions.compactMap { prepare($0, &state, now: now, wall: wall) }
            return Turn(
                begun: begun, loads: state.scheduler.loads(), finished: take(&state.finished),
                started: take(&state.started), next: isOpen ? state.scheduler.nextWake : nil,
                isIdle: state.scheduler.isIdle)
        }
        for (request, exchange) in turn.begun {
            switch exchange {
            case .item(let transfer): transfer.ticket = loop.begin(request, transfer)
            case .list(let listing): listing.ticket = loop.begin(request, listing)
            }
        }
        recorder.started(turn.started, at: wall)
        recorder.add(turn.finished, isLast: turn.isIdle)
        for load in turn.loads { recorder.load(load, for: self) }
        return turn.next
    }

    private struct Turn {
        let begun: [(HTTPRequest, Begun)]
        let loads: [Scheduler.Load]
        let finished: [FinishedItem]
        let started: [StartedItem]
        let next: Monotonic?
        let isIdle: Bool
    }

    private enum Begun {
        case item(ItemTransfer)
        case list(ListRequest)
    }

    private func take<Element>(_ elements: inout [Element]) -> [Element] {
        guard !elements.isEmpty else { return [] }
        defer { elements = [] }
        return elements
    }

    private func prepare(
        _ admission: Scheduler.Admission, _ state: inout State, now: Monotonic, wall: Int64
    ) -> (HTTPRequest, Begun)? {
        if let request = state.requests[admission.id] {
            let version = version(for: request.route.url, request.context, state)
            recorder.countListRequest(request.context)
            return (request.request(attempt: admission.attempt, version: version), .list(request))
        }
        let transfer: ItemTransfer
        if let begun = state.transfers[admission.id] {
            transfer = begun
        } else if let work = state.ready.removeValue(forKey: admission.id) {
            transfer = ItemTransfer(work, engine: self)
            state.transfers[admission.id] = transfer
        } else {
            // It was given up between its admission and now.
            _ = state.scheduler.finished(admission.id, .ended, now: now)
            return nil
        }
        if admission.attempt != transfer.attempts {
            state.started.append(StartedItem(work: transfer.work, attempt: admission.attempt))
        }
        let version = version(for: transfer.route.url, transfer.context, state)
        return (transfer.request(attempt: admission.attempt, version: version, now: now, wall: wall), .item(transfer))
    }

    /// HTTP/1.1 for a host that failed twice on HTTP/2, for the rest of the run.
    private func version(for url: WebURL, _ context: RunContext, _ state: State) -> HTTPVersion {
        if !state.http2Failures.isEmpty, state.http2Failures[url.origin, default: 0] >= 2 { return .http1 }
        return switch context.job.transfer.httpVersion {
        case .auto: .automatic
        case .http1: .http1
        case .http2: .http2
        }
    }

    // MARK: Ends

    /// An item's request ended. On the loop's thread.
    func ended(_ transfer: ItemTransfer, _ conclusion: Conclusion) {
        switch conclusion {
        case .complete:
            seal(transfer)
        case .redirected:
            decide(transfer, .redirected(transfer.route.url.origin), .redirect)
        case .failed(let failure):
            if transfer.isHTTP2, [.protocolError, .reset, .truncated].contains(failure.word) {
                state.withLock { $0.http2Failures[transfer.route.url.origin, default: 0] += 1 }
            }
            let verdict: Scheduler.Verdict =
                failure.isTransient ? .transient(retryAfter: failure.retryAfter) : .ended
            decide(transfer, verdict, .failure(failure))
        case .notModified:
            decide(transfer, .ended, .notModified)
        }
    }

    private func seal(_ transfer: ItemTransfer) {
        guard let part = transfer.part else {
            let failure = TransferFailure(.protocolError, "a reply without a body where one is due")
            return decide(transfer, .ended, .failure(failure))
        }
        transfer.part = nil
        // A large body's digest comes from another thread, a small one's at once; both are settled in a turn.
        part.seal { [self] result in
            state.withLock { $0.sealed.append((transfer, result)) }
            loop.wake()
        }
    }

    private func settleSealed(_ state: inout State, now: Monotonic) {
        for (transfer, result) in take(&state.sealed) {
            switch result {
            case .success(let body):
                if let listed = transfer.work.promise.sha256, listed != body.digest {
                    try? body.discard(in: transfer.context.output)
                    let failure = TransferFailure(
                        .checksum, "the list promises SHA-256 \(listed.hex), the body has \(body.digest.hex)")
                    decide(transfer, .ended, .failure(failure), &state, now: now)
                } else {
                    decide(transfer, .ended, .body(body), &state, now: now)
                }
            case .failure(let error):
                decide(transfer, .ended, .failure(TransferFailure(error)), &state, now: now)
            }
        }
    }

    private enum Ending {
        case redirect
        case failure(TransferFailure)
        case notModified
        case body(SealedPart)
    }

    private func decide(_ transfer: ItemTransfer, _ verdict: Scheduler.Verdict, _ ending: Ending) {
        let now = Monotonic.now()
        state.withLock { decide(transfer, verdict, ending, &$0, now: now) }
    }

    private func decide(
        _ transfer: ItemTransfer, _ verdict: Scheduler.Verdict, _ ending: Ending, _ state: inout State, now: Monotonic
    ) {
        let work = transfer.work
        switch state.scheduler.finished(work.id, verdict, now: now) {
        case .retry, .hop:
            return
        case .cancelled:
            state.transfers[work.id] = nil
            var failure = Self.stopped
            if case .failure(let last) = ending { failure.detail += "; before that: \(last.detail)" }
            state.finished.append(finish(transfer, .failure(failure)))
        case .over:
            state.transfers[work.id] = nil
            state.finished.append(finish(transfer, ending))
        }
    }

    private func finish(_ transfer: ItemTransfer, _ ending: Ending) -> FinishedItem {
        let work = transfer.work
        let wall = wallClockMicroseconds()
        switch ending {
        case .redirect, .failure:
            var failure = TransferFailure(.redirect, "the redirect leads nowhere")
            if case .failure(let cause) = ending { failure = cause }
            transfer.dropPart(after: failure)
            let outcome: TransferOutcome = failure.word == .cancelled ? .cancelled : .failed
            return FinishedItem(
                work: work, record: transfer.record(outcome, failure),
                isPermanent: failure.isLasting, endedAt: transfer.ended)
        case .notModified:
            transfer.discardPart()
            return FinishedItem(
                work: work, record: transfer.record(.unchanged), reply: transfer.goodReply(at: wall),
                endedAt: transfer.ended)
        case .body(let body):
            return FinishedItem(
                work: work, record: transfer.record(.downloaded, bodyBytes: body.size), body: body,
                reply: transfer.goodReply(at: wall), endedAt: transfer.ended)
        }
    }

    /// A source's request ended. On the loop's thread.
    func ended(_ request: ListRequest, _ conclusion: Conclusion, _ result: HTTPResult) {
        recorder.countListBytes(result.wireBytes, request.context)
        let now = Monotonic.now()
        let verdict: Scheduler.Verdict =
            switch conclusion {
            case .redirected: .redirected(request.route.url.origin)
            case .failed(let failure) where failure.isTransient: .transient(retryAfter: failure.retryAfter)
            default: .ended
            }
        let decision = state.withLock { state in
            let decision = state.scheduler.finished(request.id, verdict, now: now)
            if decision == .over || decision == .cancelled { state.requests[request.id] = nil }
            return decision
        }
        switch (decision, conclusion) {
        case (.retry, _), (.hop, _): break
        case (.over, .failed(let failure)): request.fail(failure)
        case (.over, _): request.reply(result)
        case (.cancelled, _): request.fail(Self.stopped)
        }
    }
}
