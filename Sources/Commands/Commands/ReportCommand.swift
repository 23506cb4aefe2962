import Catalog
import Files
import HTTP
import Reports
import SQLite
import System

/// `runner report`: what the catalog knows of past runs.
struct ReportCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() -> ExitCode {
        if let message = options.reportConflict { return refuse(message) }
        guard let names = context.jobNames(options.operands, options) else { return .usage }
        let now = wallClockMicroseconds()
        do {
            let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let connection = try CatalogLocation.openForReading(path)
            defer { connection.close() }
            if let refusal = context.refusal(ofOutput: options) { return refuse(refusal) }
            var report = try makeReport(request(names, now: now), from: connection)
            let judgements = try judge(
                &report, comparedWith: baseline, by: options.failConditions, now: now, from: connection)
            let code = try deliver(report, path, from: connection, now: now)
            return .worst(of: [code, announce(judgements)])
        } catch let error as ReportError {
            return refuse(context.message(error))
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    /// A page for people says whether it is slower without being asked.
    private var baseline: Baseline? { options.baseline ?? (options.format == .html ? .standard : nil) }

    /// Says which conditions hold, and which could not be judged: a line each.
    private func announce(_ judgements: [Judgement]) -> ExitCode {
        var code = ExitCode.success
        for judgement in judgements {
            let place = "\(judgement.job) run \(judgement.run): "
            switch judgement.verdict {
            case .holds(let reason):
                console.tell(place + reason)
                code = .partial
            case .unknown(let reason): console.tell(place + "\(judgement.subject) not judged: \(reason)")
            case .doesNotHold: break
            }
        }
        return code
    }

    private func refuse(_ message: String) -> ExitCode {
        context.refuse(message, usage: Command.report.usage)
    }

    private func request(_ names: [String], now: Int64) -> ReportRequest {
        var request = ReportRequest()
        request.jobs = names
        request.since = options.since.map { now - $0 }
        request.items = options.showsItems
        request.collections = options.showsCollections
        request.failures = options.showsFailures
        request.hosts = options.showsHosts
        request.shards = options.showsShards
        request.news = options.showsNews
        request.slowest = options.slowest
        switch options.run ?? (options.since == nil ? .last : .all) {
        case .last: request.run = .last
        case .all: request.run = .all
        case .id(let id): request.run = .id(id)
        }
        let isOfSeveral = request.run == .all || (request.run == .last && names.isEmpty)
        request.isBrief = options.format == .text && !request.hasTables && options.baseline == nil && isOfSeveral
        request.hasStatistics = options.format.hasStatistics && !request.isBrief
        return request
    }

    /// To a file or onto stdout; a text on a terminal fits it and goes through the pager.
    private func deliver(
        _ report: Report, _ path: String, from connection: Connection, now: Int64
    ) throws -> ExitCode {
        let toStdout = options.output == nil || options.output == "-"
        let terminal = toStdout ? console.outputTerminal : .none
        let body = { (output: ByteOutput, text: ReportText) in
            try write(report, from: connection, text, isForTerminal: terminal.isTerminal) { try output.write($0) }
        }
        guard options.format == .text, toStdout else {
            let text = ReportText(width: nil, database: context.databaseToName(path), now: now)
            // Whoever collects metrics is another user.
            let permissions: UInt32? = options.format == .prometheus ? 0o644 : nil
            return try context.write(to: options.output, permissions: permissions) { try body($0, text) }
        }
        let pager = Pager(environment: context.environment)
        let text = ReportText(
            width: terminal.width, cutsTitles: pager?.scrollsSideways != true, hasColour: terminal.hasColour,
            database: context.databaseToName(path), now: now)
        return console.deliver(through: pager) { try body($0, text) }
    }

    private func write(
        _ report: Report, from connection: Connection, _ text: ReportText, isForTerminal: Bool,
        to output: ReportOutput
    ) throws {
        switch options.format {
        case .text: try text.write(report, from: connection, to: output)
        case .json: try ReportJSON.write(report, from: connection, to: output)
        case .html:
            try HTMLReport(
                report, hasGallery: options.hasGallery, database: text.database, version: runnerVersion, now: text.now
            ).write(from: connection, to: output)
        case .csv:
            try TableExport(.csv, defusesFormulas: options.defusesFormulas, isForTerminal: isForTerminal)
                .write(report, from: connection, to: output)
        case .jsonl: try TableExport(.jsonl).write(report, from: connection, to: output)
        case .prometheus:
            try PrometheusText.write(
                report, version: runnerVersion, libcurl: curlVersionText, now: text.now, from: connection, to: output)
        case .har: try HTTPArchive.write(report, version: runnerVersion, from: connection, to: output)
        case .trace: try TraceEvents.write(report, from: connection, to: output)
        }
    }
}

extension ReportFormat {
    /// Whether it has the tables of `--items` and the like.
    fileprivate var hasTables: Bool { self == .text || self == .json }

    fileprivate var hasStatistics: Bool { hasTables || self == .html || self == .prometheus }
}

extension Options {
    /// What is wrong with the flags of `report` taken together; nil where nothing is.
    fileprivate var reportConflict: String? {
        if let format = scheduleFormat { return "--format \(format.rawValue) is for schedule, not for report" }
        let tables = [
            ("items", showsItems), ("collections", showsCollections), ("failures", showsFailures),
            ("hosts", showsHosts), ("shards", showsShards), ("new", showsNews), ("slowest", slowest != nil),
        ]
        if !format.hasTables, let table = tables.first(where: \.1) {
            let hint = format == .html && table.0 != "shards" ? ", which has all of them" : ""
            return "--\(table.0) goes with --format text or json, not with \(format.rawValue)\(hint)"
        }
        if baseline != nil, !format.hasTables, format != .html {
            return "--compare goes with --format text, json or html, not with \(format.rawValue)"
        }
        if hasGallery, format != .html { return "--gallery goes with --format html, not with \(format.rawValue)" }
        if defusesFormulas, format != .csv { return "--safe-csv goes with --format csv, not with \(format.rawValue)" }
        if format == .prometheus, run != nil && run != .last || since != nil {
            return "--format prometheus is about the last run of each job: without --run and --since"
        }
        return nil
    }
}

extension CommandContext {
    /// What is wrong with the words that a command was given, with a way out where there is one.
    func message(_ error: ReportError) -> String {
        guard case .unknownJob(let name, let known) = error else { return "\(error)" }
        return "\(error); \(hint(for: name, among: known))"
    }
}
