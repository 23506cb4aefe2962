import Catalog
import Dispatch
import Files
import HTTP
import Jobs
import Model
import Pictures
import System
import Transfer

/// Stopping, pausing and steering a run that is under way. From any thread.
extension JobRun {
    var isStopped: Bool { state.withLock { $0.stop != nil } }

    /// Begins nothing more. What is in flight has the grace period, then it is broken off.
    func stop(_ cause: StopCause) {
        let isFirst = state.withLock { state in
            guard state.stop == nil else {
                // What ends the process by a signal is an interrupted run, whatever had been asked for before.
                if cause == .signal { state.stop = cause }
                return false
            }
            state.stop = cause
            state.graceEnd = Monotonic.now().advanced(byMicroseconds: options.gracePeriod)
            state.listing?.cancel()
            return true
        }
        guard isFirst else { return }
        state.withLock { $0.pictures }?.stop()
        publishControl()
        stopTransfers()
        timers.asyncAfter(deadline: .now() + .microseconds(Int(options.gracePeriod))) { [weak self] in
            self?.abortTransfers()
        }
    }

    /// Breaks off what is in flight.
    func abort(_ cause: StopCause) {
        stop(cause)
        abortTransfers()
    }

    func stopTransfers() {
        guard let (context, ledger) = begun else { return }
        let waiting = engine.stop(context)
        store.enqueue { catalog in
            do {
                let now = wallClockMicroseconds()
                self.events.publish(try ledger.cancel(waiting, on: catalog, now: now), mayWait: true)
            } catch {
                ledger.abandon("the catalog can't be written: \(error)")
            }
        }
    }

    private func abortTransfers() {
        state.withLock { $0.graceEnd = Monotonic.now() }
        publishControl()
        if let (context, _) = begun {
            context.isAborted.withLock { $0 = true }
            engine.abort(context)
        }
        if let pictures = state.withLock({ $0.pictures }), pictures.isStopped { rendering?.abort() }
    }

    func setPaused(_ isPaused: Bool) {
        state.withLock { $0.isPaused = isPaused }
        if let (context, _) = begun { engine.setPaused(isPaused, context) }
        publishControl()
    }

    func changeConcurrency(_ change: (Int) -> Int) {
        let concurrency = state.withLock { state in
            state.concurrency = change(state.concurrency)
            return state.concurrency
        }
        if let (context, _) = begun { engine.setConcurrency(concurrency, context) }
        publishControl()
    }

    /// Tells what the job was asked to do, once it has begun.
    func publishControl() {
        guard options.interest.includesProgress else { return }
        let control = state.withLock { state in
            state.context == nil
                ? nil
                : RunControl(
                    job: job.name, isPaused: state.isPaused, isStopping: state.stop != nil,
                    grace: max(0, state.graceEnd.map { $0 - Monotonic.now() } ?? 0),
                    concurrency: state.concurrency)
        }
        if let control { publish(.control(control)) }
    }

    func prioritise(_ items: Set<Int64>) {
        guard let (context, ledger) = begun else { return }
        engine.prioritise(items, context)
        // Another place of a URL comes with the item that is fetched for both.
        store.enqueue { _ in
            let leaders = ledger.leaders(of: items)
            if !leaders.isEmpty { self.engine.prioritise(leaders, context) }
        }
    }

    /// Gives up items of this job; those of others are passed over. Other places of their URLs are fetched all the same.
    func cancel(_ items: Set<Int64>) {
        guard let (context, ledger) = begun else { return }
        store.enqueue { catalog in
            let open = items.filter { ledger.open.contains($0) }
            let successors = ledger.takeSuccessors(of: open)
            let inFlight = self.engine.cancel(open, context)
            var waiting = Array(open.subtracting(inFlight))
            if !self.engine.add(successors, context) { waiting += successors.map(\.id) }
            do {
                let now = wallClockMicroseconds()
                self.events.publish(try ledger.cancel(waiting, on: catalog, now: now), mayWait: true)
            } catch {
                ledger.abandon("the catalog can't be written: \(error)")
            }
        }
    }

    private var begun: (RunContext, RunLedger)? {
        state.withLock { state in
            guard let context = state.context, let ledger = state.ledger else { return nil }
            return (context, ledger)
        }
    }
}
