import Glibc
import TestSupport
import Testing

/// A thread that waits for the disk with a lock held keeps all others waiting, the loops of the transfers among them.
@Suite(
    "End to end: no file is touched under a lock", .wholeProgramLimit,
    // Its runtime is in the program, and takes the locks of libraries in its name.
    .enabled(if: getenv("TSAN_OPTIONS") == nil, "a sanitizer hides who takes a lock"))
struct LockTests {
    private static let headers = [("ETag", "\"one\""), ("Content-Type", "application/octet-stream")]
    /// Long enough for a part that is kept, and for a hash on another thread.
    private static let body = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }

    private let workplace: Workplace
    private let server: FaultyServer
    private let report: String

    init() throws {
        workplace = try Workplace()
        report = workplace.directory.path("report")
        server = try FaultyServer { request in
            switch request.path {
            case "/cut": .ok(Self.body, headers: Self.headers).cut(after: 900_000, .close)
            case "/held": .ok(Self.body, headers: Self.headers).cut(after: 900_000, .stall)
            case "/missing": .status(404)
            case "/moved": .redirect(to: "/small")
            case "/small": .ok("body")
            default: .ok(Self.body, headers: Self.headers)
            }
        }
    }

    private func start(_ paths: [String], _ arguments: [String] = []) throws -> RunningProgram {
        let items = paths.map { "  - {key: \($0), url: '\(server.url("/\($0)"))'}" }
        try workplace.writeJob(source: ["items:"] + items, transfer: ["retries: 1"])
        unlink(report)
        return try workplace.start(
            ["job.yaml"] + arguments, environment: Fault.underLock.environment(number: 0, report: report))
    }

    private func expectNone(_ comment: Comment) throws {
        // Addresses are of the program's symbols: llvm-symbolizer -e .build/debug/test-runner ADDRESS
        #expect(try FaultReport(path: report).hit == "", comment)
    }

    @Test("by a run that stores, follows, retries and gives up, nor by those that ask again and share what is equal")
    func runs() throws {
        let paths = ["large", "small", "moved", "missing", "cut", "other"]
        #expect(try start(paths).wait().ending == .exit(1))
        try expectNone("the first run")
        #expect(!workplace.parts.isEmpty)
        _ = try start(paths, ["--refresh", "--set", "output.deduplicate=true"]).wait()
        try expectNone("a run that fetches all anew, and finds a part")
        _ = try start(paths, ["--set", "output.max_bytes=100kB"]).wait()
        try expectNone("a run that removes files")
    }

    @Test("by a run that two signals end in the middle of a body")
    func stopped() throws {
        let program = try start(["small", "held"])
        try server.waitForRequests(2)
        program.send(SIGTERM)
        try program.waitForErrors { $0.contains("SIGTERM") }
        program.send(SIGTERM)
        #expect(try program.wait().ending == .signal(SIGTERM))
        try expectNone("a run that is broken off")
    }
}
