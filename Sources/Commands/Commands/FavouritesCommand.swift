import Catalog
import Reports
import SQLite
import System

/// `runner favourites`: lists them, or marks items as favourites or as none.
struct FavouritesCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        guard let word = options.operands.first else {
            return await ItemListCommand(command: .favourites, options: options, context: context).run()
        }
        guard word == "add" || word == "remove" else {
            return refuse("unknown action '\(word)'; add or remove, or nothing for the list")
        }
        let words = Array(options.operands.dropFirst())
        guard !words.isEmpty else { return refuse("\(word) needs the key of an item") }
        return await offPool { self.mark(words, isOn: word == "add") }
    }

    private func refuse(_ message: String) -> ExitCode {
        context.refuse(message, usage: Command.favourites.usage)
    }

    private func mark(_ words: [String], isOn: Bool) -> ExitCode {
        do {
            let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let catalog = try CatalogLocation.openExisting(path)
            defer { catalog.close() }
            guard let jobs = try context.jobs(options, on: catalog) else { return .invalidJob }
            let ids = try ItemNames.find(words, in: jobs, on: catalog)
            let now = wallClockMicroseconds()
            var count = 0
            try catalog.transaction {
                for id in ids where try PageMarks.isFavourite(id, in: catalog) != isOn {
                    _ = try PageMarks.setFavourite(id, isOn, now: now, in: catalog)
                    count += 1
                }
            }
            let change = isOn ? "added to" : "removed from"
            let others = ids.count - count
            let rest =
                isOn
                ? "\(others) \(others == 1 ? "was one" : "were some") before"
                : "\(others) \(others == 1 ? "was none" : "were none")"
            console.tell(
                "\(count == 0 ? "nothing was" : counted(count, "item")) \(change) the favourites"
                    + (others == 0 ? "" : "; \(rest)"))
            return .success
        } catch let error as UpkeepError {
            return refuse(context.message(error))
        } catch let error as ItemNameError {
            return refuse(error.message)
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }
}
