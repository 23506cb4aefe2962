import Catalog
import Dispatch
import Reports
import SQLite
import System

/// `runner recents`, `runner search` and `runner favourites`: the lists of the page, as lines.
struct ItemListCommand {
    let command: Command
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    /// Rows that are read at a time.
    private static let batch = 500

    func run() async -> ExitCode {
        guard options.format == .text || options.format == .json else {
            return context.refuse("\(command.rawValue) writes text or json", usage: command.usage)
        }
        return await offPool { self.list() }
    }

    private func list() -> ExitCode {
        do {
            let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let catalog = try CatalogLocation.openForReading(path)
            defer { catalog.close() }
            var table = ItemTable(console: console, isJSON: options.format == .json, catalog: catalog)
            var fault: (any Error)?
            var code = ExitCode.success
            let delivered = console.deliver {
                do {
                    if !(try write(to: &table, catalog)) { code = .invalidJob }
                    try table.end()
                } catch let error as OutputError {
                    throw error
                } catch {
                    fault = error
                }
            }
            if let fault { throw fault }
            return delivered == .success ? code : delivered
        } catch let error as UpkeepError {
            return context.refuse(context.message(error), usage: command.usage)
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    /// - Returns: false after words on stderr.
    private func write(to table: inout ItemTable, _ catalog: Connection) throws -> Bool {
        switch command {
        case .recents:
            try table.print(try PageItemRow.rows(try PageMarks.recents(from: catalog), from: catalog))
        case .favourites:
            guard let jobs = try context.jobs(options, on: catalog) else { return false }
            var cursor: PageCursor?
            repeat {
                let page = try PageMarks.favourites(section: nil, after: cursor, limit: Self.batch, from: catalog)
                let rows = try PageItemRow.rows(page.ids, from: catalog)
                try table.print(options.job == nil ? rows : rows.filter { jobs.contains($0.job) })
                cursor = page.next
            } while cursor != nil
        default:
            guard let jobs = try context.jobs(options, on: catalog) else { return false }
            try search(jobs, to: &table, catalog)
        }
        return true
    }

    private func search(_ jobs: [String], to table: inout ItemTable, _ catalog: Connection) throws {
        var left = options.limit ?? .max
        for job in jobs {
            var list = PageList(job: job)
            list.setWords(options.operands.joined(separator: " "))
            var cursor: PageCursor?
            repeat {
                guard left > 0 else { return }
                let page = try list.page(after: cursor, limit: min(left, Self.batch), from: catalog)
                left -= page.ids.count
                try table.print(try PageItemRow.rows(page.ids, from: catalog))
                cursor = page.next
            } while cursor != nil
        }
    }
}
