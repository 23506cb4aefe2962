import Catalog
import Files
import SQLite

/// A job of the catalog that no run can begin meanwhile.
final class HeldJob: Sendable {
    let job: CatalogJob
    /// Nil where the directory is not there.
    let output: OutputDirectory?
    private let locks: JobLocks

    enum Attempt: Sendable {
        case held(HeldJob)
        case busy(RunHolder)
    }

    private init(_ job: CatalogJob, _ output: OutputDirectory?, _ locks: JobLocks) {
        self.job = job
        self.output = output
        self.locks = locks
    }

    /// Asks for the job's locks; does not wait.
    ///
    /// - Parameter database: the catalog's path.
    /// - Throws: `FileError` where the directory can't be opened or locked; ``CatalogError`` where it is another job's.
    static func hold(_ job: CatalogJob, database: String, on catalog: Connection) throws -> Attempt {
        switch try JobLocks.acquire(job.name, directory: job.directory, isMaking: false, catalog: database) {
        case .held(let locks, let output):
            try DirectoryOwnership.check(job.name, output, directory: job.directory, database: database, on: catalog)
            return .held(HeldJob(job, output, locks))
        case .withoutDirectory(let locks, _): return .held(HeldJob(job, nil, locks))
        case .busy(let holder): return .busy(holder)
        }
    }

    /// Finishes what a process that was killed had begun with the job's files, as a run does before anything else.
    ///
    /// - Returns: the journal, which then keeps the files that no row claims and that the next run may replace, and these;
    ///   nil where the directory is not there.
    func recover(on catalog: Connection) throws -> (journal: PublishJournal, unclaimed: CrashRecovery.Intents)? {
        guard let output else { return nil }
        // What the journal forgets then is in the catalog.
        try catalog.setSynchronous(.full)
        let journal = try PublishJournal(in: output)
        let unclaimed = try CrashRecovery.recover(journal, in: output, job: job.name, on: catalog)
            .filter { output.information($0.key)?.isRegular == true }
        try output.flushFolders()
        try journal.replace(with: unclaimed.values.flatMap(\.self))
        return (journal, unclaimed)
    }

    func release() {
        locks.release()
    }
}
