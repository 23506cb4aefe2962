import Catalog
import Files
import HTTP
import Jobs
import Model
import Pictures
import SQLite
import Storage
import System
import Transfer

/// The books of one run while it goes on: what was listed, what has ended, and the sums.
///
/// It is confined to the catalog's queue, where listing and recording take turns; nothing here needs a lock.
final class RunLedger: @unchecked Sendable {  // confined to the catalog's queue
    let context: RunContext
    let journal: RunJournal
    let sums: RunSums
    let list = ListedCollections()
    let listEnd: ListEnd
    let urls: ItemURLs
    let sharedURLs = SharedURLs()
    let known: KnownItems
    let names: ItemNames
    let renaming: ItemRenaming
    let publication: Publication
    /// nil unless the job stores equal bytes once.
    let deduplication: Deduplication?
    /// nil unless the job has one.
    let limit: StorageLimit?
    /// nil unless the job writes metadata beside its files.
    let sidecars: Sidecars?
    /// nil unless the run takes files that are there already.
    let adoption: FolderAdoption?
    /// Whether the catalog had no item of the job when this began.
    let isNew: Bool
    /// Takes each item instead of its outcome being written, for a plan.
    var planned: ((ItemRow, PlannedAction) -> Void)?
    /// The last URL that the list gave.
    var lastURL: WebURL?
    /// Items of this run, and those of them that have not ended.
    private(set) var selected = IDSet()
    private(set) var open = IDSet()
    /// Whether no more items come.
    private(set) var isListed = false
    /// Why the run can't go on.
    private(set) var fatal: String?
    private var completion: (@Sendable () -> Void)?

    /// Takes up what an unfinished run left, and reads what the job has.
    ///
    /// - Parameter journal: nil for a plan, which publishes nothing.
    init(_ context: RunContext, journal file: PublishJournal?, on catalog: Connection) throws {
        self.context = context
        let job = context.job.name
        journal = RunJournal(context, file)
        try journal.recover(on: catalog)
        sums = RunSums(context)
        urls = ItemURLs(context.job.trust.secrets)
        isNew = try !ItemRows.exist(inJob: job, on: catalog)
        known = KnownItems(job: job)
        listEnd = try ListEnd(context, on: catalog, now: wallClockMicroseconds())
        names = ItemNames(context, isNew: isNew)
        renaming = try ItemRenaming(context, names, urls, journal, sums, on: catalog)
        deduplication =
            context.job.output.deduplicates && file != nil
            ? try Deduplication(job: job, in: context.output, on: catalog) : nil
        limit = file == nil ? nil : try StorageLimit(context, journal, sums, on: catalog)
        sidecars = context.job.output.sidecar == .json && file != nil ? Sidecars(context, journal) : nil
        adoption = context.selection.isAdopting ? FolderAdoption(context) : nil
        publication = Publication(context, journal, names, deduplication)
    }

    // MARK: Items

    func select(_ item: Int64) {
        _ = selected.insert(item)
    }

    /// An item is to be fetched, or waits for one with its URL.
    func begin(_ item: Int64) {
        _ = open.insert(item)
    }

    /// An item has ended; false when it had before.
    func end(_ item: Int64) -> Bool {
        open.remove(item)
    }

    /// No more items come.
    func endListing() {
        isListed = true
    }

    // MARK: The end

    /// Calls back, on the catalog's queue, once the list is complete and every selected item has ended.
    func whenComplete(_ body: @escaping @Sendable () -> Void) {
        completion = body
        checkCompletion()
    }

    func checkCompletion() {
        guard isListed, open.count == 0, let body = completion else { return }
        completion = nil
        body()
    }

    /// Gives up the rest of the run: nothing more can be recorded.
    func abandon(_ reason: String) {
        guard fatal == nil else { return }
        fatal = reason
        open = IDSet()
        isListed = true
        checkCompletion()
    }

    /// Gives up the rest of the run when the catalog's file is no longer where it was: rows would be written, and lost.
    func requireCatalog(_ catalog: Connection) throws {
        guard catalog.isMoved else { return }
        let error = CatalogError(
            "the catalog \(catalog.path) was deleted or replaced during the run, and what the run recorded is lost: "
                + "put a copy of the catalog back and run again; or, to begin without one, remove "
                + "\(context.output.ownerPath) and run again, which asks for every item anew and keeps files whose bytes "
                + "are the same")
        abandon(error.description)
        throw error
    }

    /// Enters or ends items in one transaction. When it fails the run is aborted, with the sums of the rows that there
    /// are: what counts as listed or ended has no row then, and would be waited for without end.
    func transaction(on catalog: Connection, _ body: () throws -> Void) throws {
        try requireCatalog(catalog)
        let before = sums.figures
        do {
            try catalog.transaction { try body() }
        } catch {
            sums.restore(before)
            abandon("the catalog can't be written: \(error)")
            throw error
        }
    }

    // MARK: For readers

    /// To be called once rows are committed: the sums so far; nil where nobody wants them.
    func committed() -> RunEvent? {
        sums.committed(listed: selected.count, isListComplete: isListed)
    }

    /// The sums of all collections, for a reader that has just come.
    func allProgress() -> RunEvent? {
        sums.noteAll()
        return committed()
    }
}

extension RunLedger: PicturesRun {
    var figures: RunFigures { sums.figures }

    func restore(_ figures: RunFigures) {
        sums.restore(figures)
    }

    func uncount(_ outcome: TransferOutcome, ofItem id: Int64, on catalog: Connection) throws -> Bool {
        sums.uncount(outcome, collection: try ItemRows.collection(of: id, on: catalog))
    }
}
