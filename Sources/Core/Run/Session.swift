import Catalog
import Dispatch
import Files
import HTTP
package import Jobs
import MediaClient
package import Model
import Pictures
import SQLite
import Schedule
import System
import Transfer

/// One process's run of several jobs, side by side, on one catalog and the same loops.
package final class Session: Sendable {
    private let store: CatalogStore
    private let engine: TransferCoordinator
    private let events: EventHub
    private let runs: [JobRun]
    private let options: SessionOptions
    /// nil where no job wants pictures, or nothing can make them.
    private let rendering: RenderQueue?

    /// Opens the catalog and starts the loops.
    ///
    /// - Parameter events: called with batches of events, in order, never concurrently, on a thread of its own that it may
    ///   hold; a reader that is slow slows the run.
    /// - Throws: what keeps the catalog from being used.
    package init(
        jobs: [Job], options: SessionOptions, events handler: @escaping @Sendable ([RunEvent]) -> Void
    ) throws {
        takeMemoryInLargeSteps()
        self.options = options
        let events = EventHub(interest: options.interest, jobs: jobs.map(\.name), handler)
        let store = try CatalogStore(path: options.database)
        let program =
            jobs.contains { $0.media != nil } ? RendererLocation.find(environment: options.environment) : nil
        let rendering = program.map { program in
            RenderQueue(program: program, store: store) { [weak events] batch in
                guard let events else { return }
                events.publish(batch.filter(events.interest.includes(rendering:)), mayWait: false)
            }
        }
        self.rendering = rendering
        let recorder = Recorder(store: store, events: events)
        let engine = try TransferCoordinator(
            sink: recorder,
            scheduler: Scheduler(backoff: options.backoff, breaker: options.breaker), bodyChecks: options.bodyChecks)
        self.events = events
        self.store = store
        self.engine = engine
        let runs = jobs.map { job in
            JobRun(
                job, options: options, store: store, engine: engine, recorder: recorder, events: events,
                rendering: rendering)
        }
        self.runs = runs
        let joined = DispatchQueue(label: "joined")
        events.live.onJoin { [weak engine] done in
            engine?.tellActivity()
            let group = DispatchGroup()
            for run in runs {
                group.enter()
                run.tellAll { group.leave() }
            }
            group.notify(queue: joined, execute: done)
        }
    }

    /// Runs the jobs to their ends. To be called once.
    ///
    /// - Returns: how each job ended, in the order in which they were given; all events have been read then.
    package func run() async -> [JobResult] {
        if let deadline = options.deadline {
            Timers.after(deadline) { [weak self] in self?.stop(.deadline) }
        }
        let results = await withTaskGroup(of: (Int, JobResult).self) { group in
            for (index, run) in runs.enumerated() {
                group.addTask { (index, JobResult(job: run.job.name, ending: await run.run())) }
            }
            var results: [JobResult?] = Array(repeating: nil, count: runs.count)
            for await (index, result) in group { results[index] = result }
            return results.compactMap { $0 }
        }
        engine.stop()
        await events.drain()
        rendering?.close()
        // What the runs wrote is in the catalog, whether or not it can be tuned.
        try? await store.perform { catalog in try catalog.optimize() }
        await store.close()
        return results
    }

    // MARK: Control, from any thread

    /// Begins nothing more; what is in flight gets the grace period.
    package func stop(_ cause: StopCause = .signal) {
        for run in runs { run.stop(cause) }
    }

    /// Breaks off what is in flight.
    package func abort(_ cause: StopCause = .signal) {
        for run in runs { run.abort(cause) }
    }

    /// Whether nothing more begins.
    package var isStopping: Bool { runs.contains(where: \.isStopped) }

    /// Begins nothing until ``resume()``, neither items nor requests of sources; what is in flight goes on to its end.
    package func pause() {
        for run in runs { run.setPaused(true) }
    }

    /// Whether a job is paused, by whomever.
    package var isPaused: Bool { runs.contains(where: \.isPaused) }

    package func resume() {
        for run in runs { run.setPaused(false) }
    }

    /// Changes the concurrency of every job by what it is; at least 1.
    package func changeConcurrency(_ change: (Int) -> Int) {
        for run in runs { run.changeConcurrency { max(1, change($0)) } }
    }

    /// Has these items fetched before all others of their hosts.
    package func prioritise(items: Set<Int64>) {
        for run in runs { run.prioritise(items) }
    }

    /// Gives up these items.
    package func cancel(items: Set<Int64>) {
        for run in runs { run.cancel(items) }
    }
}
