import Glibc
import Testing

/// Every system call of a run that changes a file, killed at or failing, one at a time.
///
/// There are some thousands of such points. `make test` tries a sample of them, spread evenly, and `make check-slow` all:
/// `RUNNER_FAULTS=all`, or part of a case's name, as in `RUNNER_FAULTS='durability none: killed'`.
@Suite("End to end: a fault at every call that changes a file", .timeLimit(.minutes(60)))
struct FaultMatrixTests {
    private static let faults: [Fault] = [
        .killed, .torn, .brokenDisk, .fullForAMoment, .full, .tooManyOpenFiles,
    ]
    /// Points that `make test` tries of each fault in each case.
    private static let sample = 2

    @Test(
        "nothing wrong or half is left, and the next run makes it whole", arguments: FaultBench.Beginning.allCases,
        ["batch", "none"])
    func points(_ beginning: FaultBench.Beginning, _ durability: String) throws {
        let wanted = getenv("RUNNER_FAULTS").map { String(cString: $0) }
        let bench = try FaultBench(beginning, durability: durability)
        for (index, fault) in Self.faults.enumerated() {
            let name = "\(bench.name): \(fault.testDescription)"
            if let wanted, wanted != "all", !name.contains(wanted) { continue }
            let count = try bench.countCalls(fault)
            // Spread evenly over the run, and elsewhere for each fault.
            let step = wanted != nil ? 1 : max(1, count / Self.sample)
            let numbers = Array(stride(from: 1 + step * index / Self.faults.count, through: count, by: step))
            var tried = 0
            for number in numbers where try bench.hit(fault, number: number) { tried += 1 }
            // For those who read the log: nothing else tells how much was tried.
            print("\(name): \(tried) of \(count) calls tried")
            #expect(tried >= numbers.count / 2)
        }
    }

    @Test(
        "at each name that is given or taken away, files and rows agree, and no superseded file stays",
        arguments: [Fault.Action.kill, .fail(EIO), .fail(ENOSPC)])
    func names(_ action: Fault.Action) throws {
        let fault = Fault(action: action, calls: "rename,remove")
        let bench = try FaultBench(.stored, durability: "batch")
        for number in 1...(try bench.countCalls(fault)) { _ = try bench.hit(fault, number: number) }
    }

    @Test("the metadata beside files is theirs, whole, after a run that was killed at any name")
    func metadata() throws {
        let fault = Fault(action: .kill, calls: "rename,remove")
        for beginning in FaultBench.Beginning.allCases {
            let bench = try FaultBench(beginning, durability: "batch", hasMetadata: true)
            for number in 1...(try bench.countCalls(fault)) { _ = try bench.hit(fault, number: number) }
        }
    }
}
