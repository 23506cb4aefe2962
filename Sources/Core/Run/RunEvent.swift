/// Something that happened in a run. The display, the log and `--progress json` read nothing else.
package enum RunEvent: Sendable {
    case runStarted(RunStarted)
    /// A collection was listed, before its items.
    case collection(CollectionListed)
    /// How many items are known so far. The list is complete when `isComplete`.
    case listing(ListingProgress)
    /// The first attempt of an item, or a later one, was admitted.
    case itemStarted(ItemStarted)
    /// The item's row is in the catalog.
    case itemFinished(ItemFinished)
    case warning(RunWarning)
    case runFinished(RunFinished)
}

package struct RunStarted: Sendable {
    package var run: Int64
    package var job: String
    /// Microseconds since 1970 UTC.
    package var at: Int64
    /// The JSON text of `run.selection`; nil for the whole list.
    package var selection: String?
    package var concurrency: Int
}

package struct CollectionListed: Sendable {
    package var run: Int64
    package var job: String
    package var at: Int64
    package var key: String
    package var title: String
    package var subtitle: String?
    package var section: String?
    package var position: Int
    package var expected: Int?
}

package struct ListingProgress: Sendable {
    package var job: String
    /// Selected items listed so far.
    package var items: Int
    package var isComplete: Bool
}

package struct ItemStarted: Sendable {
    package var run: Int64
    package var job: String
    package var at: Int64
    package var item: Int64
    package var key: String
    package var collection: String
    package var title: String
    /// As the catalog writes it, secrets as `${NAME}`.
    package var url: String
    /// 1 for the first.
    package var attempt: Int
}

package struct ItemFinished: Sendable {
    package var run: Int64
    package var job: String
    package var at: Int64
    package var item: Int64
    package var key: String
    package var collection: String
    package var title: String
    package var url: String
    /// Where the file is, relative to the job's output directory; nil when there is none.
    package var path: String?
    package var mediaType: String?
    package var size: Int64?
    package var transfer: TransferRecord
}

package struct RunWarning: Sendable {
    package var job: String
    package var at: Int64
    package var message: String
}

package struct RunFinished: Sendable {
    package var run: Int64
    package var job: String
    /// `run.finished_at`.
    package var at: Int64
    package var outcome: RunOutcome
    package var figures: RunFigures
    /// Why the run failed or was cut, for people.
    package var detail: String?
    package var startedAt: Int64
    /// Whether the failures are within the job's `allow_failed`, so that the run counts as a success.
    package var isAcceptable: Bool
}

/// The sums of a run's transfers, as the `run` table has them.
package struct RunFigures: Sendable, Hashable {
    package var downloaded = 0
    package var unchanged = 0
    package var fresh = 0
    package var failed = 0
    package var cancelled = 0
    /// Coded body bytes received over all attempts and hops.
    package var wireBytes: Int64 = 0
    /// Decoded bytes of complete bodies.
    package var bodyBytes: Int64 = 0
    /// Requests that the source itself made, and the bytes of their replies.
    package var listRequests = 0
    package var listBytes: Int64 = 0

    package init() {}

    /// Items that have ended.
    package var items: Int { downloaded + unchanged + fresh + failed + cancelled }
}

/// `run.outcome`.
package enum RunOutcome: String, Sendable {
    case running, complete, partial, failed, interrupted
}
