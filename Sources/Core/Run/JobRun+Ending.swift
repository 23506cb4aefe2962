import Catalog
import Jobs
import Model
import Pictures
import SQLite
import Schedule
import System
import Transfer

/// What is written of a run when nothing of it is under way any more.
extension JobRun {
    /// The end of a run that was stopped while it looked at a new output directory.
    func finishStopped(by cause: StopCause?, startedAt: Int64) async throws -> RunFinished {
        let (outcome, detail): (RunOutcome, String) =
            switch cause {
            case .deadline: (.partial, "the deadline cut the run before it had read the new output.directory")
            case .request: (.partial, "stopped on request before it had read the new output.directory")
            case .signal, nil: (.interrupted, "stopped by a signal before it had read the new output.directory")
            }
        let now = wallClockMicroseconds()
        let run = try await store.perform { [job, options] catalog in
            try RunRows.enterStopped(
                job, outcome, detail: detail, options.invocation, startedAt: startedAt, on: catalog, now: now)
        }
        publish(
            .runStarted(
                RunStarted(
                    run: run, job: job.name, at: startedAt,
                    selection: options.selection.text(hiding: job.trust.secrets.hide),
                    concurrency: limits.concurrency)))
        let finished = RunFinished(
            run: run, job: job.name, at: now, outcome: outcome, figures: RunFigures(), detail: detail,
            startedAt: startedAt, isAcceptable: false)
        publish(.runFinished(finished))
        return finished
    }

    /// Writes the run's last row, and what only a list that was read whole can tell.
    func close(
        _ ledger: RunLedger, _ listing: Listing, _ stop: StopCause?, _ pictures: RenderFigures, on catalog: Connection
    ) throws -> (RunFinished, warnings: [String]) {
        // Also where nothing was left to write.
        try? ledger.requireCatalog(catalog)
        var outcome: RunOutcome
        var detail: String?
        let figures = ledger.figures
        let ignored = job.knownFailures == .ignore ? figures.knownFailures : 0
        let missed = figures.failed - ignored + figures.cancelled
        var isCut = figures.cancelled > 0
        if case .cut = listing { isCut = true }
        if stop != nil, pictures.left > 0 { isCut = true }
        if let fatal = ledger.fatal {
            (outcome, detail) = (.failed, job.trust.secrets.hide(fatal))
        } else if stop == .signal {
            (outcome, detail) = (.interrupted, "stopped by a signal")
        } else if case .failed(let reason) = listing {
            (outcome, detail) = (.failed, "the list failed: \(reason)")
        } else if let fault = ledger.sums.diskFault {
            (outcome, detail) = (.failed, fault)
        } else if isCut, stop == .deadline {
            (outcome, detail) = (.partial, "the deadline cut the run")
        } else if isCut, stop == .request {
            (outcome, detail) = (.partial, "stopped on request")
        } else if let trouble = pictures.trouble {
            let items = pictures.left == 1 ? "1 item" : "\(pictures.left) items"
            (outcome, detail) = (.partial, "no pictures were made of \(items): \(trouble)")
        } else {
            outcome = missed == 0 ? .complete : .partial
        }
        var warnings = [ledger.renaming.warning, ledger.adoption?.summary] + (ledger.sidecars?.warnings ?? [])
        switch listing {
        case _ where ledger.fatal != nil: break
        case .complete: try ledger.noteListEnd(isComplete: true, on: catalog)
        case .enough: try ledger.noteListEnd(isComplete: false, on: catalog)
        case .cut, .failed: break
        }
        if case .complete = listing, ledger.fatal == nil {
            if !ledger.list.isPartial, !ledger.context.selection.isSourceChanged {
                try ledger.writeExpected(on: catalog)
            }
            if ledger.context.selection.isWhole, !ledger.list.isPartial {
                warnings.append(try ledger.markGone(on: catalog))
                try ledger.renaming.end(on: catalog)
                if !isCut { try ledger.journal.removeLeftovers(on: catalog) }
            } else {
                warnings.append(try ledger.unlistedWarning(on: catalog))
            }
        }
        let now = wallClockMicroseconds()
        try catalog.transaction {
            try ledger.writeFigures(on: catalog)
            try ledger.write(engine.strains(ledger.context), on: catalog)
            try RunRows.finish(ledger.context.run, outcome, detail: detail, on: catalog, now: now)
        }
        // Files of followers may have been named without a batch to follow.
        ledger.journal.clear()
        let isAllowed =
            (stop == nil || !isCut) && stop != .signal && figures.cancelled == 0 && pictures.trouble == nil
            && job.allowedFailures.allows(figures.failed - ignored, of: figures.items)
        let finished = RunFinished(
            run: ledger.context.run, job: job.name, at: now, outcome: outcome, figures: figures, detail: detail,
            startedAt: ledger.context.startedAt, isAcceptable: outcome == .partial && isAllowed,
            ignoresKnownFailures: job.knownFailures == .ignore)
        return (finished, warnings.compactMap { $0 })
    }
}
