import Catalog
import Files
import Reports
import SQLite
import System

/// `runner report`: what the catalog knows of past runs.
struct ReportCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() -> ExitCode {
        guard let names = context.jobNames(options.operands, options) else { return .usage }
        let now = wallClockMicroseconds()
        do {
            let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let connection = try CatalogLocation.openForReading(path)
            defer { connection.close() }
            let report = try makeReport(request(names, now: now), from: connection)
            guard let file = options.output, file != "-" else {
                return deliver(report, path, from: connection, now: now)
            }
            try WholeFile.write(to: file) { output in
                let text = ReportText(width: nil, database: context.databaseToName(path), now: now)
                try write(report, from: connection, text) { try output.write($0) }
            }
            return .success
        } catch let error as ReportError {
            return context.refuse(context.message(error), usage: Command.report.usage)
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    private func request(_ names: [String], now: Int64) -> ReportRequest {
        var request = ReportRequest()
        request.jobs = names
        request.since = options.since.map { now - $0 }
        request.items = options.showsItems
        request.collections = options.showsCollections
        request.failures = options.showsFailures
        request.slowest = options.slowest
        switch options.run ?? (options.since == nil ? .last : .all) {
        case .last: request.run = .last
        case .all: request.run = .all
        case .id(let id): request.run = .id(id)
        }
        let isOfSeveral = request.run == .all || (request.run == .last && names.isEmpty)
        request.isBrief = options.format == .text && !request.hasTables && isOfSeveral
        return request
    }

    /// Onto stdout; a text on a terminal fits it and goes through the pager.
    private func deliver(_ report: Report, _ path: String, from connection: Connection, now: Int64) -> ExitCode {
        let terminal = console.outputTerminal
        let pager = options.format == .text ? Pager(environment: context.environment) : nil
        let text = ReportText(
            width: terminal.width, cutsTitles: pager?.scrollsSideways != true, hasColour: terminal.hasColour,
            database: context.databaseToName(path), now: now)
        return console.deliver(through: pager) { output in
            try write(report, from: connection, text) { try output.write($0) }
        }
    }

    private func write(
        _ report: Report, from connection: Connection, _ text: ReportText, to output: ReportOutput
    ) throws {
        switch options.format {
        case .text: try text.write(report, from: connection, to: output)
        case .json: try ReportJSON.write(report, from: connection, to: output)
        }
    }
}

extension CommandContext {
    /// What is wrong with the words that a command was given, with a way out where there is one.
    func message(_ error: ReportError) -> String {
        guard case .unknownJob(let name, let known) = error else { return "\(error)" }
        return "\(error); \(hint(for: name, among: known))"
    }
}
