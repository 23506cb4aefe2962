/// Something that happened in a run. The display, the log and `--progress json` read nothing else.
///
/// Which of them are made at all is the reader's choice; see ``EventInterest``.
package enum RunEvent: Sendable {
    case runStarted(RunStarted)
    /// A collection was listed, before its items.
    case collection(CollectionListed)
    /// The sums of a job so far.
    case progress(RunProgress)
    /// What is in flight, over all jobs of the session.
    case activity(RunActivity)
    /// A host is paused for a while.
    case hostHeld(HostPause)
    /// A job was paused, resumed, given another concurrency, or asked to end.
    case control(RunControl)
    /// The first attempt of an item, or a later one, was admitted.
    case itemStarted(ItemStarted)
    /// The item's row is in the catalog.
    case itemFinished(ItemFinished)
    /// The pictures of a stored item are being made.
    case itemRendering(ItemRendering)
    /// They are in the catalog, or could not be made, or are left for another run.
    case itemRendered(ItemRendered)
    /// A stored file has gone to keep within `output.max_bytes`.
    case itemEvicted(ItemEvicted)
    case warning(RunWarning)
    case runFinished(RunFinished)
    /// The job of this name is over without a finished run: another run holds it, or the catalog or the disk failed.
    case jobAbandoned(String)
}

package struct RunStarted: Sendable {
    package var run: Int64
    package var job: String
    /// Microseconds since 1970 UTC.
    package var at: Int64
    /// The JSON text of `run.selection`; nil for the whole list.
    package var selection: String?
    package var concurrency: Int
    /// Transfers to one host at most; nil where it does not matter.
    package var perHost: Int?

    package init(
        run: Int64, job: String, at: Int64, selection: String? = nil, concurrency: Int, perHost: Int? = nil
    ) {
        self.run = run
        self.job = job
        self.at = at
        self.selection = selection
        self.concurrency = concurrency
        self.perHost = perHost
    }
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

    package init(
        run: Int64, job: String, at: Int64, key: String, title: String, subtitle: String? = nil, section: String? = nil,
        position: Int, expected: Int? = nil
    ) {
        self.run = run
        self.job = job
        self.at = at
        self.key = key
        self.title = title
        self.subtitle = subtitle
        self.section = section
        self.position = position
        self.expected = expected
    }
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

    package init(
        run: Int64, job: String, at: Int64, item: Int64, key: String, collection: String, title: String, url: String,
        attempt: Int
    ) {
        self.run = run
        self.job = job
        self.at = at
        self.item = item
        self.key = key
        self.collection = collection
        self.title = title
        self.url = url
        self.attempt = attempt
    }
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

    package init(
        run: Int64, job: String, at: Int64, item: Int64, key: String, collection: String, title: String, url: String,
        path: String? = nil, mediaType: String? = nil, size: Int64? = nil, transfer: TransferRecord
    ) {
        self.run = run
        self.job = job
        self.at = at
        self.item = item
        self.key = key
        self.collection = collection
        self.title = title
        self.url = url
        self.path = path
        self.mediaType = mediaType
        self.size = size
        self.transfer = transfer
    }
}

package struct ItemRendering: Sendable {
    package enum Activity: String, Sendable {
        case unzipping, rendering
    }

    /// nil outside of a run.
    package var run: Int64?
    package var job: String
    package var at: Int64
    package var item: Int64
    package var key: String
    /// The row of its collection.
    package var collectionID: Int64
    package var title: String
    package var activity: Activity

    package init(
        run: Int64? = nil, job: String, at: Int64, item: Int64, key: String, collectionID: Int64, title: String,
        activity: Activity
    ) {
        self.run = run
        self.job = job
        self.at = at
        self.item = item
        self.key = key
        self.collectionID = collectionID
        self.title = title
        self.activity = activity
    }
}

package struct ItemRendered: Sendable {
    /// nil outside of a run.
    package var run: Int64?
    package var job: String
    package var at: Int64
    package var item: Int64
    package var key: String
    package var title: String
    /// How many were made.
    package var pictures: Int
    /// Why some were not: the item counts as failed, whatever its transfer came to.
    package var failure: FailureWord?
    package var detail: String?

    package init(
        run: Int64? = nil, job: String, at: Int64, item: Int64, key: String, title: String, pictures: Int,
        failure: FailureWord? = nil, detail: String? = nil
    ) {
        self.run = run
        self.job = job
        self.at = at
        self.item = item
        self.key = key
        self.title = title
        self.pictures = pictures
        self.failure = failure
        self.detail = detail
    }
}

package struct ItemEvicted: Sendable {
    package var run: Int64
    package var job: String
    package var at: Int64
    package var item: Int64
    package var key: String
    package var title: String
    /// Where the file was, relative to the job's output directory.
    package var path: String
    package var size: Int64

    package init(
        run: Int64, job: String, at: Int64, item: Int64, key: String, title: String, path: String, size: Int64
    ) {
        self.run = run
        self.job = job
        self.at = at
        self.item = item
        self.key = key
        self.title = title
        self.path = path
        self.size = size
    }
}

package struct RunWarning: Sendable {
    package var job: String
    package var at: Int64
    package var message: String

    package init(
        job: String, at: Int64, message: String
    ) {
        self.job = job
        self.at = at
        self.message = message
    }
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
    /// Whether known failures neither count nor are reported.
    package var ignoresKnownFailures = false

    package init(
        run: Int64, job: String, at: Int64, outcome: RunOutcome, figures: RunFigures, detail: String? = nil,
        startedAt: Int64, isAcceptable: Bool, ignoresKnownFailures: Bool = false
    ) {
        self.run = run
        self.job = job
        self.at = at
        self.outcome = outcome
        self.figures = figures
        self.detail = detail
        self.startedAt = startedAt
        self.isAcceptable = isAcceptable
        self.ignoresKnownFailures = ignoresKnownFailures
    }

    /// Failures that somebody should hear of.
    package var failuresToTell: Int { figures.failed - (ignoresKnownFailures ? figures.knownFailures : 0) }
}

/// The sums of a run's transfers, as the `run` table has them.
package struct RunFigures: Sendable, Hashable {
    package var downloaded = 0
    package var unchanged = 0
    package var fresh = 0
    package var evicted = 0
    package var failed = 0
    /// Those of `failed` that an earlier run met and that were not asked again.
    package var knownFailures = 0
    package var cancelled = 0
    /// Coded body bytes received over all attempts and hops.
    package var wireBytes: Int64 = 0
    /// Decoded bytes of complete bodies.
    package var bodyBytes: Int64 = 0
    /// Bytes of files that share the room of equal ones.
    package var savedBytes: Int64 = 0
    /// Files that went to keep within `output.max_bytes`, and the bytes that this freed on the disk.
    package var freedFiles = 0
    package var freedBytes: Int64 = 0
    /// Requests that the source itself made, and the bytes of their replies.
    package var listRequests = 0
    package var listBytes: Int64 = 0

    package init() {}

    /// Items that have ended.
    package var items: Int { downloaded + unchanged + fresh + evicted + failed + cancelled }
}

/// `run.outcome`.
package enum RunOutcome: String, Sendable {
    case running, complete, partial, failed, interrupted
}
