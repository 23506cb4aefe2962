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
            return try command == .remove ? remove(ids, of: name, database) : restore(ids, of: name, on: catalog)
        } catch let error as UpkeepError {
            return refuse(context.message(error))
        } catch let error as ItemNameError {
            return refuse(error.message)
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    private func remove(_ ids: [Int64], of name: String, _ database: String) throws -> ExitCode {
        switch try ItemRemoval.remove(ids, database: database, environment: context.environment) {
        case .busy(let job, let holder):
            console.tell(context.busyText(job: job, holder))
            return .locked
        case .done(let faults):
            for fault in faults { console.tell("\(name): \(fault); it stays") }
            console.tell("\(name): \(counted(ids.count - faults.count, "item")) removed; runner restore undoes it")
            return faults.isEmpty ? .success : .failed
        }
    }

    private func restore(_ ids: [Int64], of name: String, on catalog: Connection) throws -> ExitCode {
        let count = try catalog.transaction { try ItemRemoval.restore(ids, on: catalog) }
        let others = ids.count - count
        let rest = others > 0 ? "; \(others) had not been removed" : ""
        console.tell("\(name): \(counted(count, "item")) restored\(rest); the next run fetches what was")
        return .success
    }
}
