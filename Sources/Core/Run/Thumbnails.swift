import Catalog
import Files
import HTTP
package import Jobs
import MediaClient
package import Model
package import Pictures
import SQLite
import Storage

/// Makes the pictures that are missing of what a job has stored, without the network.
package enum Thumbnails {
    /// How it ended.
    package enum Ending: Sendable {
        case done(RenderFigures)
        /// A run holds the job's lock.
        case locked(pid: Int32, since: Int64)
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
            let catalogLock: FileLock
            switch try FileLock.acquire(CatalogLocation.lock(of: job.name, catalog: store.path)) {
            case .acquired(let lock): catalogLock = lock
            case .held(let holder): return .locked(pid: holder?.pid ?? 0, since: holder?.since ?? 0)
            }
            defer { catalogLock.release() }
            let output = try OutputDirectory(path: job.output.directory, create: false)
            let outputLock: FileLock
            switch try output.lock() {
            case .acquired(let lock): outputLock = lock
            case .held(let holder): return .locked(pid: holder?.pid ?? 0, since: holder?.since ?? 0)
            }
            defer { outputLock.release() }
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
                try catalog.rows(
                    "SELECT id FROM item WHERE job = ? AND state = 'stored' AND id > ? ORDER BY id LIMIT \(portion)",
                    name, from
                ) { try $0[0] as Int64 }
            }
            guard let end = items.last else { return }
            last = end
            queue.add(items, of: job)
        }
    }
}
