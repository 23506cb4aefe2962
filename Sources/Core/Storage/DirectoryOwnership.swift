import Catalog
package import Files
import Glibc
package import SQLite
import System

/// Whose an output directory is: of one job of one catalog, whatever names and links lead to it. Whoever else deleted
/// there, or gave names there, would do so to that job's files.
///
/// The file `.runner/owner` says it. A directory without one, of an earlier version or new, is the first run's, unless
/// another job of the same catalog has its files there.
package enum DirectoryOwnership {
    /// Makes sure that a directory is a job's.
    ///
    /// - Parameters:
    ///   - directory: as the job file or the catalog names it.
    ///   - database: the catalog's path.
    /// - Throws: ``CatalogError``, with the ways out, when it is another's.
    package static func check(
        _ job: String, _ output: OutputDirectory, directory: String, database: String, on catalog: Connection
    ) throws {
        let database = FilePath.absolute(database)
        if let owner = try output.owner(), try !isStale(owner, output, on: catalog) {
            let isOwn = try owner.job == job && owner.catalog == OwnershipRows.identity(of: catalog)
            guard isOwn else { throw try foreign(owner, job, output, directory, on: catalog) }
            if isCopy(database, of: owner) {
                throw CatalogError(
                    "the output directory \(directory) belongs to the job '\(job)' of the catalog \(owner.database), "
                        + "and \(database) is a copy of that; give the job another directory and another name here, or "
                        + "remove \(output.ownerPath) to have this catalog take the directory over")
            }
            return
        }
        let others = try OwnershipRows.directories(ofOthersThan: job, on: catalog)
        if let other = others.first(where: { $0.directory == directory || output.isSameDirectory(as: $0.directory) }) {
            throw taken(directory, by: other.job, job)
        }
    }

    /// The same, and has the directory say so. Called with both locks held.
    package static func claim(
        _ job: String, _ output: OutputDirectory, directory: String, database: String, on catalog: Connection
    ) throws {
        try check(job, output, directory: directory, database: database, on: catalog)
        let owner = DirectoryOwner(
            job: job, catalog: try OwnershipRows.identity(of: catalog), database: FilePath.absolute(database))
        guard try output.owner() != owner else { return }
        // The catalog must know its own name after a loss of power, when the directory does.
        try OwnershipRows.keepIdentity(on: catalog)
        try output.setOwner(owner)
    }

    /// Whether the owner is a job of this catalog that has gone, or has moved to another directory.
    private static func isStale(
        _ owner: DirectoryOwner, _ output: OutputDirectory, on catalog: Connection
    ) throws -> Bool {
        guard try owner.catalog == OwnershipRows.identity(of: catalog) else { return false }
        let directory = try CatalogJob.directory(of: owner.job, on: catalog)
        return directory.map { !output.isSameDirectory(as: $0) } ?? true
    }

    private static func foreign(
        _ owner: DirectoryOwner, _ job: String, _ output: OutputDirectory, _ directory: String,
        on catalog: Connection
    ) throws -> CatalogError {
        if try owner.catalog == OwnershipRows.identity(of: catalog) { return taken(directory, by: owner.job, job) }
        return CatalogError(
            "the output directory \(directory) belongs to the job '\(owner.job)' of the catalog \(owner.database); give "
                + "'\(job)' one of its own, or, where that catalog is lost or given up, remove \(output.ownerPath): the "
                + "next run takes the directory over")
    }

    private static func taken(_ directory: String, by other: String, _ job: String) -> CatalogError {
        CatalogError(
            "the output directory \(directory) belongs to the job '\(other)'; give '\(job)' one of its own, or free it: "
                + "give '\(other)' another directory and run it, or delete its files with runner reset \(other)")
    }

    /// Whether the catalog that the owner's file names is still there beside this one.
    private static func isCopy(_ database: String, of owner: DirectoryOwner) -> Bool {
        var (original, own) = (stat(), stat())
        guard owner.database != database, !owner.database.isEmpty, stat(owner.database, &original) == 0,
            stat(database, &own) == 0, original.st_dev != own.st_dev || original.st_ino != own.st_ino,
            let catalog = try? Connection(path: owner.database, mode: .readOnly)
        else { return false }
        defer { catalog.close() }
        return (try? OwnershipRows.identity(of: catalog)) == owner.catalog
    }
}
