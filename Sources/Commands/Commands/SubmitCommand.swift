import Catalog
import FoundationEssentials
import Glibc
import Reports
import Shards
import System

/// `runner submit`: carves, and hands the shards to an engine that is there.
struct SubmitCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        guard let engine = options.engine else {
            return context.refuse(
                "submit needs --engine \(ShardEngine.allCases.map(\.rawValue).joined(separator: "|"))",
                usage: Command.submit.usage)
        }
        var options = options
        let job = options.operands[0]
        let folder = ShardFolder(
            path: options.shardFolder ?? "\(job.hasSuffix(".yaml") ? String(job.dropLast(5)) : job).shards")
        options.shardFolder = folder.path
        do {
            let database = try CatalogLocation.path(flag: options.database, environment: context.environment)
            guard !options.printsOnly else { return print(engine, folder, database, count: options.shardCount) }
            let code = await ShardsCommand(options: options, context: context).run()
            let numbers = (try? folder.numbers()) ?? []
            guard code == .success, !numbers.isEmpty else { return code }
            let files = try files(engine, folder, database, count: numbers.count)
            for file in files {
                try WholeFile.write(to: "\(folder.path)/\(file.name)", permissions: 0o755, isRegularOnly: true) {
                    try $0.write(file.text)
                }
            }
            return await start(engine, folder, database)
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    private func files(
        _ engine: ShardEngine, _ folder: ShardFolder, _ database: String, count: Int
    ) throws -> [EngineFile] {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "runner"
        return engine.files(
            EngineSettings(
                folder: folder.path, database: database, program: program, count: count, atOnce: options.mostAtOnce,
                largestArray: engine == .slurm && !options.printsOnly ? Slurm.largestArray() : nil,
                image: options.image, volume: options.volume))
    }

    /// What would be written, on stdout; nothing is listed.
    private func print(
        _ engine: ShardEngine, _ folder: ShardFolder, _ database: String, count: Int?
    ) -> ExitCode {
        guard let count else {
            return context.refuse("submit --print needs --count", usage: Command.submit.usage)
        }
        return console.deliver {
            for file in try files(engine, folder, database, count: count) {
                try console.output.write("# \(displayable(folder.path))/\(file.name)\n\(file.text)")
            }
        }
    }

    private func start(_ engine: ShardEngine, _ folder: ShardFolder, _ database: String) async -> ExitCode {
        let path = shellWord(displayable(folder.path))
        switch engine {
        case .parallel:
            // What an earlier run finished says nothing of this one.
            unlink("\(folder.path)/joblog")
            // It is the command itself that waits, and merges at its end.
            let (script, console) = ("\(folder.path)/parallel.sh", console)
            let code = await offPool { Tool.run(["sh", script]) { console.tell($0) }.status }
            return code == 0 ? .success : code == 1 ? .partial : .failed
        case .kubernetes:
            let manifest = "\(folder.path)/job.yaml"
            // `create`: each run is a Job of its own.
            let created = await offPool { Tool.run(["kubectl", "create", "-f", manifest]) }
            guard created.status == 0 else { return complain("kubectl create -f \(manifest)", created.output) }
            console.tell(created.output)
            guard options.waits else {
                console.tell("then: runner merge \(path) --follow\(context.databaseClause(options))")
                return .success
            }
            return await merge(folder)
        case .slurm:
            let script = "\(folder.path)/array.sbatch"
            let array = await offPool { Tool.run(["sbatch", "--parsable", script]) }
            guard array.status == 0, let id = array.output.split(whereSeparator: { ";\n".contains($0) }).first else {
                return complain("sbatch \(script)", array.output)
            }
            console.tell("array \(id): squeue -j \(id)")
            if options.waits { return await wait(forArray: String(id), folder) }
            // The catalog is on a disk of this machine.
            let machine = hostName().prefix { $0 != "." }
            let isNode = await offPool { Tool.run(["scontrol", "show", "node", String(machine)]).status == 0 }
            guard isNode else {
                console.tell(
                    "this machine is no node of the cluster, and the catalog is here; when the array is over: "
                        + "runner merge \(path)\(context.databaseClause(options))")
                return .success
            }
            let merge = await offPool {
                Tool.run([
                    "sbatch", "--parsable", "--dependency=afterany:\(id)", "--nodelist=\(machine)",
                    "\(folder.path)/merge.sbatch",
                ])
            }
            guard merge.status == 0 else { return complain("sbatch \(folder.path)/merge.sbatch", merge.output) }
            console.tell("merge \(merge.output.filter { $0 != "\n" }), after the array")
            return .success
        }
    }

    private func complain(_ command: String, _ output: String) -> ExitCode {
        console.complain("the shards are carved, and \(command) failed: \(output)")
        return .failed
    }

    /// Waits for the array, and merges.
    private func wait(forArray id: String, _ folder: ShardFolder) async -> ExitCode {
        while await offPool({ Slurm.isQueued(id) }) {
            try? await Task.sleep(for: .seconds(2))
        }
        return await merge(folder)
    }

    private func merge(_ folder: ShardFolder) async -> ExitCode {
        var options = options
        options.operands = [folder.path]
        options.follows = engineRunsOn
        return await MergeCommand(options: options, context: context).run()
    }

    /// Whether the engine does not say when it is over.
    private var engineRunsOn: Bool { options.engine == .kubernetes }
}
