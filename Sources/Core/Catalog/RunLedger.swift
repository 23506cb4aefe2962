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
    var urls = URLIndex()
    /// Row ids and next positions, by collection key.
    var collections: [String: ListedCollectionRow] = [:]
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
    private var completion: (@Sendable () -> Void)?

    struct ListedCollectionRow {
        let id: Int64
        let title: String
        let section: String?
        var next = 1
    }

    init(_ context: RunContext, journal: PublishJournal?) {
        self.context = context
        self.journal = journal
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

    /// Counts an outcome.
    func count(_ record: TransferRecord) {
        switch record.outcome {
        case .downloaded: figures.downloaded += 1
        case .unchanged: figures.unchanged += 1
        case .fresh: figures.fresh += 1
        case .failed: figures.failed += 1
        case .cancelled: figures.cancelled += 1
        }
        if record.failure == .disk, diskFault == nil { diskFault = record.detail }
        figures.wireBytes += record.wireBytes ?? 0
        figures.bodyBytes += record.bodyBytes ?? 0
    }
}
