internal import Catalog
internal import HTTP
internal import Jobs
import SourceKit
internal import System
internal import YAML

/// The job files that the page was started with, as they are now.
final class JobFiles: Sendable {
    struct Job: Sendable, Equatable {
        let name: String
        /// Absolute.
        let file: String
        let directory: String
        /// The word of its source, and what that fetches.
        let source: String
        let summary: String?
        /// Whether it lists around the pins of the page's map.
        let takesPins: Bool

        /// A run of it as a process: of a file with several jobs only this one, whatever is wrong with the others.
        var runArguments: [String] { ["run", file, "--job=\(name)", "--keep-going", "--progress", "none"] }
    }

    struct Known: Sendable, Equatable {
        var jobs: [Job] = []
        /// What is wrong with a file, by the file.
        var errors: [String: String] = [:]

        func job(_ name: String) -> Job? { jobs.first { $0.name == name } }
    }

    private let paths: [String]
    private let loader: JobLoader
    private let state = Locked<(known: Known, readAt: Monotonic)?>(nil)

    /// Between two looks at the files, in microseconds.
    private static let age: Int64 = 1_000_000

    init(_ settings: WebSettings) {
        paths = settings.files
        loader = JobLoader(registry: settings.registry, environment: settings.environment)
    }

    /// Reads the files where they were not read in the last second. Blocks.
    func known() -> Known {
        if let last = state.withLock({ $0 }), Monotonic.now() - last.readAt < Self.age { return last.known }
        let loaded = loader.load(paths)
        var known = Known()
        known.jobs = loaded.jobs.map { job in
            let summary = loader.registry[job.source.type]?.summary
            return Job(
                name: job.name, file: job.file, directory: job.output.directory, source: job.source.type,
                summary: summary, takesPins: job.source.takesPins)
        }
        for diagnostic in loaded.diagnostics where diagnostic.severity == .error {
            let file = FilePath.absolute(diagnostic.source?.name ?? "")
            known.errors[file] = (known.errors[file].map { $0 + "\n" } ?? "") + diagnostic.description
        }
        state.withLock { $0 = (known, Monotonic.now()) }
        return known
    }
}
