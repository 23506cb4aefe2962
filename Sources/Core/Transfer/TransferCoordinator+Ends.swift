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
    func ended(_ transfer: ItemDownload, _ conclusion: Conclusion, _ result: HTTPResult) {
        noteHTTP2(conclusion, result, at: transfer.route.url)
        switch conclusion {
        case .complete:
            seal(transfer)
        case .redirected(let delay):
            decide(transfer, .redirected(transfer.route.url.origin, after: delay), .redirect)
        case .failed(let failure) where failure.word == .cancelled && transfer.isSuspending:
            decide(transfer, .suspended, .failure(failure))
        case .failed(let failure):
            let verdict: Scheduler.Verdict =
                failure.isTransient ? .transient(retryAfter: failure.retryAfter) : .ended
            decide(transfer, verdict, .failure(failure))
        case .notModified:
            decide(transfer, .ended, .notModified)
        }
    }

    private func noteHTTP2(_ conclusion: Conclusion, _ result: HTTPResult, at url: @autoclosure () -> WebURL) {
        guard result.version == "2" else { return }
        switch conclusion {
        case .failed(let failure) where [.protocolError, .reset, .truncated].contains(failure.word): break
        // What came can't be relied on and is asked for once more.
        case .redirected where result.hasUncertainEnd && !RequestRoute.isRedirect(result.status): break
        default: return
        }
        let origin = url().origin
        state.withLock { $0.http2.note(at: origin, begun: result.startedAt, now: .now()) }
    }

    private func seal(_ transfer: ItemDownload) {
        guard let part = transfer.part else {
            let failure = TransferFailure(.protocolError, "a reply without a body where one is due")
            return decide(transfer, .ended, .failure(failure))
        }
        transfer.part = nil
        let intake = transfer.bodyIntake
        part.seal { [self] result in
            if case .success(let body) = result, intake.takesLong(body) {
                bodyChecks.async {
                    self.settle(transfer, intake, result)
                }
            } else {
                settle(transfer, intake, result)
            }
        }
    }

    private func settle(_ transfer: ItemDownload, _ intake: BodyIntake, _ result: Result<SealedPart, FileError>) {
        let ending: Ending
        do throws(TransferFailure) {
            let body = try result.mapError { TransferFailure($0) }.get()
            ending = try intake.take(body) { transfer.isBrokenOff.load(ordering: .relaxed) }
        } catch {
            ending = .failure(error)
        }
        if loops[transfer.loop].isCurrent { return decide(transfer, verdict(ending), ending) }
        // A large body's digest comes from another thread, and so does what reading it again tells; but a transfer is its
        // loop's.
        state.withLock { state in
            state.spread.ended(on: transfer.loop)
            state.sealed.append((transfer, ending))
        }
        wake()
    }

    func settleSealed(_ state: inout State, now: Monotonic) {
        for (transfer, ending) in take(&state.sealed) { decide(transfer, verdict(ending), ending, &state, now: now) }
    }

    /// Of what became of a complete body.
    private func verdict(_ ending: Ending) -> Scheduler.Verdict {
        if case .failure(let failure) = ending, failure.isTransient { return .transient(retryAfter: nil) }
        return .ended
    }

    enum Ending {
        case redirect
        case failure(TransferFailure)
        case notModified
        /// So many bytes, the same as are stored.
        case sameBody(Int64)
        case body(SealedPart)
    }

    private func decide(_ transfer: ItemDownload, _ verdict: Scheduler.Verdict, _ ending: Ending) {
        let now = Monotonic.now()
        state.withLock { state in
            state.spread.ended(on: transfer.loop)
            decide(transfer, verdict, ending, &state, now: now)
        }
    }

    private func decide(
        _ transfer: ItemDownload, _ verdict: Scheduler.Verdict, _ ending: Ending, _ state: inout State, now: Monotonic
    ) {
        let work = transfer.work
        var failure: TransferFailure?
        if case .failure(let cause) = ending { failure = cause }
        let sign = HostSignal(failure, wait: transfer.wait)
        state.activity.noteHold(transfer.route.url.origin, verdict)
        let decision = state.scheduler.finished(work.id, verdict, sign: sign, now: now)
        noteOutages(&state, failure, now: now)
        transfer.traceDecision(failure, decision, now: now)
        switch decision {
        case .retry(let due):
            transfer.waitsForRetry = true
            transfer.lastFailure = failure
            transfer.retry = failure.map { (due, $0.detail) }
        case .hop, .suspended:
            return
        case .unaffordable:
            state.transfers[work.id] = nil
            state.over.append(
                Over(transfer: transfer, ending: ending, remark: "; the run has used up its further tries"))
        case .cancelled:
            state.transfers[work.id] = nil
            var failure = Self.stopped
            if case .failure(let last) = ending { failure.detail += "; before that: \(last.detail)" }
            state.over.append(Over(transfer: transfer, ending: .failure(failure)))
        case .over:
            state.transfers[work.id] = nil
            state.over.append(Over(transfer: transfer, ending: ending))
        }
    }

    /// A transfer that is over.
    struct Over {
        let transfer: ItemDownload
        let ending: Ending
        /// Added to the detail of its failure.
        var remark = ""
    }

    /// What is to be recorded of a transfer. Its part is kept or removed, which may wait for the disk.
    func finish(_ over: Over) -> FinishedItem {
        let (transfer, work) = (over.transfer, over.transfer.work)
        switch over.ending {
        case .redirect, .failure:
            var failure = TransferFailure(.redirect, "the redirect leads nowhere")
            if case .failure(let cause) = over.ending { failure = cause }
            failure.detail += over.remark
            transfer.dropPart(after: failure)
            let outcome: TransferOutcome = failure.word == .cancelled ? .cancelled : .failed
            return FinishedItem(
                work: work, record: transfer.record(outcome, failure),
                isPermanent: failure.isLasting, endedAt: transfer.ended)
        case .notModified:
            transfer.discardPart()
            return FinishedItem(
                work: work, record: transfer.record(.unchanged), reply: transfer.goodReply(),
                endedAt: transfer.ended)
        case .sameBody(let size):
            return FinishedItem(
                work: work, record: transfer.record(.unchanged, bodyBytes: size), reply: transfer.goodReply(),
                endedAt: transfer.ended)
        case .body(let body):
            return FinishedItem(
                work: work, record: transfer.record(.downloaded, bodyBytes: body.size), body: body,
                reply: transfer.goodReply(), endedAt: transfer.ended)
        }
    }

    /// A source's request ended. On the loop's thread.
    func ended(_ request: ListRequest, _ conclusion: Conclusion, _ result: HTTPResult) {
        sink.countListBytes(result.wireBytes, request.context)
        noteHTTP2(conclusion, result, at: request.route.url)
        let now = Monotonic.now()
        let verdict: Scheduler.Verdict =
            switch conclusion {
            case .redirected(let delay): .redirected(request.route.url.origin, after: delay)
            case .failed(let failure) where failure.isTransient: .transient(retryAfter: failure.retryAfter)
            default: .ended
            }
        let wait = request.context.wait(of: result)
        let decision = state.withLock { state in
            var failure: TransferFailure?
            if case .failed(let cause) = conclusion { failure = cause }
            let sign = HostSignal(failure, wait: wait)
            state.spread.ended(on: request.loop)
            state.activity.noteHold(request.route.url.origin, verdict)
            let decision = state.scheduler.finished(request.id, verdict, sign: sign, now: now)
            noteOutages(&state, failure, now: now)
            if decision == .over || decision == .cancelled { state.requests[request.id] = nil }
            return decision
        }
        switch (decision, conclusion) {
        case (.retry, _), (.hop, _), (.suspended, _): break
        case (.over, .failed(let failure)), (.unaffordable, .failed(let failure)): request.fail(failure)
        case (.over, _), (.unaffordable, _): request.reply(result)
        case (.cancelled, _): request.fail(Self.stopped)
        }
    }
}
