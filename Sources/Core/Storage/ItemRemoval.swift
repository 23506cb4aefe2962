import Catalog
import Files
package import SQLite

/// Removes items for a person who does not want them: the file goes, and no run fetches it again.
package enum ItemRemoval {
    /// What becomes of the items.
    package enum Purpose: Sendable {
        /// No run fetches them again.
        case removal
        /// Others have taken their place: they are fetched once they are listed again.
        case replacement
    }

    /// What came of it.
    package enum Ending: Sendable {
        /// With what could not be removed, and why.
        case done(faults: [String])
        /// A run holds a job: nothing of this one was done.
        case busy(job: String, RunHolder)
    }

    /// Removes items. A file that was changed since it was stored stays, and is nobody's then. Blocks.
    ///
    /// Killed in between, the journal of the output directory names the files that no row claims.
    /// - Throws: ``CatalogError`` without a catalog; `FileError` where the output directory can't be opened; what the catalog
    ///   has thrown.
    package static func remove(
        _ items: [Int64], for purpose: Purpose = .removal, database: String, environment: [String: String]
    ) throws -> Ending {
        let catalog = try CatalogLocation.openExisting(database)
        defer { catalog.close() }
        try catalog.setSynchronous(.full)
        var faults: [String] = []
        for (name, ids) in try byJob(items, on: catalog) {
            let job = try CatalogJob.find(name, on: catalog, environment: environment)
            switch try HeldJob.hold(job, database: database, on: catalog) {
            case .busy(let holder): return .busy(job: name, holder)
            case .held(let held):
                defer { held.release() }
                var kept: Set<Int64> = []
                if let output = held.output {
                    let failed = try remove(ids, of: name, in: output, on: catalog)
                    kept = Set(failed.map(\.victim.id))
                    faults += failed.map { "\($0.error)" }
                }
                try settle(ids.filter { !kept.contains($0) }, purpose, on: catalog)
            }
        }
        return .done(faults: faults)
    }

    /// Has the next run fetch items again that were removed.
    ///
    /// - Returns: how many they were.
    @discardableResult
    package static func restore(_ items: [Int64], on catalog: Connection) throws -> Int {
        try items.reduce(0) { try ItemRows.restore($1, on: catalog) ? $0 + 1 : $0 }
    }

    private static func byJob(_ items: [Int64], on catalog: Connection) throws -> [(String, [Int64])] {
        var jobs: [String: [Int64]] = [:]
        for item in Set(items) {
            let job = try ItemRows.job(ofKept: item, on: catalog)
            if let job { jobs[job, default: []].append(item) }
        }
        return jobs.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
    }

    /// Takes away the files of items, and the pictures that were made of them.
    private static func remove(
        _ items: [Int64], of job: String, in output: OutputDirectory, on catalog: Connection
    ) throws -> [(victim: Eviction.Victim, error: FileError)] {
        let journal = try PublishJournal(in: output)
        // What a run that was killed left comes first: the journal is this one's then.
        let left = try CrashRecovery.find(try journal.leftovers(), in: output, job: job, on: catalog)
        try CrashRecovery.apply(left, in: output, on: catalog)
        try output.flushFolders()
        let eviction = Eviction(job: job, output: output)
        let victims = try eviction.examine(items, on: catalog).victims
        let failed = try eviction.remove(victims, journal, on: catalog)
        try journal.replace(with: left.unclaimed.values.flatMap(\.self))
        let paths = try catalog.transaction { try items.flatMap { try PictureRows.delete(ofItem: $0, on: catalog) } }
        for path in Set(paths) { try PictureRows.removeUnclaimed(path, of: job, in: output, on: catalog) }
        return failed
    }

    private static func settle(_ items: [Int64], _ purpose: Purpose, on catalog: Connection) throws {
        try catalog.transaction {
            for item in items {
                switch purpose {
                case .removal: try ItemRows.markRemoved(item, on: catalog)
                case .replacement: try ItemRows.markDelisted(item, on: catalog)
                }
            }
        }
    }
}
