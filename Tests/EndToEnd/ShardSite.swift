import TestSupport

/// Servers, each a host of its own, and a job with so many items of each.
struct ShardSite {
    let workplace: Workplace
    let servers: [FaultyServer]
    let job: String

    init(
        _ counts: [Int], transfer: [String] = [], rest: [String] = [],
        answer: @escaping @Sendable (FaultyServer.Request) -> FaultyServer.Response = {
            .ok("the body of \($0.path)", headers: [("ETag", "\"1\""), ("Cache-Control", "no-cache")])
        }
    ) throws {
        workplace = try Workplace()
        servers = try counts.map { _ in try FaultyServer { answer($0) } }
        var items: [String] = []
        for (host, (server, count)) in zip(servers, counts).enumerated() {
            for number in 0..<count {
                items.append("  - {key: h\(host)/\(number), url: '\(server.url("/\(host)/\(number)"))'}")
            }
        }
        job = try workplace.writeJob(
            source: ["items:"] + items, transfer: transfer, rest: rest)
    }

    var requests: [FaultyServer.Request] { servers.flatMap(\.requests) }

    func carve(_ count: Int, _ flags: [String] = []) throws -> RunningProgram.Result {
        try workplace.run(["shards", "job.yaml", "--count", "\(count)", "--to", "shards"] + flags)
    }

    func start(_ number: Int, _ flags: [String] = []) throws -> RunningProgram {
        let digits = String(number)
        let name = String(repeating: "0", count: 4 - digits.count) + digits
        // A machine has nothing of the catalog.
        return try workplace.start(
            ["shard", "run", "shards/\(name).shard"] + flags, environment: ["RUNNER_DATABASE": "/nowhere/c.sqlite"])
    }

    func work(_ number: Int, _ flags: [String] = []) throws -> RunningProgram.Result {
        try start(number, flags).wait()
    }

    func merge() throws -> RunningProgram.Result { try workplace.run(["merge", "shards"]) }

    /// What is wrong with the catalog and the files.
    func faults() throws -> [String] {
        let verified = try workplace.run(["verify"])
        return try workplace.catalog().contradictions() + (verified.ending == .exit(0) ? [] : verified.lines)
    }
}
