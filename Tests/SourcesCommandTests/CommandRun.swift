import Jobs
import Model
import Run
import SQLite
import SourceKit
import SourcesCommand
import Synchronization
import TestSupport
import YAML

/// A job of a script, with an output directory and a catalog of its own, run as often as a test likes.
///
/// The server answers any target that is not given a reply with that target as the body, and `/missing…` with 404.
final class CommandRun {
    let directory: TemporaryDirectory
    let server: FaultyServer
    private let job: Job
    private let options: SessionOptions

    /// - Parameters:
    ///   - script: `./list.sh`, of `/bin/sh` unless its first line says otherwise.
    ///   - source: further keys of `source`, a line each.
    ///   - top: further keys of the job file, a line each.
    ///   - replies: bodies by target.
    ///
    /// SERVER stands for the server in all of them.
    init(
        _ script: String, source: [String] = [], top: [String] = [], replies: [String: String] = [:],
        environment: [String: String] = [:], path: String = "{key}"
    ) throws {
        directory = try TemporaryDirectory()
        server = try FaultyServer { request in
            let url = "http://\(request["Host"] ?? "")"
            if let reply = replies[request.target] { return .ok(Array(reply.replacing("SERVER", with: url).utf8)) }
            return request.path.hasPrefix("/missing") ? .status(404) : .ok(Array(request.path.utf8))
        }
        try directory.write(
            (script.hasPrefix("#!") ? "" : "#!/bin/sh\n") + script.replacing("SERVER", with: server.url("")),
            to: "list.sh")
        try Subprocess.run(["chmod", "+x", directory.path("list.sh")])
        let url = server.url("")
        let lines =
            ["name: job", "source:", "  type: command", "  command: [./list.sh]"]
            + source.map { "  \($0.replacing("SERVER", with: url))" } + top + [
                "output: {directory: files, path: \"\(path)\"}",
                "transfer: {proxy: none, durability: none, retries: 0, allow_private_addresses: true}", "",
            ]
        let file = try directory.write(lines.joined(separator: "\n"), to: "job.yaml")
        let registry = SourceRegistry([SourceModule(CommandSource.self)])
        let loaded = JobLoader(registry: registry, environment: environment).load([file])
        guard let job = loaded.jobs.first, !loaded.hasErrors else {
            throw TestSupportError(loaded.diagnostics.map(\.description).joined(separator: "\n"))
        }
        self.job = job
        options = SessionOptions(
            database: directory.path("state/runner.sqlite"), runnerVersion: "0-test", environment: environment)
    }

    /// What a run came to.
    struct Report {
        let finished: RunFinished
        let warnings: [String]
    }

    func run(_ configure: (inout SessionOptions) -> Void = { _ in }) async throws -> Report {
        var options = options
        configure(&options)
        let warnings = Warnings()
        let session = try Session(jobs: [job], options: options) { events in
            for case .warning(let warning) in events { warnings.lines.withLock { $0.append(warning.message) } }
        }
        guard case .ran(let finished)? = await session.run().first?.ending else {
            throw TestSupportError("it did not run")
        }
        return Report(finished: finished, warnings: warnings.lines.withLock { $0 })
    }

    private final class Warnings: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// What the transfers that failed say: word and detail.
    func failures() throws -> [String] {
        let catalog = try Connection(path: directory.path("state/runner.sqlite"), mode: .readOnly)
        defer { catalog.close() }
        return try catalog.rows("SELECT failure || ': ' || detail FROM transfer WHERE failure IS NOT NULL") {
            try $0[0]
        }
    }

    /// The values of a column of `item`, by key.
    func items(_ column: String) throws -> [String: String] {
        let catalog = try Connection(path: directory.path("state/runner.sqlite"), mode: .readOnly)
        defer { catalog.close() }
        let rows = try catalog.rows("SELECT key, \(column) FROM item") { row in
            (try row[0] as String, try row[1] as String?)
        }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.0, $0.1 ?? "") })
    }
}
