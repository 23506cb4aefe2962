import Catalog
import Files
import Glibc
package import Jobs
package import Model
package import SQLite

/// A job that was to run for some of its items only, and with another output directory than it has: what the rows of the
/// other items say would be lost.
package struct RefusedMove: Error, Sendable, CustomStringConvertible {
    /// What is wrong, and the ways out.
    package let description: String

    /// Looks whether a run would be such a one.
    ///
    /// - Parameter database: the catalog's file, which need not be there.
    /// - Returns: nil where nothing is wrong, or the catalog can't be read: a run reports why.
    package static func find(_ job: Job, _ selection: Selection, database: String) -> RefusedMove? {
        guard !selection.isWhole, access(database, F_OK) == 0,
            let catalog = try? CatalogLocation.openForReading(database)
        else { return nil }
        defer { catalog.close() }
        return try? find(job, selection, on: catalog)
    }

    package static func find(_ job: Job, _ selection: Selection, on catalog: Connection) throws -> RefusedMove? {
        guard !selection.isWhole, let old = try DirectoryChange.oldDirectory(of: job, on: catalog) else { return nil }
        let new = job.output.directory
        return RefusedMove(
            description: "the job '\(job.name)' has its files in \(old), and a run of some of its items can't move it "
                + "to \(new): give this job another name, as with --set name=\(job.name)-trial, or run the whole list, "
                + "which moves the job")
    }
}

extension DirectoryChange {
    /// The output directory that the catalog has for a job; nil for a new job, and where it is the job's own, by whatever
    /// path.
    static func oldDirectory(of job: Job, on catalog: Connection) throws -> String? {
        guard let old = try CatalogJob.directory(of: job.name, on: catalog), old != job.output.directory else {
            return nil
        }
        return isSameFolder(job.trust.secrets.expand(old) ?? old, job.output.directory) ? nil : old
    }

    private static func isSameFolder(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
