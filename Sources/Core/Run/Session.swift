import Dispatch
import Files
import HTTP

/// One process's run of several jobs, side by side, on one catalog and one loop.
package final class Session: Sendable {
    private let store: CatalogStore
    private let engine: Engine
    private let events: EventStream
    private let runs: [JobRun]
    private let options: SessionOptions

    /// Opens the catalog and starts the loop.
    ///
    /// - Parameter events: called with batches of events, in order, never concurrently, on a thread of its own that it may
    ///   hold; a reader that is slow slows the run.
    /// - Throws: what keeps the catalog from being used.
    package init(
        jobs: [Job], options: SessionOptions, events handler: @escaping @Sendable ([RunEvent]) -> Void
    ) throws {
        self.options = options
        let events = EventStream(handler)
        let store = try CatalogStore(path: options.database)
        let engine = try Engine(
            recorder: Recorder(store: store, events: events), scheduler: Scheduler(backoff: options.backoff))
        self.events = events
        self.store = store
        self.engine = engine
        runs = jobs.map { JobRun($0, options: options, store: store, engine: engine, events: events) }
    }

    /// Runs the jobs to their ends. To be called once.
    ///
    /// - Returns: how each job ended, in the order in which they were given; all events have been read then.
    package func run() async -> [JobResult] {
        if let deadline = options.deadline {
            store.enqueue(after: Int(deadline)) { [weak self] _ in
                self?.runs.forEach { $0.stop(.deadline) }
            }
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
        await store.close()
        return results
    }

    // MARK: Control, from any thread

    /// Begins nothing more; what is in flight gets the grace period.
    package func stop() {
        for run in runs { run.stop(.signal) }
    }

    /// Breaks off what is in flight.
    package func abort() {
        for run in runs { run.abort() }
    }

    /// Begins no item until ``resume()``; what is in flight goes on, and so does the list.
    package func pause() {
        for run in runs { run.setPaused(true) }
    }

    package func resume() {
        for run in runs { run.setPaused(false) }
    }

    /// Changes every job's concurrency.
    package func setConcurrency(_ concurrency: Int) {
        for run in runs { run.setConcurrency(max(1, concurrency)) }
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
