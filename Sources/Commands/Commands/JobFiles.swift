import Core
import YAML

extension CommandContext {
    /// Reads and checks the job files of a command, and tells every fault on stderr.
    ///
    /// - Returns: the jobs, or nil when one has an error.
    func loadJobs(_ options: Options) -> [Job]? {
        let loader = JobLoader(registry: registry, environment: environment)
        let loaded = loader.load(options.operands, overrides: options.overrides)
        var isSound = true
        for diagnostic in loaded.diagnostics {
            if diagnostic.severity == .error { isSound = false }
            if diagnostic.severity == .error || options.verbosity != .quiet { console.tell(diagnostic.description) }
        }
        return isSound ? loaded.jobs : nil
    }

    /// What a run or a plan works with, from the flags.
    ///
    /// - Throws: when the catalog has no place.
    func sessionOptions(_ options: Options) throws -> SessionOptions {
        var session = SessionOptions(
            database: try CatalogLocation.path(flag: options.database, environment: environment),
            runnerVersion: runnerVersion, environment: environment)
        session.selection.isFailedOnly = options.isFailedOnly
        session.selection.isRefreshing = options.isRefreshing
        session.selection.only = options.only
        session.selection.limit = options.limit
        session.concurrency = options.concurrency
        session.deadline = options.deadline
        return session
    }
}
