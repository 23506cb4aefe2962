import Synchronization
import TestSupport
import Testing

/// One thing that a server does wrong, and what a run must leave of it.
///
/// It has a path of its own on the server of the matrix, named after it.
struct Fault: CustomTestStringConvertible, Sendable {
    /// What is left of the item's file.
    enum File: Sendable {
        case none
        case bytes([UInt8])
    }

    let name: String
    /// What the server answers, in turn, the last one for ever.
    let responses: [FaultyServer.Response]
    /// Keys of `transfer` and of the job, a line each.
    var transfer = ""
    var keys = ""
    /// Where the item is, instead of at the path; `{port}` is the server's.
    var url: String?
    /// Whether the first response is for an earlier run, which stores a file.
    var isSecondRun = false
    /// Whether somebody deletes the file after the earlier run.
    var deletesFile = false

    var outcome = "failed"
    var failure: String?
    var attempts: Int64 = 1
    var status: Int64?
    var file = File.none
    /// Whether what came is kept for the next run.
    var leavesPart = false
    /// The item's state; by default as the file is there or not.
    var state: String?
    /// Part of what a person is told.
    var detail = ""

    var path: String { "/\(name)" }
    var testDescription: String { name }

    /// One that costs tries and no bytes: the file is whole in the end.
    static func downloaded(
        _ name: String, _ responses: [FaultyServer.Response], _ bytes: [UInt8] = Fault.body, attempts: Int64,
        status: Int64 = 200, transfer: String = "", isSecondRun: Bool = false
    ) -> Fault {
        Fault(
            name: name, responses: responses, transfer: transfer, isSecondRun: isSecondRun, outcome: "downloaded",
            attempts: attempts, status: status, file: .bytes(bytes))
    }

    /// 200,000 bytes that look like a picture, and others.
    static let body = picture(199_992)
    static let other = picture(150_000, seed: 9)
    static let strong = [("ETag", "\"v1\"")]
}

/// Counts the faults that were tried, and says how many they were when the suite ends.
struct FaultTally: SuiteTrait, TestScoping {
    private static let tried = Atomic(0)

    static func count() { tried.add(1, ordering: .relaxed) }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        print("fault matrix: \(Self.tried.load(ordering: .relaxed)) faults tried")
    }
}

/// Every fault of servers that is known, one path each: outcome, failure word, files and rows.
@Suite("Fault matrix", FaultTally(), .timeLimit(.minutes(3)))
enum FaultMatrix {}
