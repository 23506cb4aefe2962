import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// What is not carved, worked on or merged, and with which words.
@Suite("End to end: shards that are refused", .wholeProgramLimit)
struct ShardRefusalTests {
    @Test(
        "what is no shard is a usage error that says so, and no engine tries it again",
        arguments: [".", "/dev/null", "pipe", "text", "empty", "catalog.sqlite"])
    func noShard(_ name: String) throws {
        let site = try ShardSite([1])
        #expect(try site.workplace.run(["job.yaml"]).ending == .exit(0))
        try site.workplace.directory.write("some text\n", to: "text")
        try site.workplace.directory.write("", to: "empty")
        try #require(mkfifo(site.workplace.directory.path("pipe"), 0o600) == 0)
        let result = try site.workplace.run(["shard", "run", name])
        #expect(result.ending == .exit(64))
        let path = name.hasPrefix("/") ? name : site.workplace.directory.path(name)
        #expect(result.errors.contains("\(path) is no shard: "))
        // A copy of it has a name that nobody knows.
        #expect(!result.errors.contains("shard.sqlite"))
    }

    @Test("a folder for shards that can't be is refused with the reason")
    func foldersForShards() throws {
        let site = try ShardSite([1])
        try site.workplace.directory.write("text", to: "file")
        for folder in ["file", "file/below"] {
            let result = try site.workplace.run(["shards", "job.yaml", "--count", "1", "--to", folder])
            #expect(result.ending == .exit(2))
            #expect(
                result.errors.contains(
                    "can't make the folder \(site.workplace.directory.path("file")): it is there, and no folder"))
        }
        for folder in ["out", "out/shards", "out/.runner/shards", "x/../out/shards"] {
            let result = try site.workplace.run(["shards", "job.yaml", "--count", "1", "--to", folder])
            #expect(result.ending == .exit(64))
            #expect(result.errors.contains("is in the output directory of the job 'list'"))
        }
        #expect(site.workplace.files() == [])
    }

    @Test("shards that are out keep others from being carved, until their folder is removed")
    func carvedTwice() throws {
        let site = try ShardSite([4])
        #expect(try site.carve(2).ending == .exit(0))
        func second() throws -> RunningProgram.Result {
            try site.workplace.run(["shards", "job.yaml", "--count", "2", "--to", "more"])
        }
        let folder = site.workplace.directory.path("shards")
        let refused = try second()
        #expect(refused.ending == .exit(2))
        #expect(refused.errors.contains("run 1 of 'list' is in shards in \(folder), and they have not all come home"))
        #expect(site.workplace.files(below: "more") == [])
        #expect(try site.workplace.catalog().values("SELECT count(*) FROM run") == [1])
        try FileManager.default.removeItem(atPath: folder)
        let carved = try second()
        #expect(carved.ending == .exit(0))
        #expect(carved.errors.contains("run 1 has ended: its shards are not in \(folder) any more"))
        #expect(
            try site.workplace.catalog().values("SELECT outcome FROM run ORDER BY id") == ["interrupted", "running"])
        #expect(try site.workplace.catalog().contradictions() == [])
    }

    @Test("a result that is damaged is named, and keeps the others from nothing")
    func damagedResult() throws {
        let site = try ShardSite([4])
        #expect(try site.carve(2).ending == .exit(0))
        #expect(try site.work(1).ending == .exit(0))
        try site.workplace.directory.write("text", to: "shards/0000.done")
        let merged = try site.merge()
        #expect(merged.ending == .exit(1))
        let file = site.workplace.directory.path("shards/0000.done")
        #expect(merged.errors.contains("\(file) is no shard"))
        #expect(merged.errors.contains("list: run 1: 1 of 2 shards"))
        #expect(!merged.errors.contains("--database FILE"))
        #expect(try site.work(0).ending == .exit(0))
        #expect(try site.merge().ending == .exit(0))
        #expect(try site.faults() == [])
    }

    @Test("a merge into another catalog, or none, names the one that the shards are of")
    func otherCatalog() throws {
        let site = try ShardSite([2])
        #expect(try site.carve(1).ending == .exit(0))
        let database = site.workplace.database
        let missing = try site.workplace.run(["merge", "shards", "--database", "missing.sqlite"])
        #expect(missing.ending == .exit(2))
        #expect(
            missing.errors.contains("missing.sqlite is not there") && missing.errors.contains("--database \(database)"))
        #expect(
            try site.workplace.run(["job.yaml", "--database", "other.sqlite", "--set", "output.directory=o"]).ending
                == .exit(0))
        let other = try site.workplace.run(["merge", "shards", "--database", "other.sqlite"])
        #expect(other.ending == .exit(2))
        #expect(other.errors.contains("other.sqlite is another") && other.errors.contains("--database \(database)"))
        for suffix in ["", "-wal", "-shm"] { site.workplace.remove("catalog.sqlite\(suffix)") }
        let gone = try site.workplace.run(["merge", "shards"])
        #expect(gone.ending == .exit(2))
        #expect(gone.errors.contains("put a backup back") && !gone.errors.contains("--database"))
    }

    @Test("what is no shard, or of another catalog, is refused")
    func refused() throws {
        let site = try ShardSite([3])
        try site.workplace.directory.write("nothing", to: "other.shard")
        #expect(try site.workplace.run(["shard", "run", "other.shard"]).ending == .exit(64))
        #expect(try site.workplace.run(["shard", "run", "missing.shard"]).ending == .exit(75))
        #expect(try site.workplace.run(["shard", "go", "other.shard"]).ending == .exit(64))
        #expect(try site.workplace.run(["merge", "nowhere"]).ending == .exit(2))
        #expect(try site.workplace.run(["shards", "job.yaml", "--to", "shards"]).ending == .exit(64))
        #expect(try site.carve(1).ending == .exit(0))
        let again = try site.carve(2)
        #expect(again.ending == .exit(2))
        #expect(again.errors.contains("has the shards of a run that has not ended"))
        let other = try site.workplace.run(["merge", "shards", "--database", "other.sqlite"])
        #expect(other.ending == .exit(2))
        let limited = try site.workplace.run(
            ["shards", "job.yaml", "--count", "1", "--to", "more", "--set", "output.max_bytes=1MB"])
        #expect(limited.ending == .exit(78))
    }
}
