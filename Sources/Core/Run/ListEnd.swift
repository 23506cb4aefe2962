import Catalog
import Jobs
import Model
import SQLite
import System
import Transfer

/// How far a list has to be read: with `stop_after_known` only until so many stored items came one after another, unless
/// something of the job is owed that may be listed behind them.
///
/// Confined to the catalog's queue, like the ledger.
final class ListEnd {
    private let job: String
    /// nil: the list is read to its end.
    private let stopsAfter: Int?
    /// Whether a part of the list may never have been read, so that the catalog can't tell what is owed.
    private let wasCut: Bool
    /// Whether the catalog says so now.
    private var isCut: Bool
    /// Items that are owed and were not listed yet, and those that are owed though the last list to its end lacked them.
    private var owed = IDSet()
    private var leftUnlisted = IDSet()
    /// Items listed one after another whose files the job has already.
    private var knownInSequence = 0

    /// - Parameter now: wall clock.
    init(_ context: RunContext, on catalog: Connection, now: Int64) throws {
        job = context.job.name
        wasCut = try OwedItems.isListCut(ofJob: job, on: catalog)
        isCut = wasCut
        let selection = context.selection
        stopsAfter = selection.listsEverything || selection.isFailedOnly ? nil : context.job.stopsAfterKnown
        guard stopsAfter != nil else { return }
        try OwedItems.forEach(
            inJob: job, now: now, latest: now + RunLedger.longestPause, on: catalog
        ) { id, isLeft in
            if isLeft { _ = leftUnlisted.insert(id) } else { _ = owed.insert(id) }
        }
    }

    /// Whether the rest of the list does not matter: what the job has not got was listed, and what follows it has.
    var isReached: Bool {
        guard let stopsAfter, !wasCut, owed.count == 0 else { return false }
        return knownInSequence >= stopsAfter
    }

    /// An item without a row has got one: until the list is read as far as it has to be, the rows are not all of it.
    func noteEntered(on catalog: Connection) throws {
        guard !isCut else { return }
        try OwedItems.setListCut(true, ofJob: job, on: catalog)
        isCut = true
    }

    /// An item is listed.
    func note(_ row: ItemRow, on catalog: Connection) throws {
        knownInSequence = row.state == .stored ? knownInSequence + 1 : 0
        _ = owed.remove(row.id)
        if leftUnlisted.remove(row.id) { try OwedItems.setLeftUnlisted(false, row.id, on: catalog) }
    }

    /// The list came to its end, or was read as far as it has to be.
    func noteEnd(on catalog: Connection) throws {
        guard isCut else { return }
        try OwedItems.setListCut(false, ofJob: job, on: catalog)
        isCut = false
    }

    /// The list came to its end, and can't say what is gone: what it lacks is not looked for in the next one.
    func leaveUnlisted(on catalog: Connection) throws {
        guard stopsAfter != nil, owed.count > 0 else { return }
        try owed.forEach { try OwedItems.setLeftUnlisted(true, $0, on: catalog) }
        owed = IDSet()
    }
}
