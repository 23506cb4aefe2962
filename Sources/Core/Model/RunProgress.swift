/// A job's sums so far, and those of the collections in which something has changed since the last.
package struct RunProgress: Sendable {
    package var job: String
    /// Selected items listed so far.
    package var listed: Int
    package var isListComplete: Bool
    package var figures: RunFigures
    /// Of the items that are fetched, but for those that failed, and of those of them that have ended.
    package var wanted: WantedBytes
    package var ended: WantedBytes
    package var collections: [CollectionProgress]
    /// Items that have ended since the last; kept while somebody watches.
    package var items: [EndedItem]

    package init(
        job: String, listed: Int, isListComplete: Bool, figures: RunFigures, wanted: WantedBytes = WantedBytes(),
        ended: WantedBytes = WantedBytes(), collections: [CollectionProgress] = [], items: [EndedItem] = []
    ) {
        self.items = items
        self.wanted = wanted
        self.ended = ended
        self.job = job
        self.listed = listed
        self.isListComplete = isListComplete
        self.figures = figures
        self.collections = collections
    }
}

/// What items have to bring, as far as the list says how long they are.
package struct WantedBytes: Sendable, Hashable {
    package var items = 0
    /// Those whose lengths the list says.
    package var sizedItems = 0
    package var bytes: Int64 = 0

    package init() {}

    /// The sum of the lengths; nil when one is unknown.
    package var known: Int64? { sizedItems == items && items > 0 ? bytes : nil }

    /// Counts an item.
    ///
    /// - Parameter size: nil where it is not known, or where the item may bring nothing.
    package mutating func add(_ size: Int64?) {
        items += 1
        guard let size else { return }
        sizedItems += 1
        bytes = bytes.addingReportingOverflow(size).overflow ? .max : bytes + size
    }

    /// Counts an item no more, which has brought nothing.
    package mutating func remove(_ size: Int64?) {
        items -= 1
        guard let size else { return }
        sizedItems -= 1
        bytes = max(0, bytes - size)
    }
}

/// The sums of one collection.
package struct CollectionProgress: Sendable, Hashable {
    /// Its row's id.
    package var id: Int64
    package var key: String
    package var title: String
    package var subtitle: String?
    package var section: String?
    /// How many items the source announced.
    package var expected: Int?
    /// Selected items listed so far.
    package var listed = 0
    /// Items that have ended, failed and cancelled ones included.
    package var done = 0
    package var failed = 0
    package var cancelled = 0

    package init(
        id: Int64, key: String = "", title: String, subtitle: String? = nil, section: String? = nil,
        expected: Int? = nil
    ) {
        self.id = id
        self.key = key
        self.title = title
        self.subtitle = subtitle
        self.section = section
        self.expected = expected
    }

    /// Counts an item that has ended, or with -1 one that is open again.
    package mutating func count(_ outcome: TransferOutcome, _ number: Int = 1) {
        done += number
        if outcome == .failed { failed += number }
        if outcome == .cancelled { cancelled += number }
    }
}

/// What a session has in flight at one moment.
package struct RunActivity: Sendable {
    /// Microseconds since 1970 UTC.
    package var at: Int64
    /// In the order in which their rows were made.
    package var items: [ItemActivity]
    /// Coded bytes of item bodies since the session began, over all attempts, those in flight included.
    package var receivedBytes: Int64
    /// Attempts after the first, since the session began.
    package var retries: Int
    /// Items that wait to be tried again.
    package var waiting: Int
    /// A few of these, the next first.
    package var nextRetries: [ItemRetry]
    /// What each job has under way.
    package var jobs: [JobActivity]

    package init(
        at: Int64 = 0, items: [ItemActivity], receivedBytes: Int64, retries: Int = 0, waiting: Int = 0,
        nextRetries: [ItemRetry] = [],
        jobs: [JobActivity] = []
    ) {
        self.at = at
        self.jobs = jobs
        self.nextRetries = nextRetries
        self.items = items
        self.receivedBytes = receivedBytes
        self.retries = retries
        self.waiting = waiting
    }
}

/// An item in flight.
package struct ItemActivity: Sendable {
    package enum Stage: Sendable {
        /// The request is on its way, or the server thinks.
        case waiting
        case receiving
        /// Pictures are taken out of the stored ZIP file.
        case unzipping
        /// Pictures are made of the stored file.
        case rendering

        /// For programs.
        package var word: String {
            switch self {
            case .waiting: "waiting"
            case .receiving: "downloading"
            case .unzipping: "unzipping"
            case .rendering: "rendering"
            }
        }
    }

    package var id: Int64
    /// nil outside of a run.
    package var run: Int64?
    /// The name of its job.
    package var job: String
    package var key: String
    /// The row of its collection.
    package var collection: Int64
    package var title: String
    /// The host that is asked, after redirects; with the port where it is not the scheme's own.
    package var host: String
    package var stage: Stage
    /// 1 for the first.
    package var attempt: Int
    /// Bytes of the body that are there, those of an earlier attempt that are of use included.
    package var received: Int64
    /// The length of the whole body; nil when nobody tells.
    package var total: Int64?

    /// The length of a body that is being fetched, where it is known.
    package static func expected(_ total: Int64?, _ stage: Stage) -> Int64? {
        stage == .waiting || stage == .receiving ? total : nil
    }

    /// How much of a body is there, 0 to 100; nil where its length is not known.
    package static func percent(_ received: Int64, of total: Int64?) -> Int64? {
        guard let total, total > 0 else { return nil }
        return Int64(min(100, Double(max(0, received)) * 100 / Double(total)))
    }

    package init(
        id: Int64, run: Int64? = nil, job: String = "", key: String = "", collection: Int64, title: String,
        host: String, stage: Stage,
        attempt: Int = 1, received: Int64 = 0, total: Int64? = nil
    ) {
        self.id = id
        self.run = run
        self.job = job
        self.key = key
        self.collection = collection
        self.title = title
        self.host = host
        self.stage = stage
        self.attempt = attempt
        self.received = received
        self.total = total
    }
}

/// An item that waits to be tried again.
package struct ItemRetry: Sendable {
    package var title: String
    /// Microseconds until then, at least: its host may have to wait longer.
    package var wait: Int64
    /// Why the attempt before failed.
    package var reason: String

    package init(title: String, wait: Int64, reason: String) {
        self.title = title
        self.wait = wait
        self.reason = reason
    }
}

/// A host that is not asked for a while.
package struct HostPause: Sendable {
    package enum Reason: String, Sendable {
        /// The server said so: Retry-After (RFC 9110, section 10.2.3).
        case retryAfter = "retry-after"
        /// It failed again and again.
        case failures
    }

    /// With the port where it is not the scheme's own.
    package var host: String
    /// Microseconds since 1970 UTC, as `until`.
    package var at: Int64
    package var until: Int64
    package var reason: Reason

    package init(host: String, at: Int64, until: Int64, reason: Reason) {
        self.host = host
        self.at = at
        self.until = until
        self.reason = reason
    }
}

/// What a job was last asked to do.
package struct RunControl: Sendable {
    package var job: String
    package var isPaused: Bool
    /// Nothing more begins; what is in flight may end.
    package var isStopping: Bool
    /// While it is stopping: microseconds that what is in flight has left, 0 once it is broken off.
    package var grace: Int64
    package var concurrency: Int
    /// Transfers to one host at most; nil where it is as before.
    package var perHost: Int?
    /// Bytes a second of the whole run; nil for no limit.
    package var bandwidth: Int64?
    /// Until when a timetable says so, a time of day such as `19:00`.
    package var bandwidthUntil: String?
    /// The rows of collections that are paused by themselves.
    package var pausedCollections: Set<Int64>

    package init(
        job: String, isPaused: Bool = false, isStopping: Bool = false, grace: Int64 = 0, concurrency: Int,
        perHost: Int? = nil, bandwidth: Int64? = nil, bandwidthUntil: String? = nil, pausedCollections: Set<Int64> = []
    ) {
        self.perHost = perHost
        self.bandwidth = bandwidth
        self.bandwidthUntil = bandwidthUntil
        self.pausedCollections = pausedCollections
        self.grace = grace
        self.job = job
        self.isPaused = isPaused
        self.isStopping = isStopping
        self.concurrency = concurrency
    }
}
