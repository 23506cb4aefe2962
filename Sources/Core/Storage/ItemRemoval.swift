import Catalog
import Files
import Model
import SQLite

/// Removes items for a person who does not want them: the file goes, and no run fetches it again.
package enum ItemRemoval {
    /// What becomes of the items.
    package enum Purpose: Sendable {
        /// No run fetches them again.
        case removal
        /// Others have taken their place: they are fetched once they are listed again.
        case replacement

        fileprivate var state: ItemState {
            switch self {
            case .removal: .removed
            case .replacement: .gone
            }
        }
    }

    /// What was done.
    package struct Outcome: Sendable, Hashable {
        /// Items that were removed or restored; the others were so before.
        package var items = 0
        /// Files that stay because they were changed since they were stored, absolute.
        package var changed: [String] = []
        /// Why files that had to go could not be removed.
        package var faults: [String] = []
    }

    /// What came of it.
    package enum Ending: Sendable {
        case done(Outcome)
        /// A run holds a job: nothing of this one was done.
        case busy(job: String, RunHolder)
    }

    /// Removes items. A file that was changed since it was stored stays, and is nobody's then. Blocks.
    ///
    /// Killed at any moment it leaves each job's items as they were, or all removed; what is left of their files then is in
    /// the journal of the output directory, and the next run takes it away, or whoever removes or restores one of them.
    /// - Throws: ``CatalogError`` without a catalog; `FileError` where the output directory can't be opened; what the catalog
    ///   has thrown.
    package static func remove(
        _ items: [Int64], for purpose: Purpose = .removal, database: String, environment: [String: String]
    ) throws -> Ending {
        try change(items, areRemoved: false, database, environment) { ids, held, journal, catalog in
            guard let output = held.output, let journal else {
                // What is not there, perhaps not mounted, has no files to remove.
                try catalog.transaction {
                    for id in ids { try EvictionRows.evict(item: id, as: purpose.state, on: catalog) }
                }
                return Outcome(items: ids.count)
            }
            return try remove(ids, of: held.job, purpose, in: output, journal, on: catalog)
        }
    }

    /// Has the next run whose list has them fetch items again that were removed. Blocks.
    ///
    /// - Throws: as for ``remove(_:for:database:environment:)``.
    package static func restore(
        _ items: [Int64], database: String, environment: [String: String]
    ) throws -> Ending {
        try change(items, areRemoved: true, database, environment) { ids, _, _, catalog in
            try catalog.transaction {
                for id in ids { try ItemRows.restore(id, on: catalog) }
            }
            return Outcome(items: ids.count)
        }
    }

    /// Holds one job after another, and changes what it has of some items.
    ///
    /// - Parameter areRemoved: which of the items are changed.
    private static func change(
        _ items: [Int64], areRemoved: Bool, _ database: String, _ environment: [String: String],
        _ body: ([Int64], HeldJob, PublishJournal?, Connection) throws -> Outcome
    ) throws -> Ending {
        let catalog = try CatalogLocation.openExisting(database)
        defer { catalog.close() }
        try catalog.setSynchronous(.full)
        func changing(in job: String) throws -> [Int64] {
            try Set(items).sorted().filter { try ItemRows.job(of: $0, isRemoved: areRemoved, on: catalog) == job }
        }
        var outcome = Outcome()
        // Also jobs whose items are as they are to be: a removal that was killed may have left their files.
        for name in Set(try items.compactMap { try ItemRows.job(of: $0, on: catalog) }).sorted() {
            let job = try CatalogJob.find(name, on: catalog, environment: environment)
            switch try HeldJob.hold(job, database: database, on: catalog) {
            case .busy(let holder):
                // A run has seen to what was left.
                if try changing(in: name).isEmpty { continue }
                return .busy(job: name, holder)
            case .held(let held):
                defer { held.release() }
                let journal = try held.recover(on: catalog)?.journal
                // Another removal may have been at them before they were held.
                let ids = try changing(in: name)
                guard !ids.isEmpty else { continue }
                let done = try body(ids, held, journal, catalog)
                outcome.items += done.items
                outcome.changed += done.changed
                outcome.faults += done.faults
            }
        }
        return .done(outcome)
    }

    /// Takes away the files of items, the metadata beside them and the pictures that were made of them.
    private static func remove(
        _ items: [Int64], of job: CatalogJob, _ purpose: Purpose, in output: OutputDirectory, _ journal: PublishJournal,
        on catalog: Connection
    ) throws -> Outcome {
        let eviction = Eviction(job: job.name, output: output)
        let found = try eviction.examine(items, on: catalog)
        var pictures: Set<String> = []
        let failed = try eviction.remove(
            found.victims, and: found.strangers.map(\.id) + found.withoutFile, journal, leaving: purpose.state,
            on: catalog
        ) {
            for item in items { pictures.formUnion(try PictureRows.delete(ofItem: item, on: catalog)) }
        }
        for path in pictures { try PictureRows.removeUnclaimed(path, of: job.name, in: output, on: catalog) }
        try output.flushFolders()
        try journal.clear()
        return Outcome(
            items: items.count - failed.count,
            changed: (found.strangers + found.changedMetadata).map { "\(job.directory)/\($0.path)" },
            faults: failed.map { "\($0.error)" })
    }
}
