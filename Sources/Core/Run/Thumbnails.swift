import Catalog
import Files
package import Jobs
import MediaClient
package import Model
package import Pictures
import SQLite
package import Storage

/// Makes the pictures that are missing of what a job has stored, without the network.
package enum Thumbnails {
    /// How it ended.
    package enum Ending: Sendable {
        case done(RenderFigures)
        /// A run holds the job's lock.
        case locked(RunHolder)
        case failed(String)
    }

    /// Items that are looked for at a time.
    private static let portion = 1_000

    /// Works through the stored items of a job that has `media:`.
    ///
    /// - Parameters:
    ///   - isForced: whether pictures that are there are made anew, too.
    ///   - events: takes what happens, in batches, on threads of its own.
    package static func make(
        _ job: Job, options: SessionOptions, isForced: Bool, events: @escaping @Sendable ([RunEvent]) -> Void
    ) async -> Ending {
        guard let settings = job.media else { return .failed("the job has no media:") }
        guard let program = RendererLocation.find(environment: options.environment) else {
            return .failed(RenderJob.missing)
        }
        do {
            let store = try CatalogStore(path: options.database)
            let (locks, output): (JobLocks, OutputDirectory)
            switch try JobLocks.acquire(
                job.name, directory: job.output.directory, isMaking: false, catalog: store.path)
            {
            case .held(let held, let directory): (locks, output) = (held, directory)
            case .withoutDirectory(_, let error): throw error
            case .busy(let holder): return .locked(holder)
            }
            defer { locks.release() }
            try await store.perform { catalog in
                try DirectoryOwnership.check(
                    job.name, output, directory: job.output.directory, database: store.path, on: catalog)
            }
            try output.removeUnfinishedPictures()
            let stream = EventStream(events)
            let queue = RenderQueue(program: program, store: store) { stream.publish($0, mayWait: false) }
            let pictures = RenderJob(job, settings, run: nil, output: output, ledger: nil, isForced: isForced)
            try await add(to: queue, pictures, store)
            await pictures.waitUntilDone()
            await stream.drain()
            queue.close()
            await store.close()
            return .done(pictures.figures)
        } catch {
            return .failed(job.trust.secrets.hide(String(describing: error)))
        }
    }

    private static func add(to queue: RenderQueue, _ job: RenderJob, _ store: CatalogStore) async throws {
        let name = job.name
        var last: Int64 = 0
        while true {
            let from = last
            let items = try await store.perform { catalog in
                try RenderingRows.storedItems(ofJob: name, after: from, limit: portion, on: catalog)
            }
            guard let end = items.last else { return }
            last = end
            queue.add(items, of: job)
        }
    }
}
