import Core
import Files
import Glibc
import Reports
import SQLite
import YAML

/// `runner show`: what is known of one item.
struct ShowCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() -> ExitCode {
        let (operand, key) = (options.operands[0], options.operands[1])
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
                guard let report = try ItemReport(job: name, key: key, from: connection, now: now) else { continue }
                // Without the job file, as when its variables are not set, the rest is shown.
                let job = try jobs.first { $0.name == name } ?? known(name, from: connection)
                let request = job.map { CurlCommand.text(for: report.url, of: $0, runnerVersion: runnerVersion) }
                return console.deliver {
                    try report.write(request: request) { bytes in try console.output.write(bytes) }
                }
            }
            return refuse("\(names.joined(separator: ", ")) has no item '\(key)'; runner plan lists the keys")
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

    /// The job as its file has it now; nil when it can't be read.
    private func known(_ name: String, from connection: Connection) throws -> Job? {
        let file: String? = try connection.value("SELECT file FROM job WHERE name = ?", name)
        guard let file else { return nil }
        let loader = JobLoader(registry: context.registry, environment: context.environment)
        let loaded = loader.load([file])
        return loaded.hasErrors ? nil : loaded.jobs.first { $0.name == name }
    }
}
