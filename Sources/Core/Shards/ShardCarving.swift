import Catalog
import Files
import Glibc
import HTTP
package import Jobs
import Model
package import Run
import SQLite
import SourceKit
import Synchronization
import System

/// `runner shards`: lists once, settles what needs no request, and carves the rest.
package struct ShardCarving: Sendable {
    let job: Job
    let options: SessionOptions
    /// The text of the job file.
    let text: [UInt8]
    let folder: ShardFolder
    let size: Size

    /// How many shards there are to be.
    package enum Size: Sendable {
        case count(Int)
        /// As many as it takes for each to need at most so many microseconds.
        case time(Int64)
    }

    /// What was carved.
    package struct Carved: Sendable {
        package let list: CarvedList
        package let cut: ShardCut
    }

    package enum Ending: Sendable {
        case carved(Carved)
        case ended(JobEnding)
    }

    package init(_ job: Job, options: SessionOptions, text: [UInt8], to folder: ShardFolder, _ size: Size) {
        self.job = job
        self.options = options
        self.text = text
        self.folder = folder
        self.size = size
    }

    /// Why the job can't be carved; nil where it can.
    package static func refusal(of job: Job) -> String? {
        guard job.output.maximumBytes != nil else { return nil }
        return "output.max_bytes is about all files of a job, and no machine sees those of the others: "
            + "leave it out with --set output.max_bytes=null"
    }

    /// - Parameter warn: called with what the source warns of.
    package func run(warn: @escaping @Sendable (String) -> Void) async throws -> Ending {
        try folder.make(database: options.database)
        let carved = Mutex<Carved?>(nil)
        let ending = try await ListCarving.make(
            job, options: options, to: folder.path, warn: warn,
            begin: { try endLostRuns(warn, on: $0) }
        ) { list, catalog in
            let times = try times(ofRunsBefore: list.run, on: catalog)
            let count =
                switch size {
                case .count(let count): count
                case .time(let time):
                    min(
                        ShardFolder.mostShards,
                        ShardCut.count(of: list.items, times: times, job.transfer, within: time))
                }
            let cut = ShardCut(list.items, times: times, job.transfer, count: count)
            do {
                try write(cut, list, on: catalog)
            } catch {
                folder.removeShards(count)
                throw error
            }
            carved.withLock { $0 = Carved(list: list, cut: cut) }
            return cut.shards.enumerated().map { ShardRow(number: $0.offset, items: $0.element.items) }
        }
        switch ending {
        case .ended(let ending): return .ended(ending)
        case .carved:
            guard let carved = carved.withLock({ $0 }) else { preconditionFailure("carved without a cut") }
            return .carved(carved)
        }
    }

    /// Ends the runs of the job whose shards are gone.
    ///
    /// - Throws: ``CatalogError`` where those of one are there: two runs at once would ask for the same items.
    private func endLostRuns(_ warn: (String) -> Void, on catalog: Connection) throws {
        for (run, place) in try ShardRows.carriedRuns(ofJob: job.name, on: catalog) {
            if let place, try ShardFolder(path: place).has(run: run, of: catalog) {
                throw CatalogError(
                    "run \(run) of '\(job.name)' is in shards in \(place), and they have not all come home: runner merge "
                        + "\(place) names those that are missing; to give the run up, remove that folder")
            }
            try RunRows.finish(
                run, .interrupted, detail: "its shards are gone", on: catalog, now: wallClockMicroseconds())
            warn("run \(run) has ended: its shards are not in \(place ?? "their folder") any more")
        }
    }

    /// What transfers took in the last run: the median of each host.
    private func times(ofRunsBefore run: Int64, on catalog: Connection) throws -> [HTTPOrigin: Int64] {
        var samples: [HTTPOrigin: [Int64]] = [:]
        var last: WebURL?
        try CarriedRun.forEachTime(beforeRun: run, ofJob: job.name, on: catalog) { text, time in
            guard let url = try? WebURL(text, reusingOriginOf: last) else { return }
            last = url
            samples[url.origin, default: []].append(min(time, 3_600_000_000))
        }
        return samples.mapValues { $0.sorted()[$0.count / 2] }
    }

    private func write(_ cut: ShardCut, _ list: CarvedList, on catalog: Connection) throws {
        let scratch = try ScratchFolder(for: "shards")
        defer { scratch.remove() }
        try ShardFile.assign(zip(list.items, cut.places).map { ($0.id, $1) }, on: catalog)
        let identity = try OwnershipRows.identity(of: catalog)
        for (number, shard) in cut.shards.enumerated() {
            let parts = Dictionary(uniqueKeysWithValues: shard.parts.map { ($0.key.description, $0.value) })
            let head = ShardHead(
                run: list.run, number: number, shards: cut.shards.count, catalog: identity,
                database: options.database, job: job.name, file: job.file, text: text, overrides: options.overrides,
                isRefreshing: options.selection.isRefreshing, parts: parts)
            let path = "\(scratch.path)/\(number)"
            try ShardFile.make(head, at: path, items: shard.items, from: catalog)
            try ShardFile.seal(path)
            try WholeCopy.write(path, to: folder.file(number, .shard), mark: "carved")
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        }
    }
}
