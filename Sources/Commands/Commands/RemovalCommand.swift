import Catalog
import Reports
import SQLite
import Storage
import System

/// `runner remove`: deletes the files of items, which no run fetches again; `runner restore` has the next run fetch them.
struct RemovalCommand {
    let command: Command
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        guard let names = context.jobNames([options.operands[0]], options) else { return .invalidJob }
        guard let name = names.first, names.count == 1 else {
            return refuse("the file has several jobs: \(names.joined(separator: ", ")); give the name of one")
        }
        let words = Array(options.operands.dropFirst())
        return await offPool { self.change(words, of: name) }
    }

    private func refuse(_ message: String) -> ExitCode {
        context.refuse(message, usage: command.usage)
    }

    private func change(_ words: [String], of name: String) -> ExitCode {
        do {
            let database = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let catalog = try CatalogLocation.openExisting(database)
            defer { catalog.close() }
            let known = try CatalogJob.names(on: catalog)
            guard known.contains(name) else { throw UpkeepError.unknownJob(name, known: known) }
            let ids = try ItemNames.find(words, in: [name], on: catalog)
            return try change(ids, of: name, database)
        } catch let error as UpkeepError {
            return refuse(context.message(error))
        } catch let error as ItemNameError {
            return refuse(error.message)
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    private func change(_ ids: [Int64], of name: String, _ database: String) throws -> ExitCode {
        let ending =
            try command == .remove
            ? ItemRemoval.remove(ids, database: database, environment: context.environment)
            : ItemRemoval.restore(ids, database: database, environment: context.environment)
        switch ending {
        case .busy(let job, let holder):
            console.tell(context.busyText(job: job, holder))
            return .locked
        case .done(let outcome):
            for path in outcome.changed {
                console.tell("\(name): \(path) stays: it was changed since it was stored, and is no longer the job's")
            }
            for fault in outcome.faults { console.tell("\(name): \(fault); it stays") }
            console.tell("\(name): \(summary(outcome, of: ids.count))")
            return outcome.faults.isEmpty ? .success : .failed
        }
    }

    /// `2 items removed; runner restore undoes it; 1 had been removed before`.
    private func summary(_ outcome: ItemRemoval.Outcome, of count: Int) -> String {
        let isRemoval = command == .remove
        let done = command.rawValue + "d"
        let rest = count - outcome.items - outcome.faults.count
        var parts: [String] = []
        if outcome.items > 0 {
            let consequence =
                isRemoval
                ? "runner restore undoes it"
                : outcome.items == 1
                    ? "the next run fetches it if its list has it" : "the next run fetches those that its list has"
            parts.append("\(counted(outcome.items, "item")) \(done); \(consequence)")
        } else {
            parts.append("nothing was \(done)")
        }
        if rest > 0 { parts.append("\(rest) had \(isRemoval ? "" : "not ")been removed\(isRemoval ? " before" : "")") }
        return parts.joined(separator: "; ")
    }
}
