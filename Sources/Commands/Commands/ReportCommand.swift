import Core
import Files
import Reports
import SQLite
import YAML

/// `runner report`: what the catalog knows of past runs.
struct ReportCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() -> ExitCode {
        guard let names = jobNames() else { return .usage }
        let now = wallClockMicroseconds()
        do {
            let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let connection = try CatalogLocation.openForReading(path)
            defer { connection.close() }
            let report = try makeReport(request(names, now: now), from: connection)
            guard let file = options.output, file != "-" else {
                return console.deliver {
                    try write(report, from: connection, width: console.outputTerminal.width, now: now) { bytes in
                        try console.output.write(bytes)
                    }
                }
            }
            try WholeFile.write(to: file) { output in
                try write(report, from: connection, width: nil, now: now) { bytes in try output.write(bytes) }
            }
            return .success
        } catch let error as ReportError {
            console.tell(UsageError(message: message(error), usage: Command.report.usage).description)
            return .usage
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
        return request
    }

    private func write(
        _ report: Report, from connection: Connection, width: Int?, now: Int64, to output: ReportOutput
    ) throws {
        switch options.format {
        case .text: try ReportText(width: width, now: now).write(report, from: connection, to: output)
        case .json: try ReportJSON.write(report, from: connection, to: output)
        }
    }

    /// The operands as names of jobs: what looks like a file is read for the names in it.
    ///
    /// - Returns: nil after words on stderr.
    private func jobNames() -> [String]? {
        var names: [String] = []
        for operand in options.operands {
            guard operand.contains("/") || operand.hasSuffix(".yaml") || operand.hasSuffix(".yml") else {
                names.append(operand)
                continue
            }
            var file = options
            file.operands = [operand]
            guard let jobs = context.loadJobs(file) else { return nil }
            names += jobs.map(\.name)
        }
        return names
    }

    private func message(_ error: ReportError) -> String {
        guard case .unknownJob(let name, let known) = error else { return "\(error)" }
        if let match = closestMatch(to: name, in: known) { return "\(error); did you mean '\(match)'?" }
        return known.isEmpty ? "\(error); nothing ran yet" : "\(error); it has \(known.joined(separator: ", "))"
    }
}
