import Glibc
import HTTP
import SQLite
package import SourceKit
import SourcesAll

/// The program: reads the command line, runs the command, says how the process ends.
package enum CommandLineTool {
    /// Runs the process's command line and ends the process. Jobs may name the source modules in `registry`.
    ///
    /// To be called first of all on the main thread, which then only waits: a `main` that is `async` has files open before
    /// its first statement.
    package static func main(registry: SourceRegistry = .all) -> Never {
        Console.takeClosedDescriptors()
        var environment = processEnvironment()
        let serviceSocket = environment.removeValue(forKey: "NOTIFY_SOCKET")
        unsetenv("NOTIFY_SOCKET")
        let context = CommandContext(
            console: .standard(environment: environment), environment: environment, registry: registry,
            serviceSocket: serviceSocket)
        // A higher priority asks for a nice value that only root may have, which libdispatch reports to syslog.
        Task(priority: .medium) { await run(Array(CommandLine.arguments.dropFirst()), context).end() }
        while true { pause() }
    }

    static func run(_ arguments: [String], _ context: CommandContext) async -> ExitCode {
        let console = context.console
        let parser = ArgumentParser(fileExists: { access($0, F_OK) == 0 })
        do {
            switch try parser.parse(arguments) {
            case .nothing:
                console.tell(HelpText.overview)
                return .usage
            case .help(let command):
                return print(command.map { HelpText.page(of: $0) } ?? HelpText.overview, console)
            case .version:
                return print(versionLine + "\n", console)
            case .command(let command, let options):
                return await run(command, options, context)
            }
        } catch {
            console.tell(error.description)
            return .usage
        }
    }

    private static func run(_ command: Command, _ options: Options, _ context: CommandContext) async -> ExitCode {
        switch command {
        case .run: await RunCommand(options: options, context: context).run()
        case .`init`: InitCommand(options: options, context: context).run()
        case .check: await CheckCommand(options: options, context: context).run()
        case .plan: await PlanCommand(options: options, context: context).run()
        case .status: await StatusCommand(options: options, context: context).run()
        case .control: await ControlCommand(options: options, context: context).run()
        case .schedule: await ScheduleCommand(options: options, context: context).run()
        case .report: ReportCommand(options: options, context: context).run()
        case .export: ExportCommand(options: options, context: context).run()
        case .show: ShowCommand(options: options, context: context).run()
        case .search, .recents: await ItemListCommand(command: command, options: options, context: context).run()
        case .favourites: await FavouritesCommand(options: options, context: context).run()
        case .remove, .restore: await RemovalCommand(command: command, options: options, context: context).run()
        case .verify: await VerifyCommand(options: options, context: context).run()
        case .reset: await ResetCommand(options: options, context: context).run()
        case .prune: await PruneCommand(options: options, context: context).run()
        case .gc: await GCCommand(options: options, context: context).run()
        case .thumbnails: await ThumbnailsCommand(options: options, context: context).run()
        case .web: await WebCommand(options: options, context: context).run()
        case .shards: await ShardsCommand(options: options, context: context).run()
        case .shard: await ShardCommand(options: options, context: context).run()
        case .merge: await MergeCommand(options: options, context: context).run()
        case .submit: await SubmitCommand(options: options, context: context).run()
        case .sources: await SourcesCommand(options: options, context: context).run()
        case .adopt:
            await RunCommand(
                options: {
                    var options = options
                    options.isAdopting = true
                    return options
                }(), context: context
            ).run()
        case .source: await SourceTestCommand(options: options, context: context).run()
        case .doctor: await DoctorCommand(options: options, context: context).run()
        case .completions: CompletionsCommand(options: options, context: context).run()
        case .man: ManCommand(options: options, context: context).run()
        case .help: print(HelpText.overview, context.console)
        }
    }

    /// `runner 0.1.0 libcurl/7.88.1 SQLite/3.40.1`.
    static var versionLine: String {
        "runner \(runnerVersion) libcurl/\(curlVersionText) SQLite/\(sqliteVersionText)"
    }

    private static func print(_ text: String, _ console: Console) -> ExitCode {
        console.deliver { try console.output.write(text) }
    }
}
