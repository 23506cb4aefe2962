import Foundation
import TestSupport
import Testing

/// A second, small implementation of what the program must do, and random histories that both must agree on.
@Suite("End to end: the model", .wholeProgramLimit)
struct ModelTests {
    private static let steps = 100
    private static let wanted = ProcessInfo.processInfo.environment["RUNNER_MODEL_SEEDS"]

    /// Twenty seeds; as many as `$RUNNER_MODEL_SEEDS` says in `make check-slow`, or those of a range such as `7-9`.
    private static var seeds: Range<Int> {
        guard let text = wanted else { return 0..<20 }
        let ends = text.split(separator: "-").compactMap { Int($0) }
        return ends.count == 2 ? ends[0]..<(ends[1] + 1) : 0..<(ends.first ?? 20)
    }

    @Test("a hundred random steps leave rows, files and requests as the model says", arguments: seeds)
    func agrees(_ seed: Int) throws {
        let steps = ModelStep.random(seed: seed, count: Self.steps)
        guard let failure = try ModelHistory.failure(of: steps, seed: seed) else {
            // For those who read the log.
            if Self.wanted != nil { print("agreed on \(steps.count) steps, seed \(seed)") }
            return
        }
        let shrunk = try ModelHistory.shrink(Array(steps[...failure.step]), failure, seed: seed)
        Issue.record("seed \(seed)\n\(shrunk)")
    }
}
