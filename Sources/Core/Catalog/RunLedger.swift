import Files
import HTTP
import SQLite

/// The books of one run while it goes on: what was listed, what has ended, and the sums.
///
/// It is confined to the catalog's queue, where listing and recording take turns; nothing here needs a lock.
final class RunLedger: @unchecked Sendable {  // confined to the catalog's queue
    let context: RunContext
    /// nil for a plan, which publishes nothing.
    let journal: PublishJournal?
    /// Told of each item instead of writing its outcome, for a plan.
    var planned: ((ItemRow, PlannedAction) -> Void)?
    var figures = RunFigures()
    /// Items of this run, and those of them that have not ended.
    var selected = IDSet()
    var open = IDSet()
    /// Items that take the outcome of another one with the same URL, by that one's id.
    var followers: [Int64: [ItemWork]] = [:]
    /// Rows of collections that a person gave up: what is listed of them later, too.
    var cancelledCollections: Set<Int64> = []
    /// Coded bytes that items had received before a person had them tried again, by item.
    var earlierBytes: [Int64: Int64] = [:]
    /// Items that failed in earlier runs and were not asked again.
    var knownFailures = IDSet()
    /// Items that a person gave up: no other takes their outcomes.
    var givenUp: Set<Int64> = []
    var urls = HashIndex()
    /// Items that are asked for in place of those of the index, whose files went meanwhile, by the same hashes.
    var newLeaders: [Int: Int64] = [:]
    /// Sums by the row of the collection, and for a reader that wants them the rows whose sums changed since they were
    /// last told.
    var sums = CollectionSums()
    var changedSums: Set<Int64> = []
    /// Items that have ended since that was last told; kept while somebody watches.
    var endedItems: [EndedItem] = []
    /// Items that have their files, until they are handed to `onStored`.
    var storedItems: [Int64] = []
    /// Takes the items that have their files once their rows are committed; nil where nobody makes pictures of them.
    var onStored: (@Sendable ([Int64]) -> Void)?
    /// What the items bring that are fetched, and those of them that have ended.
    var wanted = WantedBytes()
    var ended = WantedBytes()
    /// Where bytes are stored already; nil unless the job stores equal ones once.
    var storedBytes: StoredBytes?
    /// What the job keeps; nil unless it has a limit.
    var kept: KeptFiles?
    /// Collections of the list, by their keys.
    var collections: [String: ListedCollectionRow] = [:]
    /// The collection of the last item, which is mostly the next one's too.
    var lastCollection: ListedCollectionRow?
    /// Rows of collections that were not listed to their ends.
    var incomplete: Set<Int64> = []
    /// Whether the source left out some of its list on purpose.
    var isPartial = false
    /// Whether the catalog had no item of the job when this began.
    let isNew: Bool
    /// The last URL that the list gave.
    var lastURL: WebURL?
    /// What the catalog's URLs leave out.
    var hiddenURLs = HiddenURLs()
    /// Items listed, whether or not they were selected.
    var listed = 0
    /// When pages came, each with the highest id before it.
    var pageTimes: [(after: Int64, time: Monotonic)] = []
    /// Whether no more items come.
    var isListed = false
    /// The first fault of the disk: items failed of it.
    var diskFault: String?
    /// Why the run can't go on.
    var fatal: String?
    /// Files of an unfinished run under names that no row claims.
    var leftovers: [RelativePath: [PublishJournal.Intent]] = [:]
    var renaming = PathRenaming()
    var names = GivenNames()
    /// Files of items whose rows do not tell of them yet.
    var named: Set<RelativePath> = []
    /// What got its file while a page is listed, whose row is not committed.
    var publishedInPage: [PublishedItem] = []
    private var completion: (@Sendable () -> Void)?

    final class ListedCollectionRow {
        let id: Int64
        let key: String
        let title: String
        let section: String?
        /// Items, as the source tells; nil where it does not know.
        let expected: Int?
        /// Before this list was read; nil for a collection that is new.
        let former: (title: String, section: String?)?
        private var next = 1

        init(
            id: Int64, key: String, title: String, section: String?, expected: Int?,
            former: (title: String, section: String?)?
        ) {
            self.expected = expected
            self.id = id
            self.key = key
            self.title = title
            self.section = section
            self.former = former
        }

        /// Items listed so far.
        var count: Int { next - 1 }

        /// The position of the collection's next item, which is taken.
        func takePosition() -> Int {
            defer { next += 1 }
            return next
        }
    }

    init(_ context: RunContext, journal: PublishJournal?, on catalog: Connection) throws {
        self.context = context
        self.journal = journal
        isNew = try catalog.value("SELECT NOT EXISTS (SELECT 1 FROM item WHERE job = ?)", context.job.name) ?? true
    }

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

    /// Empties the journal once the rows are in the catalog.
    func clearJournal() {
        // What can't be emptied tells a later run what it finds in the catalog anyway.
        try? journal?.clear()
    }

    /// Keeps what the journal tells, since files and rows disagree: the next run looks at it.
    func keepJournal() {
        // The journal is open; that its size can't be read is no case that there is.
        try? journal?.keep()
    }

    /// Enters or ends items in one transaction. When it fails the run is given up, with the sums of the rows that there
    /// are: what counts as listed or ended has no row then, and would be waited for without end.
    func transaction(on catalog: Connection, _ body: () throws -> Void) throws {
        try requireCatalog(catalog)
        let before = figures
        do {
            try catalog.transaction { try body() }
        } catch {
            figures = before
            abandon("the catalog can't be written: \(error)")
            throw error
        }
    }

    /// When an item was listed, for one whose details were not kept: exact for rows made in this run, whose ids rise with
    /// the list; for others the time of some page.
    func listingTime(of id: Int64) -> Monotonic {
        var low = 0
        var high = pageTimes.count
        while low < high {
            let middle = (low + high) / 2
            if pageTimes[middle].after < id { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? pageTimes[low - 1].time : pageTimes.first?.time ?? Monotonic.now()
    }

    /// Counts an outcome of an item in a collection.
    func count(_ record: TransferRecord, of item: Int64, collection: Int64) {
        sums.of(collection)?.progress.count(record.outcome)
        if context.interest.includesProgress { changedSums.insert(collection) }
        if context.interest.isWatched { endedItems.append(EndedItem(id: item, outcome: record.outcome)) }
        if onStored != nil, record.outcome.hasFile { storedItems.append(item) }
        switch record.outcome {
        case .downloaded: figures.downloaded += 1
        case .unchanged: figures.unchanged += 1
        case .fresh: figures.fresh += 1
        case .evicted: figures.evicted += 1
        case .failed:
            figures.failed += 1
            if record.known != nil {
                figures.knownFailures += 1
                _ = knownFailures.insert(item)
            }
        case .cancelled: figures.cancelled += 1
        }
        if record.failure == .disk, diskFault == nil { diskFault = record.detail }
        figures.wireBytes += record.wireBytes ?? 0
        figures.bodyBytes += record.bodyBytes ?? 0
    }
}
