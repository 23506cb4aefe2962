package import MediaProtocol
package import Model
package import SourceKit

/// A job: one checked YAML document with everything resolved that a run needs.
package struct Job: Sendable {
    /// Names the job in the catalog.
    package var name: String
    /// The job file, absolute.
    package var file: String
    /// The folder of the job file, absolute; relative paths in it start here.
    package var folder: String
    package var source: SourcePlan
    package var output: JobOutput
    package var transfer: TransferPolicy
    package var refresh: RefreshPolicy
    /// Which pictures are made of the files; nil: none.
    package var media: RenderSettings?
    /// What the bytes must be; one of these.
    package var expects: [Expectation]
    /// Ends the list after so many items, one after another, whose files the job has; nil: it is read to its end.
    package var stopsAfterKnown: Int?
    package var allowedFailures: FailureAllowance
    package var knownFailures = KnownFailurePolicy.report
    /// Who hears how runs ended.
    package var notify = JobNotifications()
    /// Environment variables that the job file uses, by name.
    package var variables: [String] = []
    /// Hosts and values that the job file and its flags name.
    package var trust: Trust
}

/// Where a job's files go.
package struct JobOutput: Sendable {
    /// Absolute.
    package var directory: String
    package var template: PathTemplate
    /// Whether equal bytes are stored once.
    package var deduplicates = false
    /// What is written beside each file.
    package var sidecar = SidecarFormat.none
    /// How many bytes of items' files the job keeps; nil: all.
    package var maximumBytes: Int64?
}

/// `output.sidecar`: how what is known of a file is written beside it.
package enum SidecarFormat: String, Sendable, CaseIterable {
    case none
    /// The path of the file and `.json`.
    case json
}

/// `refresh`: when a stored file is asked for again.
package enum RefreshPolicy: String, Sendable, CaseIterable {
    /// Unless fresh, with the validators of the stored reply.
    case changed
    /// In full, on every run.
    case always
    /// Not at all.
    case never
}

/// `allow_failed`: how many failures still let a run exit 0.
package enum FailureAllowance: Sendable, Hashable {
    case count(Int)
    /// Of the selected items, in percent.
    case share(Double)

    package func allows(_ failed: Int, of items: Int) -> Bool {
        switch self {
        case .count(let count): failed <= count
        case .share(let percent): Double(failed) * 100 <= percent * Double(items)
        }
    }
}

/// `known_failures`: what becomes of permanent failures that an earlier run met, and that are not asked again yet.
package enum KnownFailurePolicy: String, Sendable, CaseIterable {
    /// They count, and one line tells of all of them.
    case report
    /// They neither count against the run's outcome nor are reported.
    case ignore
}

/// `transfer:`: how a job's items are downloaded. The initial values are the defaults.
package struct TransferPolicy: Sendable {
    /// Items in flight.
    package var concurrency = 16
    /// Transfers to one origin, over all jobs of the process.
    package var perHost = 8
    /// Requests sent to one host, of every kind.
    package var rate: RequestRate?
    /// Of the whole run.
    package var bandwidth = Bandwidth(bytesPerSecond: nil)
    package var connectTimeout = TimeSpan.seconds(10)
    /// Under 1 kB in so long is a stall.
    package var stallTimeout = TimeSpan.seconds(30)
    /// Of one attempt, its redirects included.
    package var totalTimeout = TimeSpan.seconds(900)
    /// Of one item.
    package var maximumSize = ByteCount(bytes: 512 << 20)
    /// After the first attempt, of transient failures only.
    package var retries = 4
    /// nil: `runner/<version> libcurl/<version>`.
    package var userAgent: String?
    package var headers: [RequestHeader] = []
    package var httpVersion = ProtocolVersion.auto
    package var proxy: ProxySetting?
    /// A file of more certificate authorities, absolute.
    package var caFile: String?
    package var connectTo: [ConnectRoute] = []
    package var allowsPrivateAddresses = false
    package var durability = Durability.batch

    package init() {}
}

/// A header field that the job file adds to requests.
package struct RequestHeader: Sendable, Hashable {
    package var name: String
    package var value: String
    /// Whether it may go only to hosts that the job file names: credentials, and everything with a `${NAME}`.
    package var isPrivate: Bool
}

package enum ProtocolVersion: String, Sendable, CaseIterable {
    case auto
    case http1 = "1.1"
    case http2 = "2"
}

package enum ProxySetting: Sendable, Hashable {
    /// Ignores the environment's.
    case none
    case url(String)
}

/// `connect_to`: connections meant for one address go to another.
package struct ConnectRoute: Sendable, Hashable {
    package var host: String
    package var port: Int
    package var targetHost: String
    package var targetPort: Int
}

package enum Durability: String, Sendable, CaseIterable {
    /// The operating system writes back when it likes.
    case none
    /// Files, folders and rows are flushed in batches of up to 256 items or one second.
    case batch
}
