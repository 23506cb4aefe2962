import Catalog
import Files
import HTTP
import Jobs
import Model
import Pictures
import SQLite
import System
import Transfer

/// Stopping, pausing and steering a run that is under way. From any thread.
extension JobRun {
    var isStopped: Bool { state.withLock { $0.stop != nil } }
    var isPaused: Bool { state.withLock { $0.isPaused && !$0.isOver } }

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
            state.waiting?.cancel()
            return true
        }
        guard isFirst else { return }
        state.withLock { $0.pictures }?.stop()
        publishControl()
        stopTransfers()
        Timers.after(options.gracePeriod) { [weak self] in
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
        let isOver = state.withLock { state in
            state.graceEnd = Monotonic.now()
            return state.isOver
        }
        // The grace period may end after the run.
        if !isOver { publishControl() }
        if let (context, _) = begun {
            context.isAborted.withLock { $0 = true }
            engine.abort(context)
        }
        if let pictures = state.withLock({ $0.pictures }), pictures.isStopped { rendering?.abort() }
    }

    /// Begins nothing more while it is paused. What is in flight has the grace period to end, then it is broken off, and
    /// goes on later with what is there.
    func setPaused(_ isPaused: Bool) {
        let number = state.withLock { state in
            if isPaused != state.isPaused { state.pauses += 1 }
            state.isPaused = isPaused
            return state.pauses
        }
        if let (context, _) = begun { engine.setPaused(isPaused, context) }
        publishControl()
        guard isPaused else { return }
        suspendLater { $0.isPaused && $0.pauses == number ? .some(nil) : nil }
    }

    /// Pauses collections, by their rows, or has them go on.
    func setPaused(_ isPaused: Bool, collections: Set<Int64>) {
        let paused = state.withLock { state in
            if isPaused {
                state.pausedCollections.formUnion(collections)
            } else {
                state.pausedCollections.subtract(collections)
            }
            return state.pausedCollections
        }
        if let (context, _) = begun { engine.setPausedCollections(paused, context) }
        publishControl()
        guard isPaused else { return }
        suspendLater { state in
            let still = state.pausedCollections.intersection(collections)
            return still.isEmpty ? nil : still
        }
    }

    /// Breaks off what is in flight after the grace period.
    ///
    /// - Parameter wanted: which collections are still to be suspended then; `nil` in it for all, nil for none.
    private func suspendLater(_ wanted: @escaping @Sendable (State) -> Set<Int64>??) {
        Timers.after(options.gracePeriod) { [weak self] in
            guard let self, let (context, _) = begun, case .some(let collections) = state.withLock({ wanted($0) })
            else {
                return
            }
            engine.suspend(context, collections: collections)
        }
    }

    func changeConcurrency(_ change: (Int) -> Int) {
        setLimits { $0.concurrency = change($0.effectiveConcurrency) }
    }

    /// Changes limits; they are in force when this returns. Lower ones break nothing off.
    func setLimits(_ change: (inout State) -> Void) {
        let (before, concurrency, perHost, bandwidth) = state.withLock { state in
            let before = state.bandwidth
            change(&state)
            return (before, state.effectiveConcurrency, state.perHost, state.bandwidth)
        }
        if let (context, _) = begun {
            engine.setConcurrency(concurrency, context)
            engine.setPerHost(perHost, context)
            if bandwidth != before { engine.setBandwidth(bandwidth, context) }
        }
        publishControl()
    }

    /// Has the bandwidth be what the timetable says, now and from then on, unless somebody has set another.
    func followTimetable() {
        let period = job.transfer.bandwidth.period(at: options.dayClock.secondOfDay())
        guard let next = period.next else { return }
        let isFollowed = state.withLock { $0.bandwidthUntil != nil && !$0.isOver }
        guard isFollowed else { return }
        setLimits { state in
            guard state.bandwidthUntil != nil else { return }
            (state.bandwidth, state.bandwidthUntil) = (period.bytesPerSecond, next.time)
        }
        // A clock that was set meanwhile is noticed before long.
        options.dayClock.wake(min(next.seconds, Self.longestNap)) { [weak self] in self?.followTimetable() }
    }

    /// Seconds.
    private static let longestNap = 600

    /// Tells what the job was asked to do, once it has begun.
    func publishControl() {
        guard events.interest.includesProgress else { return }
        let control = state.withLock { state in
            state.context == nil
                ? nil
                : RunControl(
                    job: job.name, isPaused: state.isPaused, isStopping: state.stop != nil,
                    grace: max(0, state.graceEnd.map { $0 - Monotonic.now() } ?? 0),
                    concurrency: state.effectiveConcurrency, perHost: state.perHost, bandwidth: state.bandwidth,
                    bandwidthUntil: state.bandwidthUntil,
                    pausedCollections: state.pausedCollections)
        }
        if let control { publish(.control(control)) }
    }

    /// Has these items fetched before the others of their hosts, in place of those of the last call.
    func prioritise(_ items: Set<Int64>) {
        guard let (context, ledger) = begun else { return }
        engine.prioritise(items, context)
        // Another place of a URL comes with the item that is fetched for both.
        store.enqueue { _ in
            let leaders = ledger.sharedURLs.leaders(of: items)
            if !leaders.isEmpty { self.engine.prioritise(items.union(leaders), context) }
        }
    }

    /// Gives up items of this job; those of others are passed over. Other places of their URLs are fetched all the same.
    func cancel(_ items: Set<Int64>) {
        guard let (context, ledger) = begun else { return }
        store.enqueue { catalog in _ = self.cancel(items, context, ledger, on: catalog) }
    }

    /// The same on the catalog's queue.
    ///
    /// - Returns: how many of the items had not ended.
    func cancel(_ items: Set<Int64>, _ context: RunContext, _ ledger: RunLedger, on catalog: Connection) -> Int {
        let open = items.filter { ledger.open.contains($0) }
        let successors = ledger.takeSuccessors(of: open)
        let inFlight = engine.cancel(open, context)
        var waiting = Array(open.subtracting(inFlight))
        if !engine.add(successors, context) { waiting += successors.map(\.id) }
        do {
            let now = wallClockMicroseconds()
            let detail = state.withLock { $0.stop } == nil ? RunLedger.cancelledByRequest : RunLedger.cancelledByEnd
            events.publish(try ledger.cancel(waiting, detail, on: catalog, now: now), mayWait: false)
        } catch {
            ledger.abandon("the catalog can't be written: \(error)")
        }
        return open.count
    }

    /// Tells everything that is known to somebody who begins to watch, and calls back when it is published.
    func tellAll(_ done: @escaping @Sendable () -> Void) {
        guard let (_, ledger) = begun else { return done() }
        publishControl()
        store.enqueue { _ in
            if let progress = ledger.allProgress() { self.publish(progress) }
            done()
        }
    }

    var begun: (RunContext, RunLedger)? {
        state.withLock { state in
            guard let context = state.context, let ledger = state.ledger else { return nil }
            return (context, ledger)
        }
    }
}
