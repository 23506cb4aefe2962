import Catalog
import Control
import Files
import JSON
import Reports
import SQLite
import Synchronization
import System

/// `runner status`: which runs are at work, and how far they are.
struct StatusCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        guard options.scheduleFormat == nil, options.format == .text || options.format == .json else {
            return context.refuse("status writes text or json", usage: Command.status.usage)
        }
        guard let names = context.jobNames(options.operands, options) else { return .invalidJob }
        do {
            let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let (atWork, last, known) = try Self.read(path)
            for name in names where !known.contains(name) {
                return context.refuse(
                    context.message(UpkeepError.unknownJob(name, known: known)), usage: Command.status.usage)
            }
            SocketPlaces.removeDead(in: SocketPlaces.folders(environment: context.environment, database: path))
            let runs = atWork.filter { names.isEmpty || names.contains($0.job) }
            // Those that have ended are shown where no other is, or they are asked for.
            let others = last.filter { run in
                names.isEmpty ? runs.isEmpty : names.contains(run.job) && !runs.contains { $0.job == run.job }
            }
            let found = await offPool { runs.map { RunAtWork($0, database: path, context.environment) } }
            let isMissing = names.contains { name in !runs.contains { $0.job == name } }
            let code = options.follows && !runs.isEmpty ? await follow(found, path) : print(found, others)
            return code == .success && isMissing ? .unavailable : code
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    private static func read(_ path: String) throws -> ([CatalogRun], [CatalogRun], [String]) {
        let connection = try CatalogLocation.openForReading(path)
        defer { connection.close() }
        return (
            try CatalogRun.atWork(on: connection), try CatalogRun.last(on: connection),
            try CatalogRun.jobs(on: connection)
        )
    }

    // MARK: Once

    private func print(_ runs: [RunAtWork], _ others: [CatalogRun]) -> ExitCode {
        console.deliver {
            switch options.format {
            case .json:
                let documents = runs.map(\.document) + others.map(Self.document)
                try console.output.write("{\"runs\": [")
                for (place, document) in documents.enumerated() {
                    try console.output.write(place > 0 ? ",\n" : "\n")
                    try console.output.write(document)
                }
                try console.output.write("\n]}\n")
            default:
                if runs.isEmpty, options.operands.isEmpty { try console.output.write("no run is under way\n") }
                for run in runs {
                    for line in StatusText.lines(of: run) { try console.output.write(displayable(line) + "\n") }
                }
                for run in others { try console.output.write(displayable(StatusText.line(of: run)) + "\n") }
            }
        }
    }

    private static func document(of run: CatalogRun) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("run", run.id)
        json.member("job", run.job)
        json.member("state", "finished")
        json.member("outcome", run.outcome)
        json.member("started_at", run.startedAt)
        json.member("finished_at", run.finishedAt)
        json.endObject()
        return json.bytes
    }

    // MARK: Until they end

    /// A line, or an event as JSON, whenever something changes, until all runs have ended.
    private func follow(_ runs: [RunAtWork], _ database: String) async -> ExitCode {
        let output = FollowOutput(
            console: console, isJSON: options.format == .json, database: database, environment: context.environment)
        await withTaskGroup(of: Void.self) { group in
            for run in runs {
                group.addTask {
                    await offPool { output.follow(run) }
                }
            }
        }
        return console.deliver { if let fault = output.fault { throw fault } }
    }
}

/// A run that is at work, as it answers.
struct RunAtWork: Sendable {
    let run: CatalogRun
    /// nil for one that cannot be reached.
    let client: ControlClient?
    let status: [String: JSONValue]?
    /// Its status as JSON; of one that cannot be reached what its row has.
    let document: [UInt8]

    /// Waits for the run's answer.
    init(_ run: CatalogRun, database: String, _ environment: [String: String]) {
        self.run = run
        client = ControlClient.find(
            run: run.id, processID: run.processID, database: database, environment: environment)
        if let answer = try? client?.get("status"), case .object(let members)? = JSONValue(parsing: answer.body) {
            status = members
            document = answer.body.last == UInt8(ascii: "\n") ? answer.body.dropLast() : answer.body
        } else {
            status = nil
            var json = JSONWriter()
            json.beginObject()
            json.member("run", run.id)
            json.member("job", run.job)
            json.member("state", nil as String?)
            json.member("pid", run.processID)
            json.member("started_at", run.startedAt)
            json.endObject()
            document = json.bytes
        }
    }
}
