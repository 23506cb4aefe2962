import Catalog
import Jobs
import Reports
import SQLite
import Storage
import Synchronization

/// `runner gc`: a line on stdout for each file that goes, a line of sums for each job on stderr.
struct GCCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    /// A job and what it may keep.
    private struct Target {
        let name: String
        /// nil: everything.
        let maximumBytes: Int64?
        /// The job file that should say so, where it can't be read.
        var unreadable: String?
    }

    func run() async -> ExitCode {
        do {
            let database = try CatalogLocation.path(flag: options.database, environment: context.environment)
            guard let targets = try targets(database) else { return .invalidJob }
            var codes: [ExitCode] = []
            for target in targets { codes.append(try await collect(target, database)) }
            codes.append(console.deliver {})
            return .worst(of: codes)
        } catch let error as UpkeepError {
            return context.refuse(context.message(error), usage: Command.gc.usage)
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    /// - Returns: nil after words on stderr.
    private func targets(_ database: String) throws -> [Target]? {
        let connection = try CatalogLocation.openForReading(database)
        defer { connection.close() }
        let known = try CatalogJob.names(on: connection)
        guard !options.operands.isEmpty else { return try known.map { try target($0, connection) } }
        var targets: [Target] = []
        for operand in options.operands {
            guard context.namesFile(operand) else {
                targets.append(try target(operand, connection))
                continue
            }
            guard let jobs = context.loadJobs(at: operand, options) else { return nil }
            targets += jobs.map {
                Target(name: $0.name, maximumBytes: options.maximumBytes ?? $0.output.maximumBytes)
            }
        }
        // Before anything goes.
        for target in targets where !known.contains(target.name) {
            throw UpkeepError.unknownJob(target.name, known: known)
        }
        return targets
    }

    private func target(_ name: String, _ connection: Connection) throws -> Target {
        if let maximum = options.maximumBytes { return Target(name: name, maximumBytes: maximum) }
        let job = try context.job(named: name, from: connection)
        guard job == nil else { return Target(name: name, maximumBytes: job?.output.maximumBytes) }
        return Target(name: name, maximumBytes: nil, unreadable: try CatalogJob.file(of: name, on: connection))
    }

    private func collect(_ target: Target, _ database: String) async throws -> ExitCode {
        let printer = GarbagePrinter(console: console)
        do {
            let ending = try await GarbageCollection.collect(
                target.name, maximumBytes: target.maximumBytes, isRemovingGone: options.isRemovingGone,
                isDryRun: options.isDryRun, database: database, environment: context.environment,
                findings: { printer.print($0) })
            switch ending {
            case .busy(let holder):
                console.tell(context.busyText(job: target.name, holder))
                return .locked
            case .collected(let outcome):
                for fault in outcome.faults { console.tell("\(target.name): \(fault); it stays") }
                console.tell(summary(of: target, outcome))
                try printer.checkOutput()
                if !outcome.faults.isEmpty { return .failed }
                return target.unreadable == nil ? .success : .partial
            }
        } catch OutputError.closedPipe {
            return .success
        } catch let error as UpkeepError {
            throw error
        } catch {
            // The other jobs have their turns all the same.
            console.tell("\(target.name): failed: \(error)")
            return .failed
        }
    }

    /// `photos: 12 items evicted, 3 files removed, which frees 34.5 MB; 96.0 MB of 100.0 MB are kept`.
    private func summary(of target: Target, _ outcome: GarbageCollection.Outcome) -> String {
        let would = options.isDryRun ? "would be " : ""
        var parts: [String] = []
        if outcome.evicted > 0 { parts.append("\(counted(outcome.evicted, "item")) \(would)evicted") }
        if outcome.gone > 0 { parts.append("\(counted(outcome.gone, "delisted file")) \(would)removed") }
        if outcome.removed > 0 {
            parts.append("\(counted(outcome.removed, outcome.gone > 0 ? "other file" : "file")) \(would)removed")
        }
        var text = parts.isEmpty ? "nothing to remove" : parts.joined(separator: ", ")
        if !parts.isEmpty { text += ", which frees \(byteText(outcome.freed))" }
        if outcome.changed > 0 {
            text += "; \(counted(outcome.changed, "changed file")) \(outcome.changed == 1 ? "stays" : "stay")"
        }
        if let kept = outcome.kept, let maximum = target.maximumBytes {
            text += "; \(byteText(kept)) of \(byteText(maximum)) \(options.isDryRun ? "would be" : "are") kept"
        }
        if let file = target.unreadable {
            text +=
                "; its limit is not known, since \(file) can't be read: runner check tells why, --max-bytes gives one"
        }
        return "\(target.name): \(text)"
    }
}

/// Prints the files that go, from whatever thread finds them.
private final class GarbagePrinter: Sendable {
    private let console: Console
    /// Why stdout takes nothing more.
    private let fault = Mutex<OutputError?>(nil)

    init(console: Console) {
        self.console = console
    }

    func print(_ finding: GarbageCollection.Finding) {
        let fields = [
            finding.kind.rawValue, finding.job, finding.key ?? "", finding.path, String(finding.size),
        ].map(displayable)
        let line =
            console.outputTerminal.isInteractive
            ? "\(fields[0])  \(fields[1])\(finding.key == nil ? "" : " \(fields[2])"): \(fields[3]) "
                + "(\(byteText(finding.size))\(finding.kind == .changed ? ", not what was stored: stays" : ""))"
            : fields.joined(separator: "\t")
        fault.withLock { fault in
            guard fault == nil else { return }
            do throws(OutputError) { try console.output.write(line + "\n") } catch { fault = error }
        }
    }

    /// - Throws: why stdout did not take everything.
    func checkOutput() throws(OutputError) {
        if let fault = fault.withLock(\.self) { throw fault }
    }
}
