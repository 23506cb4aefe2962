import Files
import Model
package import SQLite

/// A job as the catalog knows it, whether or not its job file is still there.
package struct CatalogJob: Sendable, Hashable {
    package let name: String
    /// Where its files are, absolute.
    package let directory: String

    /// The job of that name.
    ///
    /// - Parameter environment: for a directory that an earlier version wrote with `${NAME}` in it.
    /// - Throws: ``UpkeepError``; `SQLiteError`.
    package static func find(_ name: String, on catalog: Connection, environment: [String: String]) throws -> CatalogJob
    {
        guard let directory = try directory(of: name, on: catalog) else {
            throw UpkeepError.unknownJob(name, known: try names(on: catalog))
        }
        guard try PlainNames.isDue(name, on: catalog) else { return CatalogJob(name: name, directory: directory) }
        let variables = Secrets([], ordinary: environment.map { (name: $0.key, value: $0.value) })
        guard let expanded = variables.expand(directory) else {
            throw UpkeepError.unsetVariable(job: name, directory: directory)
        }
        return CatalogJob(name: name, directory: expanded)
    }

    /// Enters a job that has not run yet; one that is there stays as it is.
    ///
    /// - Parameter now: microseconds since 1970 UTC.
    package static func enter(_ name: String, file: String, directory: String, on catalog: Connection, now: Int64)
        throws
    {
        try catalog.run(
            "INSERT INTO job (name, file, directory, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", name,
            file, directory, now)
    }

    /// All names, in order.
    package static func names(on catalog: Connection) throws -> [String] {
        try catalog.rows("SELECT name FROM job ORDER BY name") { try $0[0] }
    }

    /// The output directory of a job as its last run had it; nil for an unknown one.
    package static func directory(of name: String, on catalog: Connection) throws -> String? {
        try catalog.value("SELECT directory FROM job WHERE name = ?", name)
    }

    /// The job file of a job as its last run had it; nil for an unknown one.
    package static func file(of name: String, on catalog: Connection) throws -> String? {
        try catalog.value("SELECT file FROM job WHERE name = ?", name)
    }
}

/// Why the catalog can't be looked after as asked.
package enum UpkeepError: Error, Hashable, Sendable {
    /// With the jobs that there are.
    case unknownJob(String, known: [String])
    /// With the keys of the collections that the job has.
    case unknownCollection(String, job: String, known: [String])
    /// Several have that name: their keys.
    case ambiguous(String, job: String, keys: [String])
    /// The path of the job's output directory has a variable that the environment does not have.
    case unsetVariable(job: String, directory: String)
}

extension UpkeepError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownJob(let name, _): "the catalog has no job '\(name)'"
        case .unknownCollection(let name, let job, _): "the job '\(job)' has no collection or item '\(name)'"
        case .ambiguous(let name, let job, let keys):
            "several of '\(job)' are called '\(name)'; give a key: \(keys.joined(separator: ", "))"
        case .unsetVariable(let job, let directory):
            "the output directory of '\(job)' is \(directory), and the environment does not have that variable"
        }
    }
}
