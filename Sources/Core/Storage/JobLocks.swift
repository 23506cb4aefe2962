import Catalog
package import Files

/// The two locks of a job: one for all runs of the job with this catalog, one for all that write into its directory. No
/// run of it can begin while they are held, which is until the value goes, at the latest.
package final class JobLocks: Sendable {
    private let locks: [FileLock]

    private init(_ locks: [FileLock]) {
        self.locks = locks
    }

    deinit {
        release()
    }

    /// Frees the job, the directory first.
    package func release() {
        for lock in locks.reversed() { lock.release() }
    }

    /// What came of asking for the locks.
    package enum Attempt {
        case held(JobLocks, OutputDirectory)
        /// The catalog's lock alone: the directory is not there.
        case withoutDirectory(JobLocks, FileError)
        /// Somebody else has one of them.
        case busy(RunHolder)
    }

    /// Asks for both locks, the catalog's first; does not wait.
    ///
    /// - Parameters:
    ///   - directory: the job's output directory.
    ///   - isMaking: whether the directory is made where it is missing.
    ///   - catalog: the catalog's path.
    ///   - workspace: of a shard, whose lock in the directory is its own.
    /// - Throws: `FileError` where the directory can't be opened, or one of them can't be locked.
    package static func acquire(
        _ job: String, directory: String, isMaking: Bool, catalog: String, workspace: RelativePath? = nil
    ) throws(FileError) -> Attempt {
        let first: FileLock
        switch try FileLock.acquire(CatalogLocation.lock(of: job, catalog: catalog)) {
        case .acquired(let lock): first = lock
        case .held(let holder): return .busy(RunHolder(holder))
        }
        let output: OutputDirectory
        do {
            output = try OutputDirectory(path: directory, create: isMaking, workspace: workspace)
        } catch {
            guard error.isAbsent else { throw error }
            return .withoutDirectory(JobLocks([first]), error)
        }
        switch try output.lock() {
        case .acquired(let second): return .held(JobLocks([first, second]), output)
        case .held(let holder): return .busy(RunHolder(holder))
        }
    }

    /// Who has one of the locks, which are neither made nor taken; nil where both are free.
    static func holder(
        _ job: String, _ output: OutputDirectory, catalog: String
    ) throws(FileError) -> RunHolder? {
        for state in [try FileLock.state(of: CatalogLocation.lock(of: job, catalog: catalog)), try output.lockState()] {
            if case .held(let holder) = state { return RunHolder(holder) }
        }
        return nil
    }
}

/// The run that has a job's lock.
package struct RunHolder: Hashable, Sendable {
    /// 0 while it has not yet written who it is.
    package let pid: Int32
    /// When it took the lock, microseconds since 1970 UTC.
    package let since: Int64

    fileprivate init(_ holder: LockHolder?) {
        pid = holder?.pid ?? 0
        since = holder?.since ?? 0
    }
}
