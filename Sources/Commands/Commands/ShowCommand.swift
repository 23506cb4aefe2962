import Catalog
import Files
import Glibc
import Jobs
import Reports
import SQLite
import System
import YAML

/// `runner show`: what is known of one item.
struct ShowCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() -> ExitCode {
        let (operand, item) = (options.operands[0], options.operands[1])
        let isFile = context.namesFile(operand)
        var jobs: [Job] = []
        if isFile {
            guard let loaded = context.loadJobs(at: operand, options) else { return .invalidJob }
            jobs = loaded
        }
        do {
            let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let connection = try CatalogLocation.openForReading(path)
            defer { connection.close() }
            let names = isFile ? jobs.map(\.name) : [operand]
            for name in names {
                let now = wallClockMicroseconds()
                let keys = try ItemLookup.keys(item, of: name, on: connection)
                guard keys.count < 2 else {
                    let shown = keys.map(displayable).joined(separator: ", ")
                    return refuse("several of '\(name)' are called '\(item)'; give a key: \(shown)")
                }
                let key = keys.first ?? item
                guard let report = try ItemReport(job: name, key: key, from: connection, now: now) else { continue }
                // Without the job file, as when its variables are not set, the rest is shown.
                let job = try jobs.first { $0.name == name } ?? context.job(named: name, from: connection)
                let request = job.map { CurlCommand.text(for: report.url, of: $0, runnerVersion: runnerVersion) }
                let code = console.deliver {
                    try report.write(request: request) { bytes in try console.output.write(bytes) }
                }
                mark(name, key, database: path, now: now)
                return code
            }
            return refuse(
                "\(names.joined(separator: ", ")) has no item '\(item)'; runner report "
                    + "\(names.first ?? operand) --items lists them")
        } catch let error as ReportError {
            return refuse(context.message(error))
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    private func refuse(_ message: String) -> ExitCode {
        context.refuse(message, usage: Command.show.usage)
    }

    /// Notes that the item was viewed. Whoever may only read the catalog is shown the item all the same.
    private func mark(_ job: String, _ key: String, database: String, now: Int64) {
        do {
            try ViewMark.set(job: job, key: key, database: database, now: now)
        } catch ResultCode.readOnly {
            return
        } catch ResultCode.cannotOpen {
            return
        } catch {
            console.tell("\(job): the item can't be marked as viewed: \(error)")
        }
    }
}
