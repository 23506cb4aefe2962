import Catalog
import Jobs
import Model
import Reports
import Run
import SQLite
import SourceKit
import Storage
import System
import YAML

extension CommandContext {
    /// Reads and checks the job files of a command, and reports every error on stderr.
    ///
    /// - Parameter looksForFiles: whether a file that a source is to read must be there now.
    /// - Returns: the jobs, or nil when one has an error.
    func loadJobs(_ options: Options, looksForFiles: Bool = false) -> [Job]? {
        let loaded = loadSoundJobs(options, looksForFiles: looksForFiles)
        return loaded.hasErrors ? nil : loaded.jobs
    }

    /// The same with what sources that are scripts say of their options; away from Swift's threads, since they may take
    /// seconds for it.
    func loadJobs(_ options: Options, asking questions: SourceQuestions, looksForFiles: Bool = false) async
        -> LoadedJobs
    {
        await offPool { loadSoundJobs(options, looksForFiles: looksForFiles, questions: questions) }
    }

    /// The same, with the jobs that have no error beside those that have one.
    private func loadSoundJobs(
        _ options: Options, looksForFiles: Bool = false, questions: SourceQuestions = .none
    ) -> LoadedJobs {
        let loader = JobLoader(registry: registry, environment: environment)
        let loaded = loader.load(
            options.operands, overrides: options.overrides, looksForFiles: looksForFiles,
            questions: questions)
        for diagnostic in loaded.diagnostics
        where diagnostic.severity == .error || options.verbosity != .quiet { console.tell(diagnostic.description) }
        return loaded
    }

    /// Whether a job can't run, or be planned, with the selection that the flags make; says why on stderr.
    func refuseMoves(of jobs: [Job], _ options: Options) -> Bool {
        guard let session = try? sessionOptions(options) else { return false }
        let refusals = jobs.compactMap { job in
            RefusedMove.find(job, session.selection, database: session.database).map { "\(job.name): error: \($0)" }
        }
        refusals.forEach(console.tell)
        return !refusals.isEmpty
    }

    /// Operands as names of jobs in the catalog: what looks like a file is read for the names in it.
    ///
    /// - Returns: nil after words on stderr.
    func jobNames(_ operands: [String], _ options: Options) -> [String]? {
        var names: [String] = []
        for operand in operands {
            guard namesFile(operand) else {
                names.append(operand)
                continue
            }
            guard let jobs = loadJobs(at: operand, options) else { return nil }
            names += jobs.map(\.name)
        }
        return names
    }

    /// Whether an operand that may be the name of a job stands for a file.
    func namesFile(_ operand: String) -> Bool {
        operand.contains("/") || operand.hasSuffix(".yaml") || operand.hasSuffix(".yml")
    }

    /// The jobs of one operand that stands for a file; nil after words on stderr.
    func loadJobs(at file: String, _ options: Options) -> [Job]? {
        var options = options
        options.operands = [file]
        return loadJobs(options)
    }

    /// A job of the catalog as its file has it now; nil when that can't be read.
    func job(named name: String, from connection: Connection) throws -> Job? {
        guard let file = try CatalogJob.file(of: name, on: connection) else { return nil }
        let loaded = JobLoader(registry: registry, environment: environment).load([file])
        return loaded.hasErrors ? nil : loaded.jobs.first { $0.name == name }
    }

    /// The catalog's file, where a command line that is typed elsewhere would not find it by itself: it does not count on
    /// variables that a unit or a crontab sets.
    func databaseToName(_ path: String) -> String? {
        var environment = environment
        for name in ["RUNNER_DATABASE", "STATE_DIRECTORY"] { environment[name] = nil }
        return (try? CatalogLocation.path(flag: nil, environment: environment)) == path ? nil : path
    }

    /// What command lines must say to find the catalog of this one; empty where they find it.
    func databaseClause(_ options: Options) -> String {
        guard let path = try? CatalogLocation.path(flag: options.database, environment: environment) else { return "" }
        return databaseToName(path).map { " --database \(shellWord(displayable($0)))" } ?? ""
    }

    /// What a run or a plan works with, from the flags.
    ///
    /// - Throws: when the catalog has no place.
    func sessionOptions(_ options: Options) throws -> SessionOptions {
        var session = SessionOptions(
            database: try CatalogLocation.path(flag: options.database, environment: environment),
            runnerVersion: runnerVersion, environment: environment)
        session.selection.isFailedOnly = options.isFailedOnly
        session.selection.reasons = options.failureReasons
        session.selection.isAdopting = options.isAdopting
        session.selection.isRefreshing = options.isRefreshing
        session.selection.only = options.only
        session.selection.limit = options.limit
        session.selection.isSourceChanged = options.overrides.contains { override in
            override.prefix { $0 != "=" && $0 != "." } == "source"
        }
        session.overrides = options.overrides
        session.concurrency = options.concurrency
        session.deadline = options.deadline
        session.lockWait = options.lockWait ?? 0
        session.jitter = options.jitter ?? 0
        return session
    }
}

/// What might have been meant by a name that the catalog does not have.
func hint(for name: String, among known: [String]) -> String {
    if let match = closestMatch(to: name, in: known) { return "did you mean '\(match)'?" }
    guard known.count > 20 else { return known.isEmpty ? "nothing ran yet" : "it has \(known.joined(separator: ", "))" }
    return "it has \(known.count), \(known.prefix(5).joined(separator: ", ")) and so on"
}
