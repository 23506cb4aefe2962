import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// A folder for one test, with job files, what they fetch and a catalog, and the built programs to work on them.
///
/// Programs start in the folder, with an environment that has the catalog in `$RUNNER_DATABASE` and hardly more.
final class Workplace: Sendable {
    /// One of the programs that the package builds.
    enum Program: String, Sendable {
        case runner
        /// The same with the source `list`, whose items a job file lists itself.
        case testRunner = "test-runner"
        case renderer = "runner-media"
        /// Tries what the renderer's sandbox forbids.
        case sandboxProof = "sandbox-proof"

        /// Beside the test's own program.
        var path: String {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let length = readlink("/proc/self/exe", &buffer, buffer.count)
            let test = String(decoding: buffer[..<max(0, length)].map(UInt8.init(bitPattern:)), as: UTF8.self)
            return test[..<(test.lastIndex(of: "/") ?? test.endIndex)] + "/\(rawValue)"
        }
    }

    let directory: TemporaryDirectory
    let database: String

    init() throws {
        directory = try TemporaryDirectory()
        database = directory.path("catalog.sqlite")
    }

    /// Writes a job file of the source `list`, with the output directory `out`.
    ///
    /// - Parameters:
    ///   - source: the keys of `source` beside its type, a line each.
    ///   - transfer: the keys of `transfer`, a line each.
    ///   - rest: further keys of the job, a line each.
    @discardableResult
    func writeJob(
        _ name: String = "list", to file: String = "job.yaml", source: [String], transfer: [String] = [],
        output: String = "out", rest: [String] = []
    ) throws -> String {
        var lines = ["name: \(name)", "source:", "  type: list"] + source.map { "  \($0)" }
        lines += ["output:", "  directory: \(output)"]
        if !transfer.isEmpty { lines += ["transfer:"] + transfer.map { "  \($0)" } }
        return try directory.write((lines + rest).joined(separator: "\n") + "\n", to: file)
    }

    /// Starts a program in the folder.
    func start(
        _ arguments: [String], with program: Program = .testRunner, environment: [String: String] = [:],
        output: Int32? = nil, line: (@Sendable (Int, String, Int32) -> Void)? = nil
    ) throws -> RunningProgram {
        try RunningProgram(
            [program.path] + arguments,
            environment: self.environment.merging(environment) { $1 }.filter { !$0.value.isEmpty },
            directory: directory.path, output: output, line: line)
    }

    /// Runs a program in the folder to its end.
    func run(
        _ arguments: [String], with program: Program = .testRunner, environment: [String: String] = [:]
    ) throws -> RunningProgram.Result {
        try start(arguments, with: program, environment: environment).wait()
    }

    /// What programs get beside what a test gives them; an empty value takes a variable away.
    var environment: [String: String] {
        var environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": directory.path("home"), "LANG": "C.UTF-8", "TZ": "UTC",
            "RUNNER_DATABASE": database,
        ]
        // Those of sanitizers, which such a build may need.
        for name in ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return environment
    }

    // MARK: What is there afterwards

    /// The catalog as it is now.
    func catalog() throws -> CatalogCopy {
        try CatalogCopy(of: database)
    }

    /// The bytes of a file in the folder.
    func read(_ path: String) -> [UInt8]? {
        directory.read(path)
    }

    /// When a file in the folder was written last, in nanoseconds since 1970.
    func modified(_ path: String) -> Int {
        var information = stat()
        lstat(directory.path(path), &information)
        return information.st_mtim.tv_sec * 1_000_000_000 + information.st_mtim.tv_nsec
    }

    func remove(_ path: String) {
        unlink(directory.path(path))
    }

    /// The paths of the files below a folder, without those of `.runner`, sorted.
    func files(below folder: String = "out") -> [String] {
        Self.files(below: directory.path(folder)).filter { !$0.hasPrefix(".runner/") }
    }

    /// The parts that wait to be resumed or were left behind.
    var parts: [String] { directory.names(in: "out/.runner/parts") }

    static func files(below folder: String) -> [String] {
        guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else { return [] }
        return paths.filter { path in
            var information = stat()
            return lstat("\(folder)/\(path)", &information) == 0 && information.st_mode & S_IFMT != S_IFDIR
        }.sorted()
    }
}

/// The bytes of any file; nil where there is none.
func contents(of path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map(Array.init)
}

extension Trait where Self == TimeLimitTrait {
    /// The limit of suites that wait for programs. A test's time begins before its turn on one of the few threads, which
    /// the tests before it block; each wait for a program has a limit of its own.
    static var wholeProgramLimit: Self { .timeLimit(.minutes(10)) }
}
