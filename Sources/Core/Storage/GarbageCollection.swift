import Catalog
import Files
import Model
import SQLite

/// Brings what a job keeps within a limit, and removes what no row knows of below `.runner` of its output directory.
///
/// Nothing else goes: neither files that the catalog does not own, nor files that were changed since they were stored.
package enum GarbageCollection {
    /// A file that goes, or stays although it would have to go.
    package struct Finding: Sendable, Hashable {
        package enum Kind: String, Sendable {
            /// An item's file that is over the limit.
            case evict
            /// The file of an item that is no longer listed.
            case gone
            /// A file of the program's own that nothing needs.
            case remove
            /// An item's file that is not what its row says: it stays.
            case changed
        }

        package let kind: Kind
        package let job: String
        /// The item's; nil where the file is none's.
        package let key: String?
        /// Relative to the output directory.
        package let path: String
        /// In bytes.
        package let size: Int64
    }

    package struct Outcome: Sendable, Hashable {
        /// Items whose files went.
        package var evicted = 0
        /// Items no longer listed whose files went.
        package var gone = 0
        /// Other files that went.
        package var removed = 0
        /// Files that stay although they would have to go.
        package var changed = 0
        /// Why files that had to go could not be removed.
        package var faults: [String] = []
        /// Bytes that the disk got back.
        package var freed: Int64 = 0
        /// Bytes of items' files that are left; nil without a limit.
        package var kept: Int64?
    }

    package enum Ending: Sendable {
        case collected(Outcome)
        /// A run has the job's lock.
        case busy(RunHolder)
    }

    /// Looks after one job.
    ///
    /// - Parameters:
    ///   - maximumBytes: of items' files to keep; nil: all.
    ///   - isRemovingGone: whether files of items that are no longer listed go.
    ///   - isDryRun: whether to find what would go, and change nothing: neither files nor rows nor locks.
    ///   - findings: called with each file in turn, on a thread of its own.
    /// - Throws: ``UpkeepError`` for an unknown job; ``CatalogError`` without a catalog; `FileError` when the output
    ///   directory can't be opened or a file can't be removed; what the catalog has thrown. What went by then is whole.
    package static func collect(
        _ name: String, maximumBytes: Int64?, isRemovingGone: Bool = false, isDryRun: Bool, database: String,
        environment: [String: String],
        findings: @escaping @Sendable (Finding) -> Void
    ) async throws -> Ending {
        let store = CatalogStore(
            adopting: try isDryRun
                ? CatalogLocation.openForReading(database) : CatalogLocation.openExisting(database))
        do {
            let ending = try await store.perform { catalog in
                let job = try CatalogJob.find(name, on: catalog, environment: environment)
                guard !isDryRun else {
                    let output = try OutputDirectory(path: job.directory, create: false)
                    if let holder = try JobLocks.holder(name, output, catalog: database) { return Ending.busy(holder) }
                    try DirectoryOwnership.check(
                        name, output, directory: job.directory, database: database, on: catalog)
                    var sweep = GarbageSweep(
                        name, output, journal: nil, isRemovingGone: isRemovingGone, findings: findings)
                    return .collected(try sweep.run(maximumBytes: maximumBytes, on: catalog))
                }
                switch try HeldJob.hold(job, database: database, on: catalog) {
                case .busy(let holder): return .busy(holder)
                case .held(let held):
                    defer { held.release() }
                    // A directory that is not there, perhaps not mounted, has lost nothing.
                    let output = try held.output ?? OutputDirectory(path: job.directory, create: false)
                    var sweep = GarbageSweep(
                        name, output, journal: try PublishJournal(in: output), isRemovingGone: isRemovingGone,
                        findings: findings)
                    return .collected(try sweep.run(maximumBytes: maximumBytes, on: catalog))
                }
            }
            await store.close()
            return ending
        } catch {
            await store.close()
            throw error
        }
    }
}

/// One pass over a job, on the catalog's queue.
private struct GarbageSweep {
    private static let portion = 256

    let job: String
    let output: OutputDirectory
    /// nil for a dry run.
    let journal: PublishJournal?
    let isRemovingGone: Bool
    let findings: (GarbageCollection.Finding) -> Void
    /// Items no longer listed whose files go.
    private var gone: Set<Int64> = []
    var outcome = GarbageCollection.Outcome()

    init(
        _ job: String, _ output: OutputDirectory, journal: PublishJournal?, isRemovingGone: Bool,
        findings: @escaping (GarbageCollection.Finding) -> Void
    ) {
        self.job = job
        self.output = output
        self.journal = journal
        self.isRemovingGone = isRemovingGone
        self.findings = findings
    }

    mutating func run(maximumBytes: Int64?, on catalog: Connection) throws -> GarbageCollection.Outcome {
        if journal != nil { try catalog.setSynchronous(.full) }
        let intents = try journal?.leftovers() ?? PublishJournal.leftovers(in: output)
        let left = try CrashRecovery.find(intents, in: output, job: job, on: catalog)
        for (path, size) in left.retired.sorted(by: { $0.path.text < $1.path.text })
        // A dry run comes to pictures that are there later.
        where journal != nil || !OutputDirectory.isPicture(path) {
            removed(path.text, size)
        }
        if let journal {
            try CrashRecovery.apply(left, in: output, on: catalog)
            try output.flushFolders()
            if !intents.isEmpty { try clear(journal, left) }
        }
        // For a dry run, whose rows stay as they are.
        let replaced = journal == nil ? Dictionary(left.replaced.map { ($0.item, $0.intent) }) { $1 } : [:]
        let eviction = Eviction(job: job, output: output, replaced: replaced)
        if isRemovingGone { try removeGone(left, by: eviction, on: catalog) }
        if let maximumBytes { try evict(over: maximumBytes, left, by: eviction, on: catalog) }
        try removeParts(on: catalog)
        try removePictures(on: catalog)
        try removeShardGroups(on: catalog)
        for (name, size) in try output.abandonedKept() {
            removed("\(OutputDirectory.privateName)/kept/\(name)", size)
            if journal != nil { try output.removeAbandonedKept(name) }
        }
        return outcome
    }

    /// Takes the files of items that are no longer listed, and has the pictures that were made of them go as well.
    private mutating func removeGone(
        _ leftovers: CrashRecovery.Findings, by eviction: Eviction, on catalog: Connection
    ) throws {
        var last: Int64 = 0
        while true {
            let items = try EvictionRows.gone(ofJob: job, after: last, limit: Self.portion, on: catalog)
            guard let end = items.last else { return }
            last = end
            let found = try eviction.examine(items, on: catalog)
            for file in found.strangers { tell(.changed, file.key, file.path, file.size) }
            outcome.changed += found.strangers.count
            let strangers = Set(found.strangers.map(\.id))
            noteChanged(found.changedMetadata.filter { !strangers.contains($0.id) })
            // What somebody has deleted takes its metadata along.
            let lone = try found.withoutFile.compactMap { try SidecarRows.sidecar(ofItem: $0, on: catalog) }
                .filter { $0.isUnchanged(in: output) }
            var left: Set<Int64> = []
            if let journal {
                let failed = try eviction.remove(
                    found.victims, and: found.withoutFile, journal, leaving: .gone, on: catalog
                ) {
                    for item in found.victims.map(\.id) + found.withoutFile {
                        _ = try PictureRows.delete(ofItem: item, on: catalog)
                    }
                }
                left.formUnion(failed.map(\.victim.id))
                outcome.faults += failed.map { "\($0.error)" }
                try clear(journal, leftovers)
            }
            let removed = found.victims.filter { !left.contains($0.id) }
            for victim in removed { tell(.gone, victim.key, victim.path.text, victim.size) }
            for sidecar in lone {
                tell(.gone, try ItemRows.key(of: sidecar.item, on: catalog), sidecar.path.text, sidecar.size)
                outcome.freed += sidecar.size
            }
            gone.formUnion(removed.map(\.id) + found.withoutFile)
            outcome.gone += removed.count + lone.count
            outcome.freed += Eviction.freed(by: removed)
        }
    }

    private mutating func evict(
        over maximum: Int64, _ leftovers: CrashRecovery.Findings, by eviction: Eviction, on catalog: Connection
    ) throws {
        var kept = KeptFiles(maximum: maximum, bytes: 0)
        try kept.look(atJob: job, in: output, replaced: eviction.replaced, besides: gone, on: catalog)
        while true {
            let surplus = try kept.takeSurplus(Self.portion, by: eviction, on: catalog)
            guard !surplus.isEmpty else { break }
            for file in surplus.changed { tell(.changed, file.key, file.path, file.size) }
            outcome.changed += surplus.changed.count
            noteChanged(surplus.changedMetadata)
            var left: Set<Int64> = []
            if let journal {
                let failed = try eviction.remove(surplus.victims, journal, on: catalog)
                kept.putBack(failed.map(\.victim))
                left.formUnion(failed.map(\.victim.id))
                outcome.faults += failed.map { "\($0.error)" }
                try clear(journal, leftovers)
            }
            let gone = surplus.victims.filter { !left.contains($0.id) }
            for victim in gone { tell(.evict, victim.key, victim.path.text, victim.size) }
            outcome.evicted += gone.count
            outcome.freed += Eviction.freed(by: gone)
        }
        outcome.kept = kept.bytes
    }

    private mutating func noteChanged(_ metadata: [Eviction.Stranger]) {
        for file in metadata { tell(.changed, file.key, file.path, file.size) }
        outcome.changed += metadata.count
    }

    /// Empties the journal but for files that the next run may replace.
    private func clear(_ journal: PublishJournal, _ left: CrashRecovery.Findings) throws {
        try journal.replace(with: left.unclaimed.values.flatMap(\.self))
    }

    /// Parts of items that have no row, and of copies that were broken off.
    private mutating func removeParts(on catalog: Connection) throws {
        for part in try output.parts().sorted(by: { $0.name < $1.name }) where isPartName(part.name) {
            if let item = itemID(ofPart: part.name) {
                if try StoredFileRows.isItem(item, ofJob: job, on: catalog) { continue }
            }
            removed("\(OutputDirectory.privateName)/parts/\(part.name)", part.size)
            if journal != nil { try output.removePart(part.name) }
        }
    }

    private mutating func removePictures(on catalog: Connection) throws {
        for name in try output.pictureNames().sorted() {
            guard OutputDirectory.isPictureName(name), let size = output.sizeOfPicture(name) else { continue }
            let path = "\(OutputDirectory.privateName)/pictures/\(name)"
            if try PictureRows.isClaimed(path, of: job, besides: gone, on: catalog) { continue }
            removed(path, size)
            if journal != nil { try output.removePicture(name) }
        }
    }

    /// What machines kept of runs that have ended without them.
    private mutating func removeShardGroups(on catalog: Connection) throws {
        let inUse = try ShardRows.groupsInUse(ofJob: job, on: catalog)
        for (name, size) in try output.shardGroups() where !inUse.contains(name) {
            removed("\(OutputDirectory.privateName)/\(OutputDirectory.shardsName)/\(name)", size)
            if journal != nil { try output.removeShardGroup(name) }
        }
    }

    private mutating func removed(_ path: String, _ size: Int64) {
        tell(.remove, nil, path, size)
        outcome.removed += 1
        outcome.freed += size
    }

    private func tell(_ kind: GarbageCollection.Finding.Kind, _ key: String?, _ path: String, _ size: Int64) {
        findings(GarbageCollection.Finding(kind: kind, job: job, key: key, path: path, size: size))
    }
}
