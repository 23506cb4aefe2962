import Catalog
import HTTP
import Jobs
import Model
import Reports
import Run
import Shards
import SourceKit

/// `runner shards`: a line for each shard on stdout, sums and what to do next on stderr.
struct ShardsCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        let size: ShardCarving.Size
        switch (options.shardCount, options.shardTime) {
        case (let count?, nil): size = .count(count)
        case (nil, let time?): size = .time(time)
        default: return context.refuse("shards needs --count or --hours, one of them", usage: Command.shards.usage)
        }
        guard let to = options.shardFolder else {
            return context.refuse("shards needs --to DIR, a folder that all machines have", usage: Command.shards.usage)
        }
        let loaded = await context.loadJobs(options, asking: .description)
        guard !loaded.hasErrors, let job = loaded.jobs.first else { return .invalidJob }
        guard loaded.jobs.count == 1 else {
            return context.refuse(
                "shards takes one job, and there are \(loaded.jobs.count)", usage: Command.shards.usage)
        }
        let database = try? CatalogLocation.path(flag: options.database, environment: context.environment)
        if let owner = OwnFiles([job], database: database).owner(ofDirectoryAround: to) {
            return context.refuse(
                "--to: \(displayable(to)) is in the output directory of the job '\(owner)', which has its files there; give "
                    + "a folder outside of it", usage: Command.shards.usage)
        }
        if let refusal = ShardCarving.refusal(of: job) {
            console.tell("\(job.name): error: \(refusal)")
            return .invalidJob
        }
        guard !context.refuseMoves(of: [job], options),
            let text = JobLoader(registry: context.registry, environment: context.environment).text(of: job.file)
        else { return .invalidJob }
        let console = console
        let folder = ShardFolder(path: to)
        do {
            let carving = ShardCarving(
                job, options: try context.sessionOptions(options), text: text, to: folder, size)
            let ending = try await carving.run { console.tell("warning  \(job.name): \($0)") }
            switch ending {
            case .carved(let carved): return print(carved, job, folder)
            case .ended(.ran(let run)):
                console.tell("\(job.name): nothing is to be asked: run \(run.run) is over, and there are no shards")
                return RunCommand.code(of: run)
            case .ended(.locked(let pid, let since)):
                console.tell(context.busyText(job: job.name, pid: pid, since: since))
                return .locked
            case .ended(.refused(let refusal)):
                console.tell("\(job.name): error: \(refusal)")
                return .invalidJob
            case .ended(.failed(let reason)):
                console.tell("\(job.name): failed: \(reason)")
                return .failed
            }
        } catch {
            console.tell("\(job.name): failed: \(job.trust.secrets.hide("\(error)"))")
            return .failed
        }
    }

    private func print(_ carved: ShardCarving.Carved, _ job: Job, _ folder: ShardFolder) -> ExitCode {
        let shards = carved.cut.shards
        let code = console.deliver {
            var table = TextTable(
                ["shard", "items", "hosts", "at least", "file"], isAligned: console.outputTerminal.isInteractive)
            let rows = shards.enumerated().map { number, shard in
                [
                    "\(number)", "\(shard.items)", "\(shard.hosts)", durationText(microseconds: shard.time),
                    folder.file(number, .shard),
                ]
            }
            try console.output.write(table.lines(for: rows))
        }
        let (items, settled) = (Int64(carved.list.items.count), carved.list.settled)
        var lines = [
            "\(job.name): run \(carved.list.run): \(countText(items)) items in \(shards.count) shards, "
                + "\(countText(Int64(settled))) settled without a request"
        ]
        let empty = shards.count { $0.items == 0 }
        if empty > 0 { lines.append("\(empty) of \(shards.count) shards have no items: there are few hosts") }
        if let slowest = carved.cut.slowest, shards.count > 1,
            slowest.time >= shards.map(\.time).max() ?? 0, slowest.time > 60_000_000
        {
            lines.append(
                "\(slowest.origin) alone takes \(durationText(microseconds: slowest.time)) at the limits of the job, on "
                    + "however many machines")
        }
        let path = shellWord(displayable(folder.path))
        lines.append("each machine: runner shard run \(path)/NUMBER.shard")
        lines.append("then here:    runner merge \(path)\(context.databaseClause(options))")
        lines.forEach(console.tell)
        return code
    }
}
