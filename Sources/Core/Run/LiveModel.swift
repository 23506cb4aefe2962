import Dispatch
import HTTP

/// The session as those see it who only watch: one model for all of them, which is there while somebody watches. A reader
/// takes what changed since it looked last, so that one that is slow, or looks seldom, costs nobody anything.
package final class LiveModel: Sendable {
    /// Events that wait to be entered; more are dropped, and the sums asked for anew.
    private static let longest = 16_384
    /// Events of so long, in milliseconds, are entered together.
    private static let delay = 20
    /// A reader that comes waits no longer than this, in milliseconds, for the model to be whole.
    private static let patience = 2_000

    private struct State {
        var model: RunModel?
        var meters: [RateMeter] = []
        /// By job: what is received of an item that is fetched anew does not count down.
        var mostBytes: [Int64] = []
        /// The version of the last model: those of all models rise.
        var version = 0
        var readers = 0
        var pending: [RunEvent] = []
        var isScheduled = false
        var hasLost = false
        /// Whether all sums were published since the first reader joined.
        var isWhole = false
        /// Called once the model is whole.
        var waiting: [@Sendable () -> Void] = []
    }

    private let jobs: [String]
    private let interest: CurrentInterest
    private let queue = DispatchQueue(label: "live")
    private let state = Locked(State())
    /// Publishes all sums, and calls back when it is done.
    private let refresh = Locked<@Sendable (@escaping @Sendable () -> Void) -> Void>({ $0() })
    private let start = Monotonic.now()

    init(jobs: [String], _ interest: CurrentInterest) {
        self.jobs = jobs
        self.interest = interest
    }

    func onJoin(_ refresh: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void) {
        self.refresh.withLock { $0 = refresh }
    }

    // MARK: Readers

    /// Begins to watch.
    ///
    /// - Parameter ready: called once, on a queue of the model's own, when everything that is known is in the model, or
    ///   that takes too long.
    package func join(_ ready: @escaping @Sendable () -> Void) {
        let (isFirst, isWhole) = state.withLock { state in
            state.readers += 1
            let isFirst = state.readers == 1
            if isFirst {
                state.model = RunModel(jobs: jobs, version: state.version)
                state.mostBytes = jobs.map { _ in 0 }
                state.meters = jobs.map { _ in RateMeter(start: start.microseconds) }
                state.isWhole = false
                interest.setWatched(true)
            }
            if !state.isWhole { state.waiting.append(ready) }
            return (isFirst, state.isWhole)
        }
        if isWhole { settle(ready) }
        guard isFirst else { return }
        askAnew()
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.patience)) { self.noteWhole() }
    }

    /// Calls back when everything that was published before is in the model.
    package func settle(_ done: @escaping @Sendable () -> Void) {
        queue.async {
            self.deliver()
            done()
        }
    }

    /// Ends to watch.
    package func leave() {
        state.withLock { state in
            state.readers -= 1
            guard state.readers == 0 else { return }
            interest.setWatched(false)
            state.version = state.model?.version ?? state.version
            state.model = nil
            state.meters = []
            state.pending = []
            state.hasLost = false
        }
    }

    /// What is known at this moment of a job, with its rates; nil while nobody watches.
    package func view(of job: String) -> LiveView? {
        read(job) { model, place in model.snapshot(of: place) }
    }

    /// What has changed of a job since a version; nil where that is too long ago, or nobody watches.
    package func view(of job: String, since version: Int) -> LiveView? {
        read(job) { model, place in model.changes(of: place, since: version) }
    }

    private func read(_ job: String, _ body: (RunModel, Int) -> RunChanges?) -> LiveView? {
        state.withLock { state in
            guard let model = state.model, let place = model.place(of: job), let changes = body(model, place) else {
                return nil
            }
            let now = Monotonic.now().microseconds
            let bytes = max(state.mostBytes[place], model.bytes(of: place))
            state.mostBytes[place] = bytes
            state.meters[place].record(items: model.jobs[place].done, bytes: bytes, at: now)
            let meter = state.meters[place]
            return LiveView(
                changes: changes, bytes: bytes, byteRate: meter.bytes, itemRate: meter.items,
                secondsLeft: model.secondsLeft(of: place, itemRate: meter.items, byteRate: meter.bytes))
        }
    }

    // MARK: Events

    /// Takes events; never waits.
    func take(_ events: [RunEvent]) {
        let isFirst = state.withLock { state in
            guard state.readers > 0 else { return false }
            if state.pending.count + events.count > Self.longest {
                state.pending = []
                state.hasLost = true
            } else {
                state.pending += events
            }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { queue.asyncAfter(deadline: .now() + .milliseconds(Self.delay)) { self.deliver() } }
    }

    private func deliver() {
        useAllProcessors()
        let hasLost = state.withLock { state in
            let events = state.pending
            state.pending = []
            state.isScheduled = false
            let now = Monotonic.now().microseconds
            for event in events { state.model?.apply(event, at: now) }
            guard state.hasLost, state.model != nil else { return false }
            state.hasLost = false
            state.model?.forgetEnded()
            return true
        }
        if hasLost { askAnew() }
    }

    private func askAnew() {
        let refresh = refresh.withLock { $0 }
        refresh { [self] in
            queue.async {
                self.deliver()
                self.noteWhole(unlessIdle: true)
            }
        }
    }

    /// Lets those who came see the model.
    ///
    /// - Parameter unlessIdle: whether to wait for the first ``RunActivity``, which comes when the loops have had a turn.
    private func noteWhole(unlessIdle: Bool = false) {
        let waiting = state.withLock { state in
            if unlessIdle, let model = state.model, !model.hasActivity, !state.waiting.isEmpty {
                return nil as [@Sendable () -> Void]?
            }
            defer { state.waiting = [] }
            state.isWhole = true
            return state.waiting
        }
        guard let waiting else {
            queue.asyncAfter(deadline: .now() + .milliseconds(Self.delay)) {
                self.deliver()
                self.noteWhole(unlessIdle: true)
            }
            return
        }
        for ready in waiting { ready() }
    }
}
