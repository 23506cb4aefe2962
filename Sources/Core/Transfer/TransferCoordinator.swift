package import Dispatch
import Files
package import HTTP
import Jobs
import Model
package import Schedule
package import SourceKit
package import System

/// Runs the scheduler's decisions: begins transfers on the loops, tells the scheduler how they ended, and hands finished
/// items to the recorder in batches. One for all jobs of the process.
///
/// There is a loop for each processor, two at most: one thread can't keep up with what a fast server sends, and a third
/// finds nothing left to do beside the catalog's.
package final class TransferCoordinator: HTTPLoopDriver {
    private let processors = processorCount()
    let hasher = HashWorker()
    /// Where long bodies are read again.
    let bodyChecks: DispatchQueue
    let sink: any TransferSink
    let state: Locked<State>
    /// Coded bytes of item bodies, of all requests that have ended, by loop.
    let received: [LoopCounter]
    // Set once before the loops start, which is before any other use.
    nonisolated(unsafe) private(set) var loops: [HTTPLoop] = []

    package init(
        sink: any TransferSink, scheduler: Scheduler = Scheduler(), bodyChecks: DispatchQueue,
        loops count: Int = TransferCoordinator.loopCount
    ) throws {
        self.sink = sink
        self.bodyChecks = bodyChecks
        state = Locked(
            State(
                scheduler: scheduler, spread: LoopSpread(count),
                activity: ActivityWatch(sink.interest, loops: count)))
        received = (0..<count).map { _ in LoopCounter() }
        loops = try (0..<count).map { _ in try HTTPLoop(driver: self) }
        sink.whenDrained { [weak self] in self?.wake() }
        for loop in loops { loop.start() }
    }

    static var loopCount: Int { min(2, processorCount()) }

    /// Whether the loops leave no processor to others.
    var isEveryProcessorBusy: Bool { loops.count >= processors && state.withLock { $0.spread.isEverywhere } }

    /// Ends the loops; what is in flight is cancelled first.
    package func stop() {
        for loop in loops { loop.stop() }
    }

    /// Has the scheduler asked what may begin. Whichever loop is woken hands the others their share.
    func wake() {
        loops[0].wake()
    }

    // MARK: Work

    /// Enters a job; its number in the scheduler.
    package func addJob(_ name: String, _ limits: Scheduler.Limits) -> Scheduler.JobIndex {
        state.withLock { state in
            state.jobs.append(name)
            return state.scheduler.addJob(limits)
        }
    }

    /// Takes items in list order.
    ///
    /// - Returns: false when the job is stopped and the items are the caller's to record as cancelled.
    package func add(_ work: [ItemWork], _ context: RunContext) -> Bool {
        guard !work.isEmpty else { return true }
        let isTaken = state.withLock { state in
            guard !state.scheduler.isStopped(job: context.index) else { return false }
            let work = state.takeFirst(work, job: context.index)
            var start = 0
            while start < work.count {
                let origin = work[start].url.origin
                let collection = work[start].collectionID
                let precedence = work[start].precedence
                var end = start + 1
                while end < work.count, work[end].collectionID == collection, work[end].precedence == precedence,
                    work[end].url.origin == origin
                {
                    end += 1
                }
                let ready = state.scheduler.add(
                    work[start..<end].map(\.id)[...], job: context.index, origin: origin, collection: collection,
                    precedence: precedence)
                for item in work[start..<start + ready] { state.ready[item.id] = item }
                for item in work[start..<end] { item.trace(.queued, [("origin", .text(origin.description))]) }
                start = end
            }
            return true
        }
        wake()
        return isTaken
    }

    /// Gives back what a ``Scheduler/Load`` asked for.
    ///
    /// - Returns: false when the job is stopped and the items are the caller's to record as cancelled.
    package func loaded(_ load: Scheduler.Load, _ work: [ItemWork]) -> Bool {
        let isTaken = state.withLock { state in
            let isTaken = state.scheduler.loaded(work.map(\.id), of: load)
            if isTaken { for item in work { state.ready[item.id] = item } }
            return isTaken
        }
        wake()
        return isTaken
    }

    /// Asks for a reply in a source's name, a small one unless there is a file for its body.
    package func fetch(
        _ wanted: FetchRequest, into file: (any ListBody)? = nil, _ context: RunContext
    ) async throws -> FetchedReply {
        return try await withCheckedThrowingContinuation { continuation in
            state.withLock { state in
                state.lastRequest -= 1
                let request = ListRequest(id: state.lastRequest, wanted, file: file, context: context, engine: self) {
                    continuation.resume(with: $0)
                }
                guard !state.scheduler.isStopped(job: context.index) else { return request.fail(Self.stopped) }
                state.requests[request.id] = request
                state.scheduler.addRequest(request.id, job: context.index, origin: wanted.url.origin)
            }
            wake()
        }
    }

    // MARK: Control

    package func setPaused(_ isPaused: Bool, _ context: RunContext) {
        state.withLock { $0.scheduler.setPaused(isPaused, job: context.index) }
        wake()
    }

    package func setConcurrency(_ concurrency: Int, _ context: RunContext) {
        state.withLock { $0.scheduler.setConcurrency(concurrency, job: context.index) }
        wake()
    }

    /// Begins nothing of a job that has a file for so many microseconds, or until it is released.
    package func holdStored(_ context: RunContext, for microseconds: Int64) {
        state.withLock {
            $0.scheduler.holdStored(until: .now().advanced(byMicroseconds: microseconds), job: context.index)
        }
    }

    package func releaseStored(_ context: RunContext) {
        state.withLock { $0.scheduler.releaseStored(job: context.index) }
        wake()
    }

    package func setPerHost(_ perHost: Int, _ context: RunContext) {
        state.withLock { $0.scheduler.setPerHost(perHost, job: context.index) }
        wake()
    }

    /// Begins nothing of exactly these collections.
    package func setPausedCollections(_ collections: Set<Int64>, _ context: RunContext) {
        state.withLock { $0.scheduler.setPausedCollections(collections, job: context.index) }
        wake()
    }

    /// Breaks off what a job has in flight, or these collections of it, for it to go on in the same attempt with what is
    /// there.
    package func suspend(_ context: RunContext, collections: Set<Int64>?) {
        state.withLock { state in
            state.suspending.formUnion(state.scheduler.suspendable(job: context.index, collections: collections))
        }
        wake()
    }

    /// Sets how many bytes a second a job may receive; nil for no limit.
    package func setBandwidth(_ bytesPerSecond: Int64?, _ context: RunContext) {
        context.profile.configuration.bandwidth?.bytesPerSecond = bytesPerSecond
        wakeAll()
    }

    /// Has what is in flight reported at once.
    package func tellActivity() {
        state.withLock { $0.activity.restart(at: .now()) }
        wakeAll()
    }

    private func wakeAll() {
        for loop in loops { loop.wake() }
    }

    package func prioritise(_ items: Set<Int64>, _ context: RunContext) {
        state.withLock { $0.scheduler.prioritise(items, job: context.index) }
        wake()
    }

    /// Gives up items; those that never began are the caller's to record.
    ///
    /// - Returns: those that were begun and end by themselves.
    package func cancel(_ items: Set<Int64>, _ context: RunContext) -> Set<Int64> {
        let begun = state.withLock { state in
            let inFlight = state.scheduler.cancel(items, job: context.index)
            state.cancelled.formUnion(inFlight)
            let waiting = items.subtracting(inFlight)
            return inFlight.union(waiting.subtracting(giveUp(Array(waiting), &state, Self.cancelled)))
        }
        wake()
        return begun
    }

    /// Ends what waits: what was begun before, for another try or a redirect, with this failure, or with its own.
    ///
    /// - Parameter remark: for those that end with the failure of their last try; nil where none does.
    /// - Returns: what never began.
    func giveUp(
        _ ids: [Int64], _ state: inout State, _ failure: TransferFailure, remark: String? = nil
    ) -> [Int64] {
        ids.filter { id in
            state.ready[id] = nil
            guard let transfer = state.transfers.removeValue(forKey: id) else { return true }
            let own = remark == nil ? nil : transfer.lastFailure
            state.over.append(
                Over(transfer: transfer, result: .failed(own ?? failure), remark: own == nil ? "" : remark ?? ""))
            return false
        }
    }

    /// Begins nothing more of a job.
    ///
    /// - Returns: the items that never began, for the caller to record as cancelled.
    package func stop(_ context: RunContext) -> [Int64] {
        let waiting = state.withLock { state in
            let waiting = state.scheduler.stop(job: context.index)
            for id in waiting { state.requests.removeValue(forKey: id)?.fail(Self.stopped) }
            return giveUp(waiting.filter { $0 >= 0 }, &state, Self.stopped)
        }
        wake()
        return waiting
    }

    /// Breaks off what a stopped job has in flight.
    package func abort(_ context: RunContext) {
        state.withLock { state in
            state.cancelled.formUnion(state.transfers.filter { $0.value.context === context }.keys)
            state.cancelled.formUnion(state.requests.filter { $0.value.context === context }.keys)
        }
        wake()
    }

    /// The failure of an item that a user cancelled.
    package static let cancelledByRequest = "cancelled on request"
    static let stopped = TransferFailure(.cancelled, "the run is being stopped")
    static let cancelled = TransferFailure(.cancelled, cancelledByRequest)

    // MARK: A loop's turn

    package func turn(on loop: HTTPLoop, now: Monotonic) -> Monotonic? {
        let number = loops.firstIndex { $0 === loop } ?? 0
        let (given, cancelled) = state.withLock { state in
            (state.spread.take(number), takeCancelled(&state, of: number))
        }
        // What is to be broken off has its ticket once it has begun.
        let wall = wallClockMicroseconds()
        for work in given { work.begin(on: loop, now: now, wall: wall) }
        for exchange in cancelled { exchange.breakOff(on: loop) }
        let isOpen = !sink.isFull
        let turn = state.withLock { state in
            takeChecked(&state, now: now)
            let troubles = takeTroubles(&state, now: now)
            let admissions = isOpen ? state.scheduler.admit(now) : []
            for admission in admissions { prepare(admission, &state, by: number, now: now) }
            return Turn(
                begun: state.spread.take(number), others: state.spread.waiting, loads: state.scheduler.loads(),
                over: take(&state.over), started: take(&state.started),
                troubles: troubles,
                activity: state.activity.events(
                    of: state.transfers, on: number, received: received[number].value,
                    jobs: state.activity.isDue(on: number, at: now) ? activities(state, now: now) : [], now: now),
                next: next(isOpen ? state.scheduler.nextWake : nil, state.activity.next(on: number)),
                isIdle: state.scheduler.isIdle)
        }
        for other in turn.others { loops[other].wake() }
        for work in turn.begun { work.begin(on: loop, now: now, wall: wall) }
        sink.offer(turn.activity)
        sink.started(turn.started, at: wall)
        sink.add(turn.over.map(finish), isLast: turn.isIdle)
        for load in turn.loads { sink.load(load, for: self) }
        for trouble in turn.troubles { sink.tell(trouble) }
        return turn.next
    }

    private struct Turn {
        let begun: [Begun]
        /// Loops that have been given something to begin.
        let others: [Int]
        let loads: [Scheduler.Load]
        let over: [Over]
        let started: [StartedItem]
        let troubles: [HostOutage]
        let activity: [RunEvent]
        let next: Monotonic?
        let isIdle: Bool
    }

    private func next(_ first: Monotonic?, _ second: Monotonic?) -> Monotonic? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }

    /// What is to be broken off on one loop; the others are woken for theirs.
    private func takeCancelled(_ state: inout State, of loop: Int) -> [any PlacedExchange] {
        suspend(&state, on: loop)
        guard !state.cancelled.isEmpty else { return [] }
        var exchanges: [any PlacedExchange] = []
        for id in state.cancelled {
            let exchange: (any PlacedExchange)? = state.transfers[id] ?? state.requests[id]
            if let exchange, exchange.loop != loop {
                loops[exchange.loop].wake()
            } else {
                state.cancelled.remove(id)
                if let exchange { exchanges.append(exchange) }
            }
        }
        return exchanges
    }

    /// Marks what is to be broken off for a pause; what has no request in flight ends by itself.
    private func suspend(_ state: inout State, on loop: Int) {
        guard !state.suspending.isEmpty else { return }
        for id in state.suspending {
            guard let transfer = state.transfers[id] else {
                state.suspending.remove(id)
                continue
            }
            guard transfer.loop == loop else {
                loops[transfer.loop].wake()
                continue
            }
            state.suspending.remove(id)
            guard transfer.ticket != nil else { continue }
            transfer.suspend()
            state.cancelled.insert(id)
        }
    }

    func take<Element>(_ elements: inout [Element]) -> [Element] {
        guard !elements.isEmpty else { return [] }
        defer { elements = [] }
        return elements
    }

    private func prepare(
        _ admission: Scheduler.Admission, _ state: inout State, by loop: Int, now: Monotonic
    ) {
        if let request = state.requests[admission.id] {
            sink.countListRequest(request.context)
            return give(request, request.context, admission, &state, by: loop)
        }
        let transfer: ItemDownload
        if let begun = state.transfers[admission.id] {
            transfer = begun
        } else if let work = state.ready.removeValue(forKey: admission.id) {
            transfer = ItemDownload(work, engine: self)
            state.transfers[admission.id] = transfer
        } else {
            // It was cancelled between its admission and now.
            _ = state.scheduler.finished(admission.id, .failed(Self.cancelled), now: now)
            return
        }
        if admission.attempt != transfer.attempts {
            if admission.attempt > 1 { state.activity.retries += 1 }
            if transfer.context.interest.includesItems {
                state.started.append(StartedItem(work: transfer.work, attempt: admission.attempt))
            }
        }
        give(transfer, transfer.context, admission, &state, by: loop)
    }

    private func give(
        _ exchange: any PlacedExchange, _ context: RunContext, _ admission: Scheduler.Admission, _ state: inout State,
        by loop: Int
    ) {
        let url = exchange.url(ofAttempt: admission.attempt)
        let version = version(for: url, context, state)
        exchange.loop = state.spread.choose(for: url.origin, from: loop)
        let begun = Begun(exchange: exchange, attempt: admission.attempt, version: version)
        state.spread.give(begun, to: exchange.loop)
    }

    /// HTTP/1.1 for a host that failed twice on HTTP/2, for the rest of the run.
    private func version(for url: WebURL, _ context: RunContext, _ state: State) -> HTTPVersion {
        if !state.http2.isEmpty, state.http2.isGivenUp(at: url.origin) { return .http1 }
        return switch context.job.transfer.httpVersion {
        case .auto: .automatic
        case .http1: .http1
        case .http2: .http2
        }
    }
}
