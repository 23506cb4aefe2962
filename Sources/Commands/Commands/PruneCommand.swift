import Catalog
import Files
import Reports
import System

/// `runner prune`: deletes old runs.
struct PruneCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        guard let age = options.pruneAge else {
            let message = "prune needs --runs-older-than AGE, as in --runs-older-than 90d"
            console.tell(UsageError(message: message, usage: Command.prune.usage).description)
            return .usage
        }
        do {
            let outcome = try await RunPruning.prune(
                startedBefore: wallClockMicroseconds() - age,
                database: try CatalogLocation.path(flag: options.database, environment: context.environment))
            let freed = outcome.sizeBefore - outcome.sizeAfter
            console.tell(
                "\(counted(outcome.runs, "run")) with \(counted(outcome.transfers, "transfer")) deleted; the catalog is now "
                    + byteText(outcome.sizeAfter) + (freed > 0 ? ", \(byteText(freed)) less than before" : ""))
            return .success
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }
}
