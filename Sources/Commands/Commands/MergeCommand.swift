import Catalog
import Jobs
import Reports
import SQLite
import Shards
import Synchronization
import System

/// `runner merge`: what came home, and what is missing.
struct MergeCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    /// Between two looks at the folder.
    private static let interval = Duration.seconds(2)
    /// Missing shards that are named one by one.
    private static let mostNamed = 20

    func run() async -> ExitCode {
        do {
            let database = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let merge = ShardMerge(ShardFolder(path: options.operands[0]), database: database)
            let console = console
            let isStopped = Mutex(false)
            let signals = SignalWatch(stop: { _ in isStopped.withLock { $0 = true } }, abort: {})
            defer { signals.cancel() }
            var told = -1
            while true {
                let progress = try await offPool { Result { try merge.run() } }.get()
                let isOver = progress.missing.isEmpty || !options.follows || isStopped.withLock { $0 }
                if progress.settled != told || isOver {
                    console.tell(
                        "\(progress.job): run \(progress.run): \(progress.finished) of \(progress.shards) shards, "
                            + "\(countText(Int64(progress.settled))) of \(countText(Int64(progress.items))) items")
                    told = progress.settled
                }
                if isOver {
                    if let signal = signals.received { return .signal(signal) }
                    return end(progress, merge)
                }
                try await Task.sleep(for: Self.interval)
            }
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    private func end(_ progress: ShardMerge.Progress, _ merge: ShardMerge) -> ExitCode {
        progress.faults.forEach { console.tell(displayable($0)) }
        for shard in progress.missing.prefix(Self.mostNamed) {
            let file = shellWord(displayable(shard.file))
            console.tell(
                shard.isCarved
                    ? "shard \(shard.number): \(shard.settled) of \(shard.items) items: runner shard run \(file)"
                    : "shard \(shard.number): \(file) is gone: carve anew for its items")
        }
        let more = progress.missing.count - Self.mostNamed
        if more > 0 { console.tell("… and \(more) more \(more == 1 ? "shard" : "shards")") }
        guard let outcome = progress.outcome else { return .partial }
        console.tell("\(progress.job): run \(progress.run) is \(outcome), \(progress.failed) failed")
        console.tell("more: runner report \(progress.job) --shards\(context.databaseClause(options))")
        switch outcome {
        case "complete": return .success
        case "failed": return .failed
        default: return isAllowed(progress, merge.database) ? .success : .partial
        }
    }

    /// Whether the job file, where it can be read, lets so many failures pass.
    private func isAllowed(_ progress: ShardMerge.Progress, _ database: String) -> Bool {
        guard let catalog = try? CatalogLocation.openForReading(database) else { return false }
        defer { catalog.close() }
        guard let job = try? context.job(named: progress.job, from: catalog) else { return false }
        let known = job.knownFailures == .ignore ? progress.knownFailures : 0
        return job.allowedFailures.allows(progress.failed - known, of: progress.total)
    }
}
