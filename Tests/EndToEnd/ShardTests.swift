import FoundationEssentials
import Glibc
import SQLite
import TestSupport
import Testing

/// A run that several machines share: here several processes, each with a shard.
@Suite("End to end: shards", .wholeProgramLimit)
struct ShardTests {
    @Test("every item is asked once, by one machine a host, and the run looks like any other", arguments: [1, 3, 64])
    func whole(count: Int) throws {
        let site = try ShardSite([60, 5, 5, 5])
        let carved = try site.carve(count)
        #expect(carved.ending == .exit(0), "\(carved.errors)")
        #expect(carved.lines.count == count)
        #expect(try site.workplace.run(["status"]).output.contains("run 1 is in shards"))
        for number in 0..<count { #expect(try site.work(number).ending == .exit(0)) }
        #expect(try site.merge().ending == .exit(0))
        #expect(site.requests.count == 75)
        #expect(Set(site.requests.map(\.target)).count == 75)
        #expect(site.workplace.files().count == 75)
        let catalog = try site.workplace.catalog()
        #expect(try catalog.values("SELECT outcome || ' ' || downloaded FROM run") == ["complete 75"])
        #expect(try catalog.number("SELECT count(*) FROM item WHERE state = 'stored'") == 75)
        #expect(try catalog.number("SELECT count(*) FROM shard WHERE finished_at NOT NULL") == count)
        // One machine a host, but for those with more than half a shard's work: each of 64 machines has little more than one
        // item.
        let shards: [Int] = try catalog.values(
            "SELECT count(DISTINCT shard) FROM transfer JOIN item ON id = item_id GROUP BY substr(key, 1, 2) ORDER BY key"
        )
        switch count {
        case 1: #expect(shards == [1, 1, 1, 1])
        case 3: #expect(shards == [3, 1, 1, 1])
        default: #expect(shards[0] == 8)
        }
        #expect(try site.faults() == [])
        #expect(!FileManager.default.fileExists(atPath: site.workplace.directory.path("out/.runner/shards")))

        // A second merge changes nothing, and the next run asks as after any other.
        let rows: [String] = try catalog.values("SELECT item_id || outcome || started_at || shard FROM transfer")
        #expect(try site.merge().ending == .exit(0))
        let again: [String] = try site.workplace.catalog().values(
            "SELECT item_id || outcome || started_at || shard FROM transfer")
        #expect(again == rows)
        #expect(try site.workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(site.requests.dropFirst(0).count { $0["If-None-Match"] != nil } == 75)
    }

    @Test("a machine that is killed is done again from its last checkpoint, and nothing is lost")
    func killed() throws {
        let site = try ShardSite([150], transfer: ["rate: 25/s"])
        #expect(try site.carve(1).ending == .exit(0))
        let first = try site.start(0, ["--checkpoint", "100ms"])
        try first.waitForErrors { text in
            text.split(separator: "\n").contains { $0.hasSuffix(" of 150 items") && !$0.hasSuffix(" 0 of 150 items") }
        }
        first.send(SIGKILL)
        #expect(try first.wait().ending == .signal(SIGKILL))
        let merged = try site.merge()
        #expect(merged.ending == .exit(1))
        #expect(merged.errors.contains("runner shard run"))
        let home: [String] = try site.workplace.catalog().values(
            "SELECT key FROM transfer JOIN item ON id = item_id")
        #expect((1..<150).contains(home.count))
        #expect(try site.workplace.catalog().contradictions() == [])

        #expect(try site.work(0).ending == .exit(0))
        #expect(try site.merge().ending == .exit(0))
        #expect(site.workplace.files().count == 150)
        #expect(try site.workplace.catalog().values("SELECT attempt FROM shard") == [2])
        // What had come home was not asked again.
        let asked = Dictionary(grouping: site.requests, by: \.target).mapValues(\.count)
        #expect(asked.count == 150)
        #expect(home.allSatisfy { asked["/" + $0.dropFirst()] == 1 })
        #expect(try site.faults() == [])
    }

    @Test("the same shard twice at once does no harm, even where each reply has other bytes")
    func twice() throws {
        let site = try ShardSite([40]) { .ok("\($0.path) \(UInt64.random(in: 0 ... .max))") }
        #expect(try site.carve(1).ending == .exit(0))
        let programs = [try site.start(0), try site.start(0)]
        for program in programs { #expect(try program.wait().ending == .exit(0)) }
        #expect(try site.merge().ending == .exit(0))
        #expect(site.workplace.files() == (0..<40).map { "list/h0_\($0).bin" }.sorted())
        #expect(try site.faults() == [])
    }

    @Test("SIGTERM ends a machine in good order, and the next goes on from there")
    func terminated() throws {
        let site = try ShardSite([300], transfer: ["rate: 100/s"])
        #expect(try site.carve(1).ending == .exit(0))
        let first = try site.start(0)
        try site.servers[0].waitForRequests(40)
        first.send(SIGTERM)
        let ended = try first.wait()
        #expect(ended.ending == .exit(1))
        #expect(ended.lines.count == 1)
        let asked = site.requests.count
        #expect(try site.work(0).ending == .exit(0))
        #expect(try site.merge().ending == .exit(0))
        #expect(asked < 300)
        #expect(site.requests.count == 300)
        #expect(try site.faults() == [])
    }

    @Test("merging while others work names what is missing, and the run goes on")
    func during() throws {
        let site = try ShardSite([10, 10, 10, 10])
        #expect(try site.carve(2, ["--set", "transfer.per_host=1"]).ending == .exit(0))
        #expect(try site.work(0).ending == .exit(0))
        let merged = try site.merge()
        #expect(merged.ending == .exit(1))
        #expect(merged.errors.contains("/shards/0001.shard"))
        #expect(try site.workplace.catalog().values("SELECT outcome FROM run") == ["running"])
        #expect(try site.work(1).ending == .exit(0))
        #expect(try site.merge().ending == .exit(0))
        #expect(try site.workplace.catalog().values("SELECT outcome FROM run") == ["complete"])
        let report = try site.workplace.run(["report", "list", "--shards", "--format", "json"])
        #expect(report.output.contains("\"nodes\": ["))
        #expect(report.output.contains("\"number\": 1"))
        #expect(try site.faults() == [])
    }

    @Test("failures come home as failures, with the host that was throttled")
    func failures() throws {
        let site = try ShardSite([6, 6], rest: ["allow_failed: 2"]) { request in
            request.path.hasSuffix("/3") ? .status(404) : .ok("the body of \(request.path)")
        }
        #expect(try site.carve(2).ending == .exit(0))
        for number in 0..<2 { #expect(try site.work(number).ending == .exit(0)) }
        #expect(try site.merge().ending == .exit(0))
        #expect(
            try site.workplace.catalog().values("SELECT outcome || ' ' || downloaded || ' ' || failed FROM run")
                == ["partial 10 2"])
        // They are known from now on.
        let asked = site.requests.count
        #expect(try site.workplace.run(["job.yaml", "--failed"]).ending != .exit(75))
        #expect(site.requests.count == asked + 2)
    }

    @Test("what needs no request is settled where the list is read, and what is listed no more is gone")
    func settled() throws {
        let site = try ShardSite([4, 4]) { .ok("the body of \($0.path)", headers: [("Cache-Control", "max-age=3600")]) }
        #expect(try site.workplace.run(["job.yaml"]).ending == .exit(0))
        let all = try site.carve(2)
        #expect(all.ending == .exit(0))
        #expect(all.errors.contains("nothing is to be asked"))
        #expect(site.workplace.files(below: "shards") == [])
        try site.workplace.writeJob(
            source: ["items:", "  - {key: h0/0, url: '\(site.servers[0].url("/0/0"))'}"]
                + ["  - {key: new, url: '\(site.servers[0].url("/new"))'}"])
        #expect(try site.carve(1).ending == .exit(0))
        #expect(try site.work(0).ending == .exit(0))
        #expect(try site.merge().ending == .exit(0))
        let states: [String] = try site.workplace.catalog().values("SELECT state FROM item ORDER BY id")
        #expect(states == ["stored"] + Array(repeating: "gone", count: 7) + ["stored"])
        #expect(site.requests.count == 9)
        #expect(try site.faults() == [])
    }

    @Test("a machine without the shared folder, or without a variable, says so and stores nothing")
    func unfit() throws {
        let site = try ShardSite([3], transfer: ["headers: {X-Key: '${SHARD_KEY}'}"])
        let variables = ["SHARD_KEY": "sesame-open"]
        let carved = try site.workplace.run(
            ["shards", "job.yaml", "--count", "1", "--to", "shards"], environment: variables)
        #expect(carved.ending == .exit(0))
        let shard = ["shard", "run", "shards/0000.shard"]
        #expect(try site.workplace.run(shard).ending == .exit(78))
        try FileManager.default.moveItem(
            atPath: site.workplace.directory.path("out"), toPath: site.workplace.directory.path("elsewhere"))
        let lost = try site.workplace.run(shard, environment: variables)
        #expect(lost.ending == .exit(2))
        #expect(lost.errors.contains("is the shared folder mounted?"))
        #expect(site.requests.isEmpty)
        // A folder of its own is its word.
        #expect(try site.workplace.run(shard + ["--output", "own"], environment: variables).ending == .exit(0))
        #expect(site.workplace.files(below: "own").count == 3)
        #expect(site.requests.allSatisfy { $0["X-Key"] == "sesame-open" })
        let bytes = site.workplace.read("shards/0000.shard") ?? []
        #expect(!String(decoding: bytes, as: UTF8.self).contains("sesame-open"))
    }

    @Test("gc and reset take away what machines kept of a run that is over without them")
    func swept() throws {
        let site = try ShardSite([3])
        func kept() -> [String] { site.workplace.directory.names(in: "out/.runner/shards") }
        #expect(try site.carve(1).ending == .exit(0))
        #expect(try site.work(0).ending == .exit(0))
        #expect(kept() == ["1-0"])
        // The run has not ended: another attempt may need it.
        #expect(try site.workplace.run(["gc", "list"]).ending == .exit(0))
        #expect(kept() == ["1-0"])
        #expect(try site.merge().ending == .exit(0))
        #expect(kept() == [])
        for command in [["gc", "list"], ["reset", "list", "--yes"]] {
            try site.workplace.directory.makeFolder("out/.runner/shards/1-0/late/parts")
            try site.workplace.directory.write("part", to: "out/.runner/shards/1-0/late/parts/7")
            #expect(try site.workplace.run(command).ending == .exit(0))
            #expect(kept() == [])
        }
    }

    @Test("what a carving that was killed left gives way, and merges nothing")
    func brokenOff() throws {
        let site = try ShardSite([3])
        #expect(try site.carve(1).ending == .exit(0))
        let catalog = try Connection(path: site.workplace.database, mode: .readWrite)
        try catalog.execute("DELETE FROM shard")
        catalog.close()
        let merged = try site.merge()
        #expect(merged.ending == .exit(2))
        #expect(merged.errors.contains("was broken off"))
        #expect(try site.carve(1).ending == .exit(0))
        #expect(try site.work(0).ending == .exit(0))
        #expect(try site.merge().ending == .exit(0))
        // What a machine of the run before leaves late is nothing to the next run.
        let late = site.workplace.read("shards/0000.done") ?? []
        #expect(try site.carve(1).ending == .exit(0))
        try site.workplace.directory.write(late, to: "shards/0000.part")
        #expect(try site.merge().ending == .exit(1))
        #expect(try site.work(0).ending == .exit(0))
        #expect(try site.merge().ending == .exit(0))
        #expect(try site.faults() == [])
    }

    @Test(
        "the files for an engine are shown without anything being listed",
        arguments: ["slurm", "kubernetes", "parallel"])
    func printed(_ engine: String) throws {
        let site = try ShardSite([3])
        let shown = try site.workplace.run(["submit", "job.yaml", "--engine", engine, "--count", "7", "--print"])
        #expect(shown.ending == .exit(0))
        #expect(
            shown.output.contains(
                engine == "slurm" ? "#SBATCH --array=0-6" : engine == "parallel" ? "parallel " : "completions: 7"))
        #expect(!FileManager.default.fileExists(atPath: site.workplace.database))
    }

    @Test("with --failed machines ask for what failed, and for nothing else")
    func failedOnly() throws {
        let isBroken = Monitor(true)
        let site = try ShardSite([6, 6]) { request in
            isBroken.withLock(\.self) && request.path.hasSuffix("/3")
                ? .status(404) : .ok("the body of \(request.path)")
        }
        #expect(try site.workplace.run(["job.yaml"]).ending == .exit(1))
        isBroken.withLock { $0 = false }
        let asked = site.requests.count
        let carved = try site.carve(2, ["--failed"])
        #expect(carved.ending == .exit(0))
        #expect(carved.errors.contains("2 items in 2 shards"))
        for number in 0..<2 { #expect(try site.work(number).ending == .exit(0)) }
        #expect(try site.merge().ending == .exit(0))
        #expect(Set(site.requests.dropFirst(0).map(\.target)).count == 12 && site.requests.count == asked + 2)
        let catalog = try site.workplace.catalog()
        #expect(try catalog.number("SELECT count(*) FROM item WHERE state = 'stored'") == 12)
        #expect(
            try catalog.values(
                "SELECT outcome || ' ' || downloaded || ' ' || selection FROM run ORDER BY id DESC LIMIT 1")
                == ["complete 2 {\"failed\":true}"])
        #expect(try site.faults() == [])
        // Nothing is left that failed.
        let again = try site.carve(2, ["--failed=http"])
        #expect(again.ending == .exit(0) && again.errors.contains("nothing is to be asked"))
    }
}
