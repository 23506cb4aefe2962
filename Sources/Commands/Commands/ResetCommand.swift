import Catalog
import Reports
import Storage

/// `runner reset`: deletes what a job stored, after asking.
struct ResetCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        guard let names = context.jobNames([options.operands[0]], options) else { return .invalidJob }
        guard let name = names.first, names.count == 1 else {
            return refuse("the file has several jobs: \(names.joined(separator: ", ")); give the name of one")
        }
        if !options.isConfirmed, !console.canAsk {
            return refuse("reset asks before it deletes, and stdin is not a terminal; give --yes")
        }
        do {
            let database = try CatalogLocation.path(flag: options.database, environment: context.environment)
            var attempt = try await begin(name, database)
            if case .busy = attempt, let run = try RunStop.find(name, database: database, context.environment),
                !options.isConfirmed, console.ask("The run \(run.id) of the job '\(name)' is under way. Stop it first?")
            {
                console.tell("\(name): stopping; transfers in flight are allowed to finish")
                if let refusal = await RunStop.stop(run, database: database, context.environment) {
                    console.tell("\(name): the run cannot be stopped: \(refusal)")
                    return .locked
                }
                attempt = try await begin(name, database)
            }
            switch attempt {
            case .busy(let holder):
                console.tell(context.busyText(job: name, holder))
                if options.isConfirmed { console.tell("'runner control \(name) stop' ends the run that is under way") }
                return .locked
            case .ready(let reset):
                guard options.isConfirmed || console.ask(question(name, reset.part, reset.extent)) else {
                    await reset.cancel()
                    console.tell("\(name): nothing was deleted")
                    return .partial
                }
                tell(try await reset.run(), of: name, in: reset.extent.directory)
                return .success
            }
        } catch let error as UpkeepError {
            return refuse(context.message(error))
        } catch {
            console.tell("\(name): failed: \(error)")
            return .failed
        }
    }

    private func begin(_ name: String, _ database: String) async throws -> JobReset.Attempt {
        try await JobReset.begin(
            name, part: options.operands.dropFirst().first, database: database, environment: context.environment)
    }

    private func refuse(_ message: String) -> ExitCode {
        context.refuse(message, usage: Command.reset.usage)
    }

    private func question(_ name: String, _ part: JobReset.Part?, _ extent: JobReset.Extent) -> String {
        let what =
            switch part {
            case .collection(let key): "the collection '\(key)' of the job '\(name)'"
            case .item(let key): "'\(key)' of the job '\(name)'"
            case nil: "the job '\(name)'"
            }
        return "Delete \(counted(extent.items, "item")) of \(what) from the catalog, and "
            + "\(counted(extent.files, "file")) (\(byteText(extent.bytes))) in \(extent.directory)?"
    }

    private func tell(_ outcome: JobReset.Outcome, of name: String, in directory: String) {
        for (paths, reason) in [
            (outcome.strangers, "not a regular file"), (outcome.changed, "it was changed since it was written"),
        ] {
            for path in paths.prefix(50) { console.tell("\(name): \(directory)/\(path) stays: \(reason)") }
            let more = paths.count - 50
            if more > 0 { console.tell("\(name): and \(more) more \(more == 1 ? "stays" : "stay"): \(reason)") }
        }
        let missing = outcome.missing > 0 ? ", \(outcome.missing) more had gone before" : ""
        console.tell(
            "\(name): \(counted(outcome.items, "item")) and \(counted(outcome.files, "file")) deleted\(missing)")
    }
}
