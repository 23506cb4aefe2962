import Catalog
import Model
import Reports
import SQLite
import System

/// Names from the catalog for completion; none if there is no catalog, or if it can't be read.
struct CompletionCatalog {
    /// The value of `--database` as it was typed.
    let database: String?
    let environment: [String: String]

    /// More of them help nobody who looks for one.
    private static let limit = 500

    /// The names of the jobs, with their files.
    func jobs() -> [Candidates.Word] {
        read { connection in
            try CompletionQueries.jobs(limit: Self.limit, on: connection).map(Candidates.Word.init)
        }
    }

    /// The latest runs, with what they are.
    func runs() -> [Candidates.Word] {
        read { connection in
            try CompletionQueries.runs(limit: 20, on: connection).map { run in
                Candidates.Word("\(run.id)", "\(run.job), \(localTimeText(run.startedAt)), \(run.outcome.rawValue)")
            }
        }
    }

    /// The keys of a job's collections, with their titles.
    func collections(of job: String) -> [Candidates.Word] {
        read { connection in
            try CompletionQueries.collections(ofJob: name(of: job), limit: Self.limit, on: connection)
                .map(Candidates.Word.init)
        }
    }

    /// The keys of a job's items that begin with what was typed, with their titles.
    func items(of job: String, _ typed: String) -> [Candidates.Word] {
        read { connection in
            try CompletionQueries.items(
                ofJob: name(of: job), beginningWith: typed, limit: Self.limit, on: connection
            ).map(Candidates.Word.init)
        }
    }

    /// A job's name as it is, its file as the catalog has it.
    private func name(of job: String) -> String {
        job.contains("/") || job.hasSuffix(".yaml") || job.hasSuffix(".yml") ? FilePath.absolute(job) : job
    }

    private func read(_ body: (Connection) throws -> [Candidates.Word]) -> [Candidates.Word] {
        var file = database
        // The shell replaces it only when the line is run.
        if let home = environment["HOME"], let typed = file, typed.hasPrefix("~/") { file = home + typed.dropFirst() }
        do {
            let path = try CatalogLocation.path(flag: file, environment: environment)
            let connection = try CatalogLocation.openForReading(path)
            defer { connection.close() }
            return try body(connection)
        } catch {
            // Words on stderr would end up in the middle of what is being typed.
            return []
        }
    }
}

extension Candidates.Word {
    fileprivate init(_ row: CompletionQueries.Name) {
        self.init(row.name, row.meaning)
    }
}
