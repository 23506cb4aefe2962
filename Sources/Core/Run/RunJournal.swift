import Catalog
import Files
import Jobs
import Model
import SQLite
import Storage
import Transfer

/// The journal of the run's output directory, and what an unfinished run left by it. A plan has none, and publishes nothing.
///
/// Confined to the catalog's queue, like the ledger.
final class RunJournal {
    private let context: RunContext
    /// nil for a plan.
    let file: PublishJournal?
    /// Files of an unfinished run under names that no row claims.
    private var leftovers: CrashRecovery.Intents = [:]
    /// What other attempts at the same shard publish, as it was when it was looked at last.
    private var ofOthers: CrashRecovery.Intents = [:]

    init(_ context: RunContext, _ file: PublishJournal?) {
        self.context = context
        self.file = file
    }

    /// Writes what is about to happen to files.
    func record(_ intents: [PublishJournal.Intent]) throws(FileError) {
        try file?.record(intents)
    }

    /// Empties the journal once the rows are in the catalog.
    func clear() {
        // Another attempt at a shard has nothing else to know this one's files by.
        guard context.output.workspace == nil else { return keep() }
        // Best effort: what stays is compared with the catalog by a later run, which finds it there.
        try? file?.clear()
    }

    /// Keeps what the journal says, since files and rows disagree: the next run looks at it.
    func keep() {
        // The journal is open: reading its size does not fail.
        try? file?.keep()
    }

    /// Takes up what a run that ended between naming files and writing rows left: rows are brought up to files that were
    /// replaced, files that no row claims are remembered as this job's own, and those that rows no longer claim are removed.
    func recover(on catalog: Connection) throws {
        guard let file else { return }
        // What the journal forgets then is in the catalog.
        if context.job.transfer.durability == .batch { try catalog.setSynchronous(.full) }
        leftovers = try CrashRecovery.recover(file, in: context.output, job: context.job.name, on: catalog)
            .filter { context.output.information($0.key)?.isRegular == true }
        // They stay in the journal: this run may be killed, too, before it comes to them.
        try file.replace(with: leftovers.values.flatMap(\.self))
    }

    /// After a complete list of everything: removes what an unfinished run left under names that no item has taken up, as
    /// those of items that are named otherwise by now or listed no more.
    func removeLeftovers(on catalog: Connection) throws {
        guard let file, !leftovers.isEmpty else { return }
        let intents = leftovers.mapValues { intents in
            intents.map { PublishJournal.Intent(path: $0.path, size: $0.size, digest: $0.digest, isRetirement: true) }
        }
        try CrashRecovery.apply(
            try CrashRecovery.find(intents, in: context.output, job: context.job.name, on: catalog), in: context.output,
            on: catalog)
        leftovers = [:]
        try file.replace(with: [])
    }

    /// What another attempt at the same shard has published at a path; nil where the file there is somebody else's.
    func published(byOthersAt path: RelativePath) -> PublishJournal.Intent? {
        guard context.output.workspace != nil else { return nil }
        // The others go on, or have ended since.
        if ofOthers[path] == nil { ofOthers = PublishJournal.intentsOfOthers(in: context.output) }
        return ofOthers[path].flatMap { CrashRecovery.intent(of: path, among: $0, in: context.output) }
    }

    /// Whether a file is what an unfinished run of this job left, with the bytes that its journal tells.
    func isLeftover(_ path: RelativePath) -> Bool {
        leftovers[path].flatMap { CrashRecovery.intent(of: path, among: $0, in: context.output) } != nil
    }
}
