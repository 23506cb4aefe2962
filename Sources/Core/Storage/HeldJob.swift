import Catalog
import Files
import SQLite

/// A job that no run can begin meanwhile: both of its locks are held, until the value goes.
final class HeldJob: Sendable {
    let job: CatalogJob
    /// Nil where the directory is not there.
    let output: OutputDirectory?
    private let locks: [FileLock]

    enum Attempt: Sendable {
        case held(HeldJob)
        case busy(RunHolder)
    }

    private init(_ job: CatalogJob, _ output: OutputDirectory?, _ locks: [FileLock]) {
        self.job = job
        self.output = output
        self.locks = locks
    }

    deinit {
        release()
    }

    /// Asks for the locks, in the order in which a run does; does not wait.
    ///
    /// - Parameter database: the catalog's path.
    /// - Throws: `FileError` where the directory can't be opened or locked; ``CatalogError`` where it is another job's.
    static func hold(_ job: CatalogJob, database: String, on catalog: Connection) throws -> Attempt {
        let first: FileLock
        switch try FileLock.acquire(CatalogLocation.lock(of: job.name, catalog: database)) {
        case .acquired(let lock): first = lock
        case .held(let holder): return .busy(RunHolder(holder))
        }
        let output: OutputDirectory
        do throws(FileError) {
            output = try OutputDirectory(path: job.directory, create: false)
        } catch {
            guard error.isAbsent else { throw error }
            return .held(HeldJob(job, nil, [first]))
        }
        switch try output.lock() {
        case .acquired(let lock):
            try DirectoryOwnership.check(job.name, output, directory: job.directory, database: database, on: catalog)
            return .held(HeldJob(job, output, [first, lock]))
        case .held(let holder): return .busy(RunHolder(holder))
        }
    }

    func release() {
        for lock in locks.reversed() { lock.release() }
    }
}

/// The run that has a job's lock.
package struct RunHolder: Hashable, Sendable {
    /// 0 while it has not yet written who it is.
    package let pid: Int32
    /// When it took the lock, microseconds since 1970 UTC.
    package let since: Int64

    init(_ holder: LockHolder?) {
        pid = holder?.pid ?? 0
        since = holder?.since ?? 0
    }
}
