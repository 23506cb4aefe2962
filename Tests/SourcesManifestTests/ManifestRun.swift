import Jobs
import Model
import Run
import SQLite
import Schedule
import SourceKit
import SourcesManifest
import Synchronization
import TestSupport
import Testing
import YAML

/// A manifest job with a server, an output directory and a catalog of its own, run as often as a test likes.
final class ManifestRun {
    let directory: TemporaryDirectory
    let server: FaultyServer
    private let shared: Shared
    private let job: Job
    private let options: SessionOptions

    /// - Parameters:
    ///   - source: the `url` of the source, in which SERVER stands for the server.
    ///   - replies: what the server answers, by path; 404 to others.
    ///   - path: the template of the files' paths.
    init(
        _ source: String, _ replies: [String: FaultyServer.Response], path: String = ManifestSource.info.path
    ) throws {
        let shared = Shared(replies)
        self.shared = shared
        directory = try TemporaryDirectory()
        server = try FaultyServer { request in shared.replies.withLock { $0[request.path] } ?? .status(404) }
        let file = try directory.write(
            """
            name: job
            source: {type: manifest, url: "\(source.replacing("SERVER", with: server.url("")))"}
            output: {directory: files, path: "\(path)"}
            transfer: {proxy: none, durability: none, retries: 1, allow_private_addresses: true}
            """, to: "job.yaml")
        let registry = SourceRegistry([SourceModule(ManifestSource.self)])
        let loaded = JobLoader(registry: registry, environment: [:]).load([file])
        guard let job = loaded.jobs.first, !loaded.hasErrors else {
            throw TestSupportError(loaded.diagnostics.map(\.description).joined(separator: "\n"))
        }
        self.job = job
        var options = SessionOptions(
            database: directory.path("state/runner.sqlite"), runnerVersion: "0-test", environment: [:])
        options.backoff.base = 1_000
        self.options = options
    }

    /// What the handler of the server and the test share.
    private final class Shared: Sendable {
        let replies: Mutex<[String: FaultyServer.Response]>

        init(_ replies: [String: FaultyServer.Response]) {
            self.replies = Mutex(replies)
        }
    }

    /// Answers a path otherwise from now on.
    func answer(_ path: String, _ response: FaultyServer.Response) {
        shared.replies.withLock { $0[path] = response }
    }

    /// Writes a file beside the job file.
    func write(_ text: String, to name: String) throws {
        try directory.write(text, to: name)
    }

    /// What a run came to.
    struct Report {
        let finished: RunFinished
        let warnings: [String]
        /// Outcome, or the word of the failure, by item key.
        let items: [String: String]
    }

    func run(_ configure: (inout SessionOptions) -> Void = { _ in }) async throws -> Report {
        var options = options
        configure(&options)
        let warnings = Lines()
        let session = try Session(jobs: [job], options: options) { events in
            for case .warning(let warning) in events { warnings.lines.withLock { $0.append(warning.message) } }
        }
        guard case .ran(let finished)? = await session.run().first?.ending else {
            throw TestSupportError("it did not run")
        }
        let rows = try table(
            "SELECT key, coalesce(transfer.failure, outcome) FROM transfer JOIN item ON id = item_id WHERE run_id = \(finished.run)"
        )
        return Report(
            finished: finished, warnings: warnings.lines.withLock { $0 },
            items: Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) }))
    }

    /// What a plan of the job has: key and path of each item.
    func plan() async throws -> [String] {
        let items = Lines()
        try await Plan.make(
            job, options: options,
            items: { planned in items.lines.withLock { $0 += planned.map { "\($0.key) \($0.path)" } } },
            warnings: { _ in })
        return items.lines.withLock { $0 }
    }

    private final class Lines: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// Rows of texts.
    func table(_ sql: String) throws -> [[String]] {
        let catalog = try Connection(path: options.database, mode: .readOnly)
        defer { catalog.close() }
        return try catalog.rows(sql) { row in try (0..<row.count).map { try row[$0] as String? ?? "" } }
    }

    /// Requests for a path so far.
    func requests(_ path: String) -> [FaultyServer.Request] { server.requests.filter { $0.path == path } }
}
