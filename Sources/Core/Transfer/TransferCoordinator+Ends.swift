import Dispatch
import Files
import HTTP
import Model
import Schedule
import Synchronization
import System

/// What becomes of requests that have ended.
extension TransferCoordinator {
    /// An item's request ended. On the loop's thread.
    func ended(_ transfer: ItemDownload, _ result: AttemptResult, _ response: HTTPResult) {
        noteHTTP2(result, response, at: transfer.route.url)
        switch result {
        case .complete: seal(transfer)
        case .failed(let failure) where failure.word == .cancelled && transfer.isSuspending:
            decide(transfer, .suspended)
        default: decide(transfer, result)
        }
    }

    private func noteHTTP2(_ result: AttemptResult, _ response: HTTPResult, at url: @autoclosure () -> WebURL) {
        guard response.version == "2" else { return }
        switch result {
        case .failed(let failure) where [.protocolError, .reset, .truncated].contains(failure.word): break
        // What came can't be relied on and is asked for once more.
        case .redirected where response.hasUncertainEnd && !RequestRoute.isRedirect(response.status): break
        default: return
        }
        let origin = url().origin
        state.withLock { $0.http2.note(at: origin, begun: response.startedAt, now: .now()) }
    }

    private func seal(_ transfer: ItemDownload) {
        guard let part = transfer.takePart() else {
            return decide(transfer, .failed(TransferFailure(.protocolError, "a response without the expected body")))
        }
        let intake = transfer.bodyIntake
        part.seal { [self] sealed in
            if case .success(let body) = sealed, intake.takesLong(body) {
                bodyChecks.async {
                    self.check(transfer, intake, sealed)
                }
            } else {
                check(transfer, intake, sealed)
            }
        }
    }

    private func check(_ transfer: ItemDownload, _ intake: BodyIntake, _ sealed: Result<SealedPart, FileError>) {
        let result: AttemptResult
        do throws(TransferFailure) {
            let body = try sealed.mapError { TransferFailure($0) }.get()
            result = try intake.take(body) { transfer.isBrokenOff.load(ordering: .relaxed) }
        } catch {
            result = .failed(error)
        }
        if loops[transfer.loop].isCurrent { return decide(transfer, result) }
        // A large body is hashed and checked on another thread; but a transfer is its loop's.
        state.withLock { state in
            state.spread.ended(on: transfer.loop)
            state.checked.append((transfer, result))
        }
        wake()
    }

    func takeChecked(_ state: inout State, now: Monotonic) {
        for (transfer, result) in take(&state.checked) { decide(transfer, result, &state, now: now) }
    }

    private func decide(_ transfer: ItemDownload, _ result: AttemptResult) {
        let now = Monotonic.now()
        state.withLock { state in
            state.spread.ended(on: transfer.loop)
            decide(transfer, result, &state, now: now)
        }
    }

    private func decide(_ transfer: ItemDownload, _ result: AttemptResult, _ state: inout State, now: Monotonic) {
        let work = transfer.work
        let failure = result.failure
        state.activity.noteHold(transfer.route.url.origin, failure)
        let decision = state.scheduler.finished(
            work.id, result, sign: HostSignal(failure, wait: transfer.wait), now: now)
        noteOutages(&state, failure, now: now)
        transfer.traceDecision(failure, decision, now: now)
        switch decision {
        case .retry(let due):
            transfer.waitForRetry(due: due, after: failure)
        case .hop, .suspended:
            return
        case .unaffordable:
            state.transfers[work.id] = nil
            state.over.append(
                Over(transfer: transfer, result: result, remark: "; the run has used up its retries"))
        case .cancelled:
            state.transfers[work.id] = nil
            var stopped = Self.stopped
            if let failure { stopped.detail += "; before that: \(failure.detail)" }
            state.over.append(Over(transfer: transfer, result: .failed(stopped)))
        case .over:
            state.transfers[work.id] = nil
            // Whoever cancelled it was answered that it is, though the loop has not seen to it yet.
            let isCancelled =
                state.cancelled.remove(work.id) != nil && !transfer.isSuspending
                && !state.scheduler.isStopped(job: transfer.context.index)
            state.over.append(Over(transfer: transfer, result: result, isCancelled: isCancelled))
        }
    }

    /// A transfer that is over.
    struct Over {
        let transfer: ItemDownload
        let result: AttemptResult
        /// Added to the detail of its failure.
        var remark = ""
        /// Whether it was cancelled on request as it ended: what arrived is discarded.
        var isCancelled = false
    }

    /// What is to be recorded of a transfer. Its part is kept or removed, which may wait for the disk.
    func finish(_ over: Over) -> FinishedItem {
        let (transfer, work) = (over.transfer, over.transfer.work)
        if over.isCancelled {
            // Best effort: a part that cannot be removed is removed by the next run.
            if case .stored(let body) = over.result { try? body.discard(in: transfer.context.output) }
            return finish(transfer, Self.cancelled)
        }
        switch over.result {
        case .failed(var failure):
            failure.detail += over.remark
            return finish(transfer, failure)
        case .suspended:
            return finish(transfer, Self.stopped)
        case .redirected, .complete:
            return finish(transfer, TransferFailure(.redirect, "the redirect leads nowhere"))
        case .notModified:
            transfer.discardPart()
            return FinishedItem(
                work: work, record: transfer.record(.unchanged), reply: transfer.goodReply(),
                endedAt: transfer.ended)
        case .sameBody(let size):
            return FinishedItem(
                work: work, record: transfer.record(.unchanged, bodyBytes: size), reply: transfer.goodReply(),
                endedAt: transfer.ended)
        case .stored(let body):
            return FinishedItem(
                work: work, record: transfer.record(.downloaded, bodyBytes: body.size), body: body,
                reply: transfer.goodReply(), endedAt: transfer.ended)
        }
    }

    private func finish(_ transfer: ItemDownload, _ failure: TransferFailure) -> FinishedItem {
        transfer.dropPart(after: failure)
        let outcome: TransferOutcome = failure.word == .cancelled ? .cancelled : .failed
        return FinishedItem(
            work: transfer.work, record: transfer.record(outcome, failure), isPermanent: failure.isLasting,
            endedAt: transfer.ended)
    }

    /// A source's request ended. On the loop's thread.
    func ended(_ request: ListRequest, _ result: AttemptResult, _ response: HTTPResult) {
        sink.countListBytes(response.wireBytes, request.context)
        noteHTTP2(result, response, at: request.route.url)
        let now = Monotonic.now()
        let sign = HostSignal(result.failure, wait: request.context.wait(of: response))
        let decision = state.withLock { state in
            state.spread.ended(on: request.loop)
            state.activity.noteHold(request.route.url.origin, result.failure)
            let decision = state.scheduler.finished(request.id, result, sign: sign, now: now)
            noteOutages(&state, result.failure, now: now)
            if decision == .over || decision == .cancelled { state.requests[request.id] = nil }
            return decision
        }
        switch decision {
        case .retry, .hop, .suspended: break
        case .over, .unaffordable:
            if let failure = result.failure { request.fail(failure) } else { request.reply(response) }
        case .cancelled: request.fail(Self.stopped)
        }
    }
}
