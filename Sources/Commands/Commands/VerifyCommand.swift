import Catalog
import Reports
import Storage
import Synchronization

/// `runner verify`: the faults of stored files on stdout, a line of sums for each job on stderr.
struct VerifyCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        guard var names = context.jobNames(options.operands, options) else { return .invalidJob }
        do {
            let database = try CatalogLocation.path(flag: options.database, environment: context.environment)
            if names.isEmpty { names = try Verification.jobs(database: database) }
            var codes: [ExitCode] = []
            for name in names { codes.append(try await verify(name, database)) }
            codes.append(console.deliver {})
            return .worst(of: codes)
        } catch let error as UpkeepError {
            console.tell(UsageError(message: context.message(error), usage: Command.verify.usage).description)
            return .usage
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    private func verify(_ name: String, _ database: String) async throws -> ExitCode {
        let printer = FindingPrinter(console: console)
        do {
            let ending = try await Verification.verify(
                name, isRepairing: options.isRepairing, database: database, environment: context.environment,
                findings: { printer.print($0) }, progress: { printer.show($0) })
            printer.clear()
            switch ending {
            case .busy(let holder):
                console.tell(context.busyText(job: name, holder))
                return .locked
            case .verified(let outcome):
                console.tell(printer.summary(of: name, outcome, isRepaired: options.isRepairing))
                try printer.checkOutput()
                return outcome.faults == 0 ? .success : .partial
            }
        } catch OutputError.closedPipe {
            return .partial
        } catch let error as UpkeepError {
            throw error
        } catch {
            // The others' files are read all the same.
            printer.clear()
            console.tell("\(name): failed: \(error)")
            return .failed
        }
    }
}

/// Prints what is found of a job's files, from whatever thread reads them.
final class FindingPrinter: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        /// Faults of delisted items.
        var gone = 0
        /// Faults of metadata files of others.
        var metadata = 0
        /// Why stdout takes nothing more.
        var fault: OutputError?
        /// When the line that shows the work was drawn last; nil while there is none.
        var drawn: ContinuousClock.Instant?
    }

    private let console: Console
    private let state = Mutex(State())

    init(console: Console) {
        self.console = console
    }

    func print(_ finding: Verification.Finding) {
        clear()
        let (word, detail) = Self.words(for: finding)
        let isAligned = console.outputTerminal.isInteractive
        state.withLock { state in
            state.counts[word, default: 0] += 1
            if finding.isGone { state.gone += 1 } else if finding.isMetadata { state.metadata += 1 }
            guard state.fault == nil else { return }
            let fields = [word, finding.job, finding.key, finding.path, detail].map(displayable)
            let line =
                isAligned
                ? "\(fields[0])  \(fields[1]) \(fields[2]): \(fields[3])" + (detail.isEmpty ? "" : " (\(fields[4]))")
                : fields.joined(separator: "\t")
            do throws(OutputError) {
                try console.output.write(line + "\n")
                // A person sees each as it is found.
                if isAligned { try console.output.flush() }
            } catch {
                state.fault = error
            }
        }
    }

    /// - Throws: why stdout did not take everything.
    func checkOutput() throws(OutputError) {
        if let fault = state.withLock(\.fault) { throw fault }
    }

    /// Faults in the order of the sums.
    private static let order = ["missing", "truncated", "changed", "unreadable"]

    private static func words(for finding: Verification.Finding) -> (word: String, detail: String) {
        switch finding.fault {
        case .missing: ("missing", "")
        case .truncated(let size): ("truncated", "\(size) of \(finding.size) bytes")
        case .changed(let size) where size == finding.size: ("changed", "\(size) bytes with another SHA-256")
        case .changed(let size): ("changed", "\(size) bytes instead of \(finding.size)")
        case .unreadable(let reason): ("unreadable", reason)
        }
    }

    /// `flags: 239 files, 128.0 kB: 1 missing, 2 changed; runner verify flags --repair has the next run fetch them`.
    func summary(of name: String, _ outcome: Verification.Outcome, isRepaired: Bool) -> String {
        let (counts, gone, metadata) = state.withLock { ($0.counts, $0.gone, $0.metadata) }
        let text = "\(name): \(counted(outcome.files, "file")), \(byteText(outcome.bytes)): "
        guard outcome.faults > 0 else { return text + "all match the catalog" }
        let found = Self.order.compactMap { word in counts[word].map { "\($0) \(word)" } }.joined(separator: ", ")
        let fetched = outcome.faults - gone
        var way = ""
        if fetched > 0 {
            let what = gone > 0 ? "\(fetched) of them" : fetched == 1 ? "it" : "them"
            let verbs = metadata == 0 ? ["fetch"] : metadata == fetched ? ["write"] : ["fetch", "write"]
            way =
                isRepaired
                ? "; the next run \(verbs.map { $0 == "fetch" ? "fetches" : "writes" }.joined(separator: " or ")) \(what)"
                : "; runner verify \(name) --repair has the next run \(verbs.joined(separator: " or ")) \(what)"
        }
        if gone > 0 {
            way +=
                "; \(gone == 1 ? "1 is" : "\(gone) are") delisted, and no run fetches "
                + (gone == 1 ? "it" : "them")
        }
        return text + found + way
    }

    // MARK: The work on a terminal

    /// Draws how far the work is, now and then.
    func show(_ outcome: Verification.Outcome) {
        guard console.errorTerminal.isInteractive else { return }
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            guard state.drawn.map({ now - $0 > .milliseconds(200) }) ?? true else { return false }
            state.drawn = now
            return true
        }
        if isDue {
            try? console.errors.write("\r\(counted(outcome.files, "file")), \(byteText(outcome.bytes)) \u{1B}[K")
        }
    }

    /// Takes the line away.
    func clear() {
        let wasDrawn = state.withLock { state in
            defer { state.drawn = nil }
            return state.drawn != nil
        }
        if wasDrawn { try? console.errors.write("\r\u{1B}[K") }
    }
}
