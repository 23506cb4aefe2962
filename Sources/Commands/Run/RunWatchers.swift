import Glibc
import Model
import Reports
import Run
import System
import Unattended

/// Who beside the display takes the events of a run: the log, and the service manager that started the program.
struct RunWatchers: Sendable {
    private let log: RunLog?
    /// Whether the journal gets what would be lines on stderr, and stderr leads to the journal as well.
    let hasJournalForErrors: Bool
    private let service: ServiceManager?

    /// Opens the log. What is wrong with it is a line on stderr.
    init(_ options: Options, _ context: CommandContext) {
        log = Self.openLog(options, context.console)
        hasJournalForErrors =
            log != nil && options.log == "journal"
            && Journal.isStream(STDERR_FILENO, named: context.environment["JOURNAL_STREAM"])
        service = ServiceManager(context.serviceSocket) { Monotonic.now().microseconds }
        service?.ready()
    }

    private static func openLog(_ options: Options, _ console: Console) -> RunLog? {
        guard let name = options.log else { return nil }
        do throws(LogFailure) {
            let destination: any LogDestination =
                name == "journal" ? try Journal() : try LogFile(name, options.logFormat)
            return RunLog(options.logLevel.level, to: destination) { console.complain($0) }
        } catch {
            console.complain("--log \(displayable(name)): \(error.reason); nothing is logged")
            return nil
        }
    }

    /// Asks for what is to be reported.
    func prepare(_ options: inout SessionOptions) {
        options.itemLog = log?.itemLog
        if service != nil { options.interest = options.interest.withProgress(every: 1_000_000) }
    }

    func take(_ events: [RunEvent]) {
        service?.take(events)
        guard let log else { return }
        for event in events {
            if let entry = LogEntry(event) { log.write(entry) }
        }
    }

    func stopping() {
        service?.stopping()
    }

    /// The runs are over.
    func ended() {
        service?.ended()
    }

    /// A job that has no run.
    func note(_ event: String, _ level: LogEntry.Level, job: String, _ detail: String) {
        var entry = LogEntry(event, level, at: wallClockMicroseconds(), job: job)
        entry.fields = [("detail", .text(detail))]
        log?.write(entry)
    }

    /// Returns when everything is written.
    func close() async {
        await log?.close()
    }
}

extension LogDetail {
    var level: LogEntry.Level {
        switch self {
        case .info: .info
        case .debug: .debug
        }
    }
}
