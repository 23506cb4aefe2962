import Files
import FoundationEssentials
import SQLite
import Schedule
import TestSupport
import Testing
import YAML

@testable import Jobs
@testable import Model
@testable import Run
@testable import SourceKit

/// A job with a server, an output directory and a catalog of its own, which a test runs as often as it likes.
///
/// After every run the catalog, the files and the events are checked against each other; see ``RunCheck``.
struct Bench {
    let directory: TemporaryDirectory
    let server: FaultyServer
    let script: Script
    var job: Job
    var options: SessionOptions
    /// Files in the output directory that no row claims.
    var foreignFiles: Set<String> = []
    /// Stored files that are known to have other bytes than their rows tell.
    var rottenFiles: Set<String> = []
    /// Whether the journal still tells of what an unfinished run left.
    var keepsJournal = false
    /// Parts that are expected to be left after a run.
    var keepsParts = false

    /// - Parameters:
    ///   - responses: what the server answers, by path.
    ///   - transfer: more keys of `transfer`, a line each.
    ///   - keys: more keys of the job, a line each.
    ///   - first: answers before the table does.
    init(
        _ responses: [String: [FaultyServer.Response]] = [:], transfer: String = "", keys: String = "",
        environment: [String: String] = [:], name: String = "job", directory: TemporaryDirectory? = nil,
        answering first: @escaping Script.Answer = { _ in nil }
    ) throws {
        let script = Script(responses, first: first)
        self.script = script
        self.directory = try directory ?? TemporaryDirectory()
        server = try FaultyServer { script.answer($0) }
        let given = transfer.split(separator: "\n").map(String.init)
        let defaults = ["proxy: none", "durability: none", "retries: 2"]
        let lines = given + defaults.filter { line in !given.contains { $0.hasPrefix(line.prefix { $0 != " " }) } }
        let file = try self.directory.write(
            """
            name: \(name)
            source: {type: list, index: "\(server.url())"}
            output: {directory: files-\(name), path: "{title}.{extension}"}
            transfer:
            \(lines.map { "  \($0)" }.joined(separator: "\n"))
            \(keys)
            """, to: "\(name).yaml")
        let registry = SourceRegistry([SourceModule(ListSource.self)])
        let loaded = JobLoader(registry: registry, environment: environment).load([file])
        guard let job = loaded.jobs.first, !loaded.hasErrors else {
            throw TestSupportError(loaded.diagnostics.map(\.description).joined(separator: "\n"))
        }
        self.job = job
        options = SessionOptions(
            database: self.directory.path("state/runner.sqlite"), runnerVersion: "0-test", environment: environment)
        options.backoff.base = 1_000
    }

    /// An item of the server's; key and title are the path without its slash unless given.
    func item(_ path: String, key: String? = nil, title: String? = nil, collection: String = "all") -> ListedItem {
        let name = String(path.drop { $0 == "/" }.prefix { $0 != "?" })
        return ListedItem(
            collection: collection, key: key ?? name, url: server.url(path), title: title ?? key ?? name)
    }

    // MARK: Running

    /// Runs the job over a list of paths.
    func run(_ paths: String..., location: SourceLocation = #_sourceLocation) async throws -> RunReport {
        try await run(paths.map { item($0) }, location: location)
    }

    func run(
        _ items: [ListedItem], location: SourceLocation = #_sourceLocation,
        _ configure: (inout SessionOptions) -> Void = { _ in }
    ) async throws -> RunReport {
        try await run(.items(items), location: location, configure)
    }

    func run(
        _ source: SourcePlan, location: SourceLocation = #_sourceLocation,
        _ configure: (inout SessionOptions) -> Void = { _ in }
    ) async throws -> RunReport {
        try await begin(source, configure).report(location: location)
    }

    /// Begins a run and lets it go on by itself.
    func begin(_ items: [ListedItem], _ configure: (inout SessionOptions) -> Void = { _ in }) throws -> RunningJob {
        try begin(.items(items), configure)
    }

    func begin(_ source: SourcePlan, _ configure: (inout SessionOptions) -> Void = { _ in }) throws -> RunningJob {
        var job = job
        job.source = source
        var options = options
        configure(&options)
        return try RunningJob(job, options, bench: self)
    }

    // MARK: Looking

    /// Opens the catalog for looking and changing.
    func catalog() throws -> Connection {
        try Connection(path: options.database, mode: .readWrite)
    }

    func table(_ sql: String) throws -> [Columns] {
        let catalog = try catalog()
        defer { catalog.close() }
        return try catalog.table(sql)
    }

    /// Changes rows by hand, as time or an earlier run would.
    func change(_ sql: String) throws {
        let catalog = try catalog()
        defer { catalog.close() }
        try catalog.execute(sql)
    }

    /// The name of the output directory, which is beside the job file.
    var outputFolder: String { job.output.directory.split(separator: "/").last.map(String.init) ?? "" }

    /// The bytes of a file in the output directory.
    func file(_ path: String) -> [UInt8]? { directory.read("\(outputFolder)/\(path)") }

    /// The paths of all files in the output directory but those of the program itself.
    var files: Set<String> {
        let root = directory.path(outputFolder)
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
        return Set(
            paths.filter { path in
                var isFolder = false
                return !path.hasPrefix(".runner")
                    && FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
                    && !isFolder
            })
    }

    var parts: [String] { directory.names(in: "\(outputFolder)/.runner/parts") }

    /// The requests for a path that came so far.
    func requests(_ path: String) -> [FaultyServer.Request] { server.requests.filter { $0.path == path } }
}
